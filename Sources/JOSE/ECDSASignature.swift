/// The two forms of an ECDSA signature: R and S side by side in JOSE, a DER sequence in OpenSSL.
///
/// - SeeAlso: RFC 7518 §3.4
enum ECDSASignature {
    /// The DER form of `R || S`.
    ///
    /// - Returns: `nil` unless the length is exactly two coordinates and both numbers are above zero and below
    ///   the order of the curve.
    static func der(from raw: [UInt8], curve: EllipticCurve) -> [UInt8]? {
        let length = curve.coordinateLength
        guard raw.count == 2 * length else { return nil }
        let order = curve.order
        let halves = [raw[..<length], raw[length...]]
        for half in halves {
            guard half.contains(where: { $0 != 0 }), half.lexicographicallyPrecedes(order) else { return nil }
        }
        let body = halves.flatMap(integer)
        // Above 127 only for P-521: two numbers of 66 bytes with their tags make at most 138.
        let header: [UInt8] =
            body.count < 0x80 ? [0x30, UInt8(body.count)] : [0x30, 0x81, UInt8(body.count)]
        return header + body
    }

    /// `R || S` of the DER form OpenSSL made.
    static func raw(from der: [UInt8], curve: EllipticCurve) -> [UInt8]? {
        var rest = der[...]
        guard let body = element(tag: 0x30, from: &rest), rest.isEmpty else { return nil }
        var numbers = body
        guard let r = element(tag: 0x02, from: &numbers), let s = element(tag: 0x02, from: &numbers),
            numbers.isEmpty
        else { return nil }
        guard let r = padded(r, to: curve.coordinateLength), let s = padded(s, to: curve.coordinateLength)
        else { return nil }
        return r + s
    }

    private static func integer(_ number: ArraySlice<UInt8>) -> [UInt8] {
        let digits = number.drop { $0 == 0 }
        // A leading zero keeps the number positive.
        let sign: [UInt8] = (digits.first ?? 0) >= 0x80 ? [0] : []
        return [0x02, UInt8(sign.count + digits.count)] + sign + digits
    }

    private static func element(tag: UInt8, from bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.popFirst() == tag, var length = bytes.popFirst() else { return nil }
        if length == 0x81 {
            guard let long = bytes.popFirst() else { return nil }
            length = long
        } else if length >= 0x80 {
            return nil
        }
        guard bytes.count >= Int(length) else { return nil }
        defer { bytes = bytes.dropFirst(Int(length)) }
        return bytes.prefix(Int(length))
    }

    private static func padded(_ number: ArraySlice<UInt8>, to length: Int) -> [UInt8]? {
        let digits = number.drop { $0 == 0 }
        guard digits.count <= length else { return nil }
        return [UInt8](repeating: 0, count: length - digits.count) + digits
    }
}
