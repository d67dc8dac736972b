internal import JOSE

/// The millisecond that libcrypto takes for its first digest and its first cipher, spent while something else is done.
package enum CryptoWarmUp {
    /// Begins it on a thread of its own; whoever needs libcrypto sooner waits for the rest.
    package static func begin() {
        // Without a thread it is done when it is needed.
        _ = WorkerThread.start {
            _ = Digest.sha256([])
            _ = try? AEAD.seal(
                [], key: [UInt8](repeating: 0, count: AEAD.keyLength),
                nonce: [UInt8](repeating: 0, count: AEAD.nonceLength), authenticating: [])
        }
    }
}
