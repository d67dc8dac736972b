internal import JOSE

/// How the key that seals a store comes about.
public enum SealingMethod: String, Sendable, Hashable, CaseIterable {
    /// 32 random bytes in the desktop's keyring (Secret Service).
    case keyring
    /// Made of a passphrase by scrypt (RFC 7914).
    case passphrase
    /// 32 random bytes in a file beside the database, which only its owner may read.
    case file
}

/// What a store says of its key, so that the key is found again.
enum StoreSeal: Equatable {
    case keyring(entry: String)
    case passphrase(salt: [UInt8], cost: PasswordKey.Cost)
    case file

    var method: SealingMethod {
        switch self {
        case .keyring: .keyring
        case .passphrase: .passphrase
        case .file: .file
        }
    }

    static let saltLength = 16

    /// A new one, with random parts.
    static func make(_ method: SealingMethod) throws(StoreError) -> StoreSeal {
        do {
            switch method {
            case .file: return .file
            case .keyring: return .keyring(entry: "store " + Hexadecimal.encode(try SecureRandom.bytes(8)))
            case .passphrase: return .passphrase(salt: try SecureRandom.bytes(saltLength), cost: .standard)
            }
        } catch {
            throw .unavailable(path: "", reason: "no random bytes")
        }
    }

    /// As it is written in the database.
    var text: String {
        switch self {
        case .keyring(let entry): JSONValue.object(["entry": .string(entry)]).serialize()
        case .passphrase(let salt, let cost):
            JSONValue.object([
                "salt": .string(Base64URL.encode(salt)), "n": .int(Int64(cost.work)),
                "r": .int(Int64(cost.blockSize)), "p": .int(Int64(cost.parallelism)),
            ]).serialize()
        case .file: "{}"
        }
    }

    /// - Returns: `nil` for what this program does not write.
    init?(method: String, text: String) {
        guard let method = SealingMethod(rawValue: method), let object = try? JSON.parse(Array(text.utf8))
        else { return nil }
        switch method {
        case .file: self = .file
        case .keyring:
            guard let entry = object["entry"]?.stringValue else { return nil }
            self = .keyring(entry: entry)
        case .passphrase:
            guard let salt = object["salt"]?.stringValue.flatMap({ Base64URL.decode($0) }),
                let work = object["n"]?.intValue, let blockSize = object["r"]?.intValue,
                let parallelism = object["p"]?.intValue, work > 0, blockSize > 0, parallelism > 0
            else { return nil }
            self = .passphrase(
                salt: salt,
                cost: PasswordKey.Cost(
                    work: UInt64(work), blockSize: UInt64(blockSize), parallelism: UInt64(parallelism)))
        }
    }
}
