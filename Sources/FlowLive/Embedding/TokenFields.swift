public import FlowEngine
internal import JOSE
public import OAuthProtocol

extension FlowResult.Tokens {
    /// The header fields in which a request of the program's own bears the access token, by name; `reveal()` gives each in
    /// clear, where it is sent.
    ///
    /// Of a bearer token that is `Authorization` (RFC 6750 §2.1). Of one that is bound to a key it is `Authorization` of
    /// the scheme `DPoP`, and `DPoP` with a proof of the key that is kept with the session (RFC 9449 §7.1). A proof is
    /// good for one sending: ask for other fields where a request is repeated, and where it follows a redirect.
    ///
    /// - Parameters:
    ///   - method: Of the request: `GET`, `POST`, `PUT`, `PATCH`, `DELETE` or `HEAD`.
    ///   - url: Of the request: `https`, or `http` on the loopback address. A proof leaves its query out.
    ///   - nonce: The newest `DPoP-Nonce` that this server gave. One that wants a nonce answers 401 with it and the
    ///     error `use_dpop_nonce`: send once more then, with fields that are made with it (RFC 9449 §9).
    ///   - texts: What a failure tells a person.
    /// - Throws: `input_invalid` for another method or URL; `unsupported` for a token of another type, and for a `DPoP`
    ///   token without its key, such as one that a test has made; `corrupt` where the key cannot be used; `randomness`
    ///   where the system gives no random bytes.
    public func headerFields(
        for method: String, _ url: String, nonce: String? = nil, texts: FailureTexts = .english
    ) throws(SignInFailure) -> [String: Secret] {
        func failure(_ code: String, _ detail: String) -> SignInFailure {
            SignInFailure(before: code, detail: detail, texts)
        }
        guard let method = HTTPMethod(rawValue: method) else {
            throw failure(
                FailureCode.inputInvalid, "the method is none of GET, POST, PUT, PATCH, DELETE and HEAD")
        }
        // Whatever is wrong with the address, no token goes there.
        guard (try? EndpointURL(url, allowLoopbackHTTP: true)) != nil else {
            throw failure(
                FailureCode.inputInvalid, "tokens go to https URLs, and to http ones of the loopback address")
        }
        guard tokenType.equalsIgnoringASCIICase(proofKey == nil ? "Bearer" : DPoPProof.scheme) else {
            let isKeyMissing = tokenType.equalsIgnoringASCIICase(DPoPProof.scheme)
            throw failure(
                "unsupported",
                isKeyMissing
                    ? "the key that the token is bound to is not known"
                    : "no request can bear a token of the type \(RemoteText.sanitize(tokenType, limit: 40))")
        }
        let request = ResourceRequest(method: method, url: url, fields: [], body: nil)
        do {
            let key = try proofKey.map { try DPoPKey(SigningKeyText.read($0).key) }
            let fields = try request.bearing(accessToken, boundTo: key, nonce: nonce).fields
            return Dictionary(
                uniqueKeysWithValues: fields.map { ($0.name, Secret($0.value, kind: .authorization)) })
        } catch is KeyError {
            throw failure("corrupt", "the key that the token is bound to cannot be used")
        } catch {
            throw failure("randomness", "a proof needs random bytes")
        }
    }
}
