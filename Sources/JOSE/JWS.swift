internal import Synchronization

/// Compact JSON Web Signatures.
///
/// - SeeAlso: RFC 7515, RFC 8725
package enum JWS {
    /// The longest text we split: several times the largest ID token with group claims.
    package static let maximumLength = 64 * 1024
    /// How many keys are tried for a token without `kid`; bounds the work one token can cause.
    package static let maximumCandidates = 8

    /// Splits a compact signature and reads its header; verifies nothing.
    ///
    /// The signature may be empty, as that of an unsecured token is (RFC 7515 §A.5): to verify it is what fails.
    ///
    /// - Throws: `malformed`; `criticalHeader` when the header has `crit` or `b64`.
    package static func split(_ compact: String) throws(JWSError) -> UnverifiedJWS {
        guard compact.utf8.count <= maximumLength else { throw .malformed(.tooLong(limit: maximumLength)) }
        return try withBytes(of: compact.utf8) { text in
            Result { () throws(JWSError) in try split(text) }
        }.get()
    }

    private static func split(_ text: UnsafeBufferPointer<UInt8>) throws(JWSError) -> UnverifiedJWS {
        let dot = UInt8(ascii: ".")
        guard let first = text.firstIndex(of: dot, from: 0),
            let second = text.firstIndex(of: dot, from: first + 1),
            text.firstIndex(of: dot, from: second + 1) == nil
        else { throw .malformed(text.count { $0 == dot } == 4 ? .encrypted : .partCount) }
        let headerText = UnsafeBufferPointer(rebasing: text[..<first])
        let known = known(headerText)
        let headerBytes = known == nil ? try part(.header, text[..<first]) : []
        let payload = try part(.payload, text[(first + 1)..<second])
        let rest = text[(second + 1)...]
        let signature = rest.isEmpty ? [] : try part(.signature, rest)
        let header: JWSHeader
        if let known { header = known } else { header = try read(headerBytes, headerText) }
        return UnverifiedJWS(
            header: header, payload: payload, signature: signature,
            signingInput: Array(text[..<second]))
    }

    /// The header that was read last: the tokens of one issuer have the same for months.
    private static let latest = Mutex<(text: [UInt8], header: JWSHeader)?>(nil)

    private static func known(_ text: UnsafeBufferPointer<UInt8>) -> JWSHeader? {
        latest.withLock { latest in
            latest.flatMap { $0.text.withUnsafeBufferPointer(text.hasSameBytes) ? $0.header : nil }
        }
    }

    private static func read(
        _ bytes: [UInt8], _ text: UnsafeBufferPointer<UInt8>
    ) throws(JWSError) -> JWSHeader {
        let header = try JWSHeader(bytes)
        latest.withLock { $0 = (Array(text), header) }
        return header
    }

    private static func part(
        _ part: JWSError.Part, _ text: Slice<UnsafeBufferPointer<UInt8>>
    ) throws(JWSError) -> [UInt8] {
        guard !text.isEmpty else { throw .malformed(.emptyPart(part)) }
        guard let bytes = Base64URL.decode(UnsafeBufferPointer(rebasing: text)) else {
            throw .malformed(.notBase64URL(part))
        }
        return bytes
    }

    /// Signs the payload; `alg` is put first into the header, which need not name it.
    ///
    /// - Throws: `headerAlgorithmMismatch` when the header names another; what `PrivateKey.sign` throws.
    package static func sign(
        header: JSONObject, payload: some Collection<UInt8>, key: PrivateKey, algorithm: SignatureAlgorithm
    ) throws(KeyError) -> String {
        let (input, algorithm) = try signingInput(header, payload, algorithm)
        let signature = try key.sign(input.utf8, algorithm: algorithm)
        return input + "." + Base64URL.encode(signature)
    }

    /// What is signed, and the algorithm that the header then names.
    static func signingInput(
        _ header: JSONObject, _ payload: some Collection<UInt8>, _ algorithm: SignatureAlgorithm
    ) throws(KeyError) -> (input: String, algorithm: SignatureAlgorithm) {
        var algorithm = algorithm
        if let named = header["alg"] {
            let narrowed = named.stringValue.flatMap(SignatureAlgorithm.init(name:))?.narrowed(to: algorithm)
            guard let narrowed else { throw .headerAlgorithmMismatch }
            algorithm = narrowed
        }
        let name: JSONObject.Member = ("alg", header["alg"] ?? .string(algorithm.rawValue))
        let header = Base64URL.encode(JSONObject([name] + header.members).serialize().utf8)
        return (header + "." + Base64URL.encode(payload), algorithm)
    }
}

/// A signature that was taken apart and not verified; nothing in it may be believed.
package struct UnverifiedJWS: Sendable {
    package let header: JWSHeader
    /// The payload as the sender wrote it.
    package let payload: [UInt8]
    package let signature: [UInt8]
    /// The bytes the signature covers.
    package let signingInput: [UInt8]
}
