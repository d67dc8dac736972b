internal import FlowEngine
internal import JOSE

/// The millisecond that libcrypto takes for its first digest and its first cipher or key, spent while something else is
/// done.
package enum CryptoWarmUp {
    /// Begins it on a thread of its own; whoever needs libcrypto sooner waits for the rest.
    ///
    /// - Parameter isRehearsal: Whether no session will be opened, and tokens will be signed.
    package static func begin(isRehearsal: Bool) {
        // Without a thread it is done when it is needed.
        _ = WorkerThread.start {
            _ = Digest.sha256([])
            if isRehearsal { return RehearsalKey.prepare() }
            _ = try? AEAD.seal(
                [], key: [UInt8](repeating: 0, count: AEAD.keyLength),
                nonce: [UInt8](repeating: 0, count: AEAD.nonceLength), authenticating: [])
        }
    }
}
