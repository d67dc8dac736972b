internal import COpenSSL

/// PEM in both directions.
extension KeyHandle {
    static func readPEM(_ pem: String) throws(KeyError) -> KeyHandle {
        // Both forms name it: "BEGIN ENCRYPTED PRIVATE KEY" (PKCS#8), "Proc-Type: 4,ENCRYPTED" (RFC 1421).
        guard !pem.contains("ENCRYPTED") else { throw .encryptedPEM }
        var bytes = Array(pem.utf8)
        defer { OPENSSL_cleanse(&bytes, bytes.count) }
        let key = bytes.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            // The BIO reads from the buffer, which outlives it.
            guard let source = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                return nil
            }
            defer { BIO_free(source) }
            // Without a callback libcrypto would ask for a passphrase on the terminal.
            return PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let handle = KeyHandle(owning: key) else {
            OpenSSLError.forget()
            throw .notPEM
        }
        return handle
    }

    func writePEM() throws(KeyError) -> String {
        guard let sink = BIO_new(BIO_s_mem()) else { throw .library(.drain("PEM")) }
        defer { BIO_free(sink) }
        let written = withKey { PEM_write_bio_PKCS8PrivateKey(sink, $0, nil, nil, 0, nil, nil) }
        guard written == 1 else { throw .library(.drain("PEM")) }
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(sink))
        defer { OPENSSL_cleanse(&bytes, bytes.count) }
        guard BIO_read(sink, &bytes, Int32(clamping: bytes.count)) == Int32(clamping: bytes.count) else {
            throw .library(.drain("PEM"))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension KeyHandle {
    /// The public numbers of the key.
    func publicMaterial() throws(KeyError) -> KeyMaterial {
        switch type {
        case .rsa:
            guard let n = number(OSSL_PKEY_PARAM_RSA_N), let e = number(OSSL_PKEY_PARAM_RSA_E) else {
                throw .library(.drain("RSA public key"))
            }
            return .rsa(n: n, e: e)
        case .ec(let curve):
            guard let x = number(OSSL_PKEY_PARAM_EC_PUB_X), let y = number(OSSL_PKEY_PARAM_EC_PUB_Y) else {
                throw .library(.drain("EC public key"))
            }
            return .ec(
                curve, x: x.padded(to: curve.coordinateLength), y: y.padded(to: curve.coordinateLength))
        case .ed25519: return try octets(.ed25519)
        case .ed448: return try octets(.ed448)
        case .x25519: return try octets(.x25519)
        case nil:
            throw .unsupportedKeyType(typeName)
        }
    }

    private func octets(_ curve: OctetCurve) throws(KeyError) -> KeyMaterial {
        guard let x = rawPublicKey(curve) else { throw .library(.drain("\(curve.rawValue) public key")) }
        return .octets(curve, x: x)
    }

    /// Reads a JWK with its private members and checks that they belong together.
    ///
    /// - Parameter isOwn: Whether an RSA key is a constant of ours, whose parts need no check.
    static func readPrivateJWK(_ members: JSONObject, isOwn: Bool) throws(KeyError) -> KeyHandle {
        let material = try KeyMaterial(members)
        try material.check()
        let d = try members.bytes("d")
        let handle: KeyHandle
        switch material {
        case .rsa(let n, let e):
            handle = try .rsa(
                RSAPrivateNumbers(
                    n: n, e: e, d: d, p: members.bytes("p"), q: members.bytes("q"), dp: members.bytes("dp"),
                    dq: members.bytes("dq"), qi: members.bytes("qi")))
            if isOwn { return handle }
            guard handle.signs(for: try PublicKey(material)) else { throw .inconsistentKeyPair }
            return handle
        case .ec(let curve, let x, let y):
            guard d.count == curve.coordinateLength else { throw .invalidMember("d") }
            handle = try .ec(curve, x: x, y: y, d: d)
        case .octets(let curve, let x):
            guard d.count == curve.keyLength else { throw .invalidMember("d") }
            handle = try .octets(curve, d: d)
            guard handle.rawPublicKey(curve) == x else { throw .inconsistentKeyPair }
            return handle
        }
        guard handle.isConsistentPair() else { throw .inconsistentKeyPair }
        return handle
    }

    /// Whether a signature of the private part verifies with that public key.
    ///
    /// libcrypto's own pairwise check of an RSA key tests its primes anew, which takes some thirty times as long.
    private func signs(for publicKey: PublicKey) -> Bool {
        let message = Array("pair".utf8)
        guard case .success(let signature) = message.withUnsafeBufferPointer({ sign($0, .rs256) }) else {
            return false
        }
        return publicKey.verify(signature: signature, of: message, algorithm: .rs256)
    }
}

extension [UInt8] {
    /// The number with leading zeros up to that length.
    fileprivate func padded(to length: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: Swift.max(0, length - count)) + self
    }
}
