package import JOSE

/// What opens the authorization responses that a provider encrypts for this client (JARM §2.2).
package struct SealedResponses: Sendable {
    private let encryption: RegisteredEncryption
    private let keys: [DecryptionKey]

    package init(_ encryption: RegisteredEncryption, keys: [DecryptionKey]) {
        self.encryption = encryption
        self.keys = keys
    }

    /// The signed JWT inside, not verified.
    ///
    /// - Throws: `failed` with the check, also for one that is not encrypted.
    package func opened(_ token: Secret, log: inout CheckLog) throws(ProtocolError) -> Secret {
        try EncryptedToken.open(token, registered: encryption, keys: keys, log: &log)
    }
}
