import JOSE
import Testing

/// The error the operation throws; `nil` when it throws none.
func error<Value, Failure: Error>(of body: () throws(Failure) -> Value) -> Failure? {
    do throws(Failure) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

/// The algorithms that have public keys.
let publicAlgorithms = SignatureAlgorithm.allCases.filter { $0.keyType != nil }

func bytes(hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func set(_ keys: JSONValue...) throws -> JWKSet {
    try JWKSet.parse(["keys": .array(keys)])
}

/// A copy with some members changed; `nil` removes one.
func changed(_ value: JSONValue, _ changes: [String: JSONValue?]) -> JSONValue {
    var object = value.objectValue ?? JSONObject()
    for (name, value) in changes { object[name] = value }
    return .object(object)
}

/// The same token with the byte at `index` of its signature changed by one bit.
func tampered(_ token: String, index: Int = 10) throws -> String {
    let parts = token.split(separator: ".").map(String.init)
    var signature = try #require(Base64URL.decode(parts[2]))
    signature[index] ^= 1
    return parts[0] + "." + parts[1] + "." + Base64URL.encode(signature)
}

/// A token with this header and signature.
func token(header: String, signature: [UInt8] = [1, 2, 3]) -> String {
    Base64URL.encode(header.utf8) + "." + Base64URL.encode(#"{"sub":"a"}"#.utf8) + "."
        + Base64URL.encode(signature)
}
