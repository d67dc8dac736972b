internal import COpenSSL

/// A member of the SHA-2 family.
package enum DigestAlgorithm: Sendable, Hashable, CaseIterable {
    case sha256, sha384, sha512

    package var byteCount: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// The algorithm's EVP_MD, fetched once: an implicit fetch at every call costs as much as a small digest.
    var method: OpaquePointer {
        switch self {
        case .sha256: FetchedDigests.sha256
        case .sha384: FetchedDigests.sha384
        case .sha512: FetchedDigests.sha512
        }
    }
}

/// The fetched methods; each is immutable, shared by all threads and never freed.
private enum FetchedDigests {
    nonisolated(unsafe) static let sha256 = fetch("SHA2-256")
    nonisolated(unsafe) static let sha384 = fetch("SHA2-384")
    nonisolated(unsafe) static let sha512 = fetch("SHA2-512")
    nonisolated(unsafe) static let shake256 = fetch("SHAKE256")

    private static func fetch(_ name: String) -> OpaquePointer {
        guard let method = EVP_MD_fetch(nil, name, nil) else {
            preconditionFailure("libcrypto has no \(name)")
        }
        return method
    }
}

/// Message digests.
package enum Digest {
    package static func sha256(_ bytes: some Collection<UInt8>) -> [UInt8] { hash(bytes, .sha256) }
    package static func sha512(_ bytes: some Collection<UInt8>) -> [UInt8] { hash(bytes, .sha512) }

    package static func hash(_ bytes: some Collection<UInt8>, _ algorithm: DigestAlgorithm) -> [UInt8] {
        withBytes(of: bytes) { bytes in
            [UInt8](unsafeUninitializedCapacity: algorithm.byteCount) { output, count in
                let done = EVP_Digest(
                    bytes.baseAddress, bytes.count, output.baseAddress, nil, algorithm.method, nil)
                precondition(done == 1, "a digest of bytes in memory cannot fail")
                count = algorithm.byteCount
            }
        }
    }
}

extension Digest {
    /// MD5 (RFC 1321), which keeps no attacker out: for providers that sign requests with it.
    ///
    /// - Returns: `nil` where the library leaves it out, as one in FIPS mode does.
    package static func md5(_ bytes: some Collection<UInt8>) -> [UInt8]? {
        guard let method = EVP_MD_fetch(nil, "MD5", nil) else {
            ERR_clear_error()
            return nil
        }
        defer { EVP_MD_free(method) }
        return withBytes(of: bytes) { bytes in
            var digest = [UInt8](repeating: 0, count: 16)
            return EVP_Digest(bytes.baseAddress, bytes.count, &digest, nil, method, nil) == 1 ? digest : nil
        }
    }
}

extension Digest {
    /// Any number of bytes of SHAKE256 (FIPS 202 §6.2).
    package static func shake256(_ bytes: some Collection<UInt8>, count: Int) -> [UInt8] {
        withBytes(of: bytes) { bytes in
            [UInt8](unsafeUninitializedCapacity: count) { output, written in
                let context = EVP_MD_CTX_new()
                defer { EVP_MD_CTX_free(context) }
                let isDone =
                    EVP_DigestInit_ex2(context, FetchedDigests.shake256, nil) == 1
                    && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
                    && EVP_DigestFinalXOF(context, output.baseAddress, count) == 1
                precondition(isDone, "a digest of bytes in memory cannot fail")
                written = count
            }
        }
    }
}

/// Keyed message authentication.
///
/// - SeeAlso: RFC 2104
package enum HMAC {
    package static func sha256(key: some Collection<UInt8>, message: some Collection<UInt8>) -> [UInt8] {
        authenticate(message, key: key, .sha256)
    }

    package static func authenticate(
        _ message: some Collection<UInt8>, key: some Collection<UInt8>, _ algorithm: DigestAlgorithm
    ) -> [UInt8] {
        withBytes(of: key) { key in
            withBytes(of: message) { message in
                [UInt8](unsafeUninitializedCapacity: algorithm.byteCount) { output, count in
                    let done = COpenSSL.HMAC(
                        algorithm.method, key.baseAddress, Int32(clamping: key.count), message.baseAddress,
                        message.count, output.baseAddress, nil)
                    precondition(done != nil, "a MAC of bytes in memory cannot fail")
                    count = algorithm.byteCount
                }
            }
        }
    }
}

/// Comparisons whose time depends on the length only.
package enum ConstantTime {
    package static func equal(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
        withBytes(of: a) { a in
            withBytes(of: b) { b in
                a.count == b.count && CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0
            }
        }
    }

    /// Compares the UTF-8 of both strings, without Unicode normalisation.
    package static func equal(_ a: String, _ b: String) -> Bool {
        equal(a.utf8, b.utf8)
    }
}

/// Bytes from the library's random generator, seeded by the kernel.
package enum SecureRandom {
    /// - Throws: `OpenSSLError` when the generator cannot be seeded; nothing weaker is returned instead.
    package static func bytes(_ count: Int) throws(OpenSSLError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard count > 0 else { return bytes }
        guard RAND_bytes(&bytes, Int32(clamping: count)) == 1, count <= Int(Int32.max) else {
            throw OpenSSLError.drain("random bytes")
        }
        return bytes
    }
}
