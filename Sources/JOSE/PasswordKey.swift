internal import COpenSSL

/// Keys made of what people remember, by scrypt (RFC 7914).
package enum PasswordKey {
    /// What one guess costs: 128 · `work` · `blockSize` bytes of memory and the time to go through them.
    package struct Cost: Sendable, Hashable {
        /// A power of two.
        package let work: UInt64
        package let blockSize: UInt64
        package let parallelism: UInt64

        package init(work: UInt64, blockSize: UInt64, parallelism: UInt64) {
            self.work = work
            self.blockSize = blockSize
            self.parallelism = parallelism
        }

        /// 64 MiB and some fifth of a second.
        package static let standard = Cost(work: 1 << 16, blockSize: 8, parallelism: 1)

        fileprivate var memory: UInt64 { 128 &* work &* blockSize }
    }

    /// More memory than any cost that this program writes; a file that asks for more is not ours.
    private static let mostMemory: UInt64 = 256 << 20

    /// - Parameters:
    ///   - passphrase: UTF-8, as it was typed.
    ///   - length: Of the key in bytes.
    /// - Throws: When the cost is out of bounds or libcrypto refuses it.
    package static func derive(
        from passphrase: [UInt8], salt: [UInt8], cost: Cost, length: Int
    ) throws(OpenSSLError) -> [UInt8] {
        guard cost.work <= 1 << 22, cost.blockSize <= 64, cost.parallelism <= 16, cost.memory <= mostMemory
        else { throw OpenSSLError(operation: "scrypt", reasons: ["the cost is out of bounds"]) }
        var key = [UInt8](repeating: 0, count: length)
        let done = passphrase.withUnsafeBytes { passphrase in
            EVP_PBE_scrypt(
                passphrase.bindMemory(to: CChar.self).baseAddress, passphrase.count, salt, salt.count,
                cost.work, cost.blockSize, cost.parallelism, 2 * mostMemory, &key, length)
        }
        guard done == 1 else { throw .drain("scrypt") }
        return key
    }
}
