internal import COpenSSL

/// Making keys from their numbers.
extension KeyHandle {
    /// An RSA public key; the numbers are not checked here.
    static func rsa(n: [UInt8], e: [UInt8]) throws(KeyError) -> KeyHandle {
        var parameters = KeyParameters()
        parameters.add(OSSL_PKEY_PARAM_RSA_N, number: n)
        parameters.add(OSSL_PKEY_PARAM_RSA_E, number: e)
        return try parameters.makeKey("RSA", isPrivate: false)
    }

    /// An RSA private key of all its numbers.
    static func rsa(_ numbers: RSAPrivateNumbers) throws(KeyError) -> KeyHandle {
        var parameters = KeyParameters()
        parameters.add(OSSL_PKEY_PARAM_RSA_N, number: numbers.n)
        parameters.add(OSSL_PKEY_PARAM_RSA_E, number: numbers.e)
        parameters.add(OSSL_PKEY_PARAM_RSA_D, number: numbers.d)
        // Swift does not import the macros of these names: they join two string literals (core_names.h).
        parameters.add("rsa-factor1", number: numbers.p)
        parameters.add("rsa-factor2", number: numbers.q)
        parameters.add("rsa-exponent1", number: numbers.dp)
        parameters.add("rsa-exponent2", number: numbers.dq)
        parameters.add("rsa-coefficient1", number: numbers.qi)
        return try parameters.makeKey("RSA", isPrivate: true)
    }

    /// A key on a curve; libcrypto refuses a point that is not on it.
    static func ec(
        _ curve: EllipticCurve, x: [UInt8], y: [UInt8], d: [UInt8]? = nil
    ) throws(KeyError) -> KeyHandle {
        var parameters = KeyParameters()
        parameters.add(OSSL_PKEY_PARAM_GROUP_NAME, text: curve.groupName)
        parameters.add(OSSL_PKEY_PARAM_PUB_KEY, bytes: [0x04] + x + y)
        if let d { parameters.add(OSSL_PKEY_PARAM_PRIV_KEY, number: d) }
        do {
            return try parameters.makeKey("EC", isPrivate: d != nil)
        } catch {
            throw .pointNotOnCurve
        }
    }

    static func octets(_ curve: OctetCurve, x: [UInt8]) throws(KeyError) -> KeyHandle {
        let key = EVP_PKEY_new_raw_public_key_ex(nil, curve.rawValue, nil, x, x.count)
        guard let handle = KeyHandle(owning: key) else { throw .library(.drain("public key")) }
        return handle
    }

    static func octets(_ curve: OctetCurve, d: [UInt8]) throws(KeyError) -> KeyHandle {
        let key = EVP_PKEY_new_raw_private_key_ex(nil, curve.rawValue, nil, d, d.count)
        guard let handle = KeyHandle(owning: key) else { throw .library(.drain("private key")) }
        return handle
    }

    /// A new key from the random generator.
    static func generate(_ type: KeyType) throws(OpenSSLError) -> KeyHandle {
        let key =
            switch type {
            // 2048 bits: the least RFC 7518 §3.3 allows and what every provider accepts.
            case .rsa: fr_generate_rsa(2048)
            case .ec(let curve): fr_generate_ec(curve.groupName)
            case .ed25519: fr_generate_octets(OctetCurve.ed25519.rawValue)
            case .ed448: fr_generate_octets(OctetCurve.ed448.rawValue)
            case .x25519: fr_generate_octets(OctetCurve.x25519.rawValue)
            }
        guard let handle = KeyHandle(owning: key) else { throw .drain("key generation") }
        return handle
    }
}

/// The numbers of an RSA private key, named as in a JWK (RFC 7518 §6.3).
struct RSAPrivateNumbers {
    let n, e, d, p, q, dp, dq, qi: [UInt8]
}

/// Owns an OSSL_PARAM_BLD and, until the key is made, everything it points to.
private struct KeyParameters: ~Copyable {
    private let builder = OSSL_PARAM_BLD_new()
    private var numbers: [OpaquePointer] = []
    private var buffers: [UnsafeMutableRawBufferPointer] = []
    private var isComplete = true

    deinit {
        OSSL_PARAM_BLD_free(builder)
        for number in numbers { BN_clear_free(number) }
        for buffer in buffers {
            OPENSSL_cleanse(buffer.baseAddress, buffer.count)
            buffer.deallocate()
        }
    }

    mutating func add(_ name: String, number bytes: [UInt8]) {
        let name = hold(text: name)
        guard let builder, let number = BN_bin2bn(bytes, Int32(clamping: bytes.count), nil) else {
            return isComplete = false
        }
        numbers.append(number)
        note(OSSL_PARAM_BLD_push_BN(builder, name, number))
    }

    mutating func add(_ name: String, bytes: [UInt8]) {
        let name = hold(text: name)
        let buffer = hold(bytes)
        guard let builder else { return isComplete = false }
        note(OSSL_PARAM_BLD_push_octet_string(builder, name, buffer.baseAddress, buffer.count))
    }

    mutating func add(_ name: String, text: String) {
        let name = hold(text: name)
        let value = hold(text: text)
        guard let builder else { return isComplete = false }
        note(OSSL_PARAM_BLD_push_utf8_string(builder, name, value, 0))
    }

    private mutating func note(_ result: Int32) {
        isComplete = isComplete && result == 1
    }

    /// The builder and the parameters made from it keep the pointers to names and texts, so we keep those.
    private mutating func hold(text: String) -> UnsafePointer<CChar>? {
        let buffer = hold(Array(text.utf8) + [0])
        return UnsafePointer(buffer.baseAddress?.assumingMemoryBound(to: CChar.self))
    }

    private mutating func hold(_ bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        buffer.copyBytes(from: bytes)
        buffers.append(buffer)
        return buffer
    }

    consuming func makeKey(_ type: String, isPrivate: Bool) throws(KeyError) -> KeyHandle {
        guard isComplete, let builder, let parameters = OSSL_PARAM_BLD_to_param(builder) else {
            throw .library(.drain("\(type) key"))
        }
        defer { OSSL_PARAM_free(parameters) }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, type, nil) else {
            throw .library(.drain("\(type) key"))
        }
        defer { EVP_PKEY_CTX_free(context) }
        let selection = isPrivate ? fr_selection_keypair() : fr_selection_public_key()
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &key, selection, parameters) == 1,
            let handle = KeyHandle(owning: key)
        else { throw .library(.drain("\(type) key")) }
        return handle
    }
}
