package import JOSE

/// A request to a resource, before it bears an access token.
package struct ResourceRequest: Sendable {
    package let method: HTTPMethod
    /// Absolute; without a fragment.
    package let url: String
    /// Without what bears the token.
    package let fields: [HTTPField]
    package let body: [UInt8]?

    package init(method: HTTPMethod, url: String, fields: [HTTPField], body: [UInt8]?) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }

    /// The request with a token for whoever has it (RFC 6750 §2.1).
    package func bearing(_ token: Secret) -> HTTPRequest {
        request([HTTPField("Authorization", "Bearer \(token.reveal())")])
    }

    /// The request with a token that is bound to a key, and the proof of that key (RFC 9449 §7.1).
    ///
    /// - Parameters:
    ///   - randomBytes: As for `DPoPProof.make`; a repeated request needs others.
    ///   - now: Milliseconds since 1970.
    ///   - nonce: The newest that the server gave.
    package func bearing(
        _ token: Secret, boundTo key: DPoPKey, randomBytes: [UInt8], now: Int64, nonce: String?
    ) throws(KeyError) -> HTTPRequest {
        let proof = try DPoPProof.make(
            key: key, method: method, url: url, randomBytes: randomBytes, now: now, nonce: nonce,
            accessToken: token)
        return request([
            HTTPField("Authorization", "\(DPoPProof.scheme) \(token.reveal())"),
            HTTPField(DPoPProof.field, proof.reveal()),
        ])
    }

    private func request(_ credentials: [HTTPField]) -> HTTPRequest {
        HTTPRequest(method: method, url: url, fields: fields + credentials, body: body)
    }
}
