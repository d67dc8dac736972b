package import JOSE

/// What the sandbox can sign ID tokens with.
package enum SigningAlgorithm: String, Sendable, Hashable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"

    package var signature: SignatureAlgorithm {
        switch self {
        case .rs256: .rs256
        case .es256: .es256
        case .edDSA: .edDSA
        }
    }

    fileprivate var keyType: KeyType {
        switch self {
        case .rs256: .rsa
        case .es256: .ec(.p256)
        case .edDSA: .ed25519
        }
    }

    /// The left half of the digest of an access token (OIDC Core §3.1.3.6; SHA-512 for Ed25519, RFC 8032 §5.1).
    func leftHalfHash(_ text: String) -> String {
        let digest =
            switch self {
            case .rs256, .es256: Digest.sha256(text.utf8)
            case .edDSA: Digest.sha512(text.utf8)
            }
        return Base64URL.encode(digest.prefix(digest.count / 2))
    }
}

/// The sandbox's signing keys: at least one of each algorithm, the newest of which signs.
package struct SandboxKeys: Sendable {
    struct Entry: Sendable {
        let algorithm: SigningAlgorithm
        let key: PrivateKey

        /// The key's thumbprint, so the name of a key never changes and never meets another's (RFC 7638).
        var kid: String { key.publicKey.thumbprint }
    }

    private(set) var entries: [Entry]

    init(entries: [Entry]) {
        self.entries = entries
    }

    /// Takes keys that are there; of an algorithm that none of them is for, a new one is made.
    ///
    /// - Throws: `SandboxError.keys` when the cryptographic library fails.
    package init(_ keys: [PrivateKey]) throws(SandboxError) {
        entries = SigningAlgorithm.allCases.compactMap { algorithm in
            keys.first { $0.type == algorithm.keyType }.map { Entry(algorithm: algorithm, key: $0) }
        }
        for algorithm in SigningAlgorithm.allCases where newest(algorithm) == nil { try rotate(algorithm) }
    }

    /// Makes a new key of each algorithm; the RSA one takes a tenth of a second.
    ///
    /// - Throws: `SandboxError.keys` when the cryptographic library fails.
    package static func generate() throws(SandboxError) -> SandboxKeys {
        try SandboxKeys([])
    }

    /// Makes a new key that signs from now on; the old ones stay published.
    mutating func rotate(_ algorithm: SigningAlgorithm) throws(SandboxError) {
        do throws(KeyError) {
            entries.append(Entry(algorithm: algorithm, key: try PrivateKey.generate(algorithm.keyType)))
        } catch {
            throw .keys("a key for \(algorithm.rawValue) cannot be made: \(error)")
        }
    }

    /// `nil` when there is none, which a set made by `generate` or read from a snapshot never is.
    func newest(_ algorithm: SigningAlgorithm) -> Entry? { entries.last { $0.algorithm == algorithm } }

    /// The key set document (RFC 7517 §5).
    var publicSet: JSONObject { Self.document(entries, hasIDs: true) }

    /// The document with the faults that are due.
    func publicSet(_ actions: [Fault.Action], _ algorithm: SigningAlgorithm) -> JSONObject {
        guard !actions.contains(.noKeys) else { return ["keys": []] }
        let shown = actions.contains(.singleKey) ? newest(algorithm).map { [$0] } ?? [] : entries
        return Self.document(shown, hasIDs: !actions.contains(.keysWithoutID))
    }

    private static func document(_ entries: [Entry], hasIDs: Bool) -> JSONObject {
        let keys = entries.map {
            $0.key.publicJWK(kid: hasIDs ? $0.kid : nil, alg: $0.algorithm.signature)
        }
        return ["keys": .array(keys)]
    }
}

/// Why there is no sandbox.
package enum SandboxError: Error, Sendable, Hashable {
    /// A key cannot be made, read or used; in words.
    case keys(String)
    /// The bytes are no snapshot of a sandbox: the name of the member that is missing or wrong.
    case snapshot(member: String)
}
