package import JOSE

/// A private key as people keep it: PEM, or a JWK.
package enum SigningKeyText {
    package static func read(_ text: Secret) throws(KeyError) -> (key: PrivateKey, kid: String?) {
        let value = text.reveal()
        guard value.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
            return (try PrivateKey(pem: value), nil)
        }
        // What is no JSON is no key either.
        guard let jwk = try? JSON.parse(Array(value.utf8)) else { throw .notAnObject }
        return (try PrivateKey(jwk: jwk), jwk["kid"]?.stringValue)
    }
}

extension KeyType {
    /// What signs with such a key where nobody says more; a key that signs nothing is refused when it should.
    package var usualAlgorithm: SignatureAlgorithm {
        switch self {
        case .rsa: .rs256
        case .ec(.p256): .es256
        case .ec(.p384): .es384
        case .ec(.p521): .es512
        case .ed25519, .ed448, .x25519: .edDSA
        }
    }
}
