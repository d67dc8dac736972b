internal import COpenSSL

/// Owns one EVP_PKEY.
///
/// Sendable because the key is never changed after `init`: libcrypto lets any number of threads use one
/// EVP_PKEY as long as none modifies it, and guards its own caches with a lock.
final class KeyHandle: @unchecked Sendable {
    private let key: OpaquePointer

    /// Takes over the reference; `nil` in, `nil` out.
    init?(owning key: OpaquePointer?) {
        guard let key else { return nil }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Lends the pointer for the call.
    func withKey<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        withExtendedLifetime(self) { body(key) }
    }

    /// The key type, when it is one we use; an RSA-PSS restricted key is not.
    var type: KeyType? {
        switch EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA: return .rsa
        case EVP_PKEY_ED25519: return .ed25519
        case EVP_PKEY_ED448: return .ed448
        case EVP_PKEY_X25519: return .x25519
        case EVP_PKEY_EC:
            var name = [CChar](repeating: 0, count: 80)
            guard EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1 else { return nil }
            return EllipticCurve.allCases.first { curve in
                curve.groupName.utf8.elementsEqual(name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)))
            }.map(KeyType.ec)
        default: return nil
        }
    }

    /// The library's name of any key type, for an error.
    var typeName: String {
        EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown"
    }

    /// Whether the private part fits the public one.
    func isConsistentPair() -> Bool {
        guard let context = EVP_PKEY_CTX_new(key, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        defer { OpenSSLError.forget() }
        return EVP_PKEY_pairwise_check(context) == 1
    }

    /// A number of the key, big-endian without leading zeros.
    func number(_ name: String) -> [UInt8]? {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key, name, &number) == 1, let number else { return nil }
        defer { BN_clear_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }

    /// The public bytes of a key on that curve.
    func rawPublicKey(_ curve: OctetCurve) -> [UInt8]? {
        var count = curve.keyLength
        var bytes = [UInt8](repeating: 0, count: count)
        guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == bytes.count else { return nil }
        return bytes
    }
}
