internal import JOSE
internal import OAuthProtocol

/// The parameters of a request object, once its signature and claims are checked (RFC 9101 §6).
enum SignedRequest {
    /// What the object is about itself, and no parameter of the request.
    private static let ownClaims: Set<String> = ["iss", "aud", "exp", "nbf", "iat", "jti", "sub"]

    /// - Parameters:
    ///   - issuer: Of the sandbox, the only audience.
    ///   - now: Seconds since 1970.
    /// - Throws: `invalid_request_object` with the rule that it breaks.
    static func parameters(
        of object: String, client: SandboxClient, issuer: String, now: Int64
    ) throws(RequestFlaw) -> Parameters {
        let jwt =
            ClientJWT.verify(object, of: client, usesSecret: false)
            ?? ClientJWT.verify(object, of: client, usesSecret: true)
        guard let jwt else { throw invalid("the client did not sign it") }
        guard jwt.header.typ?.equalsIgnoringASCIICase(RequestObject.type) == true else {
            throw invalid("typ is not oauth-authz-req+jwt")
        }
        guard jwt.claims.iss?.hasBytes(of: client.id) == true else { throw invalid("iss is not the client") }
        guard jwt.isFor(issuer) else { throw invalid("aud is not the issuer as a text") }
        guard jwt.isCurrent(now) else { throw invalid("it is expired, not yet good, or good for too long") }
        guard jwt.claims.raw["client_id"]?.stringValue?.hasBytes(of: client.id) == true else {
            throw invalid("client_id is not the client")
        }
        guard jwt.claims.raw["request"] == nil, jwt.claims.raw["request_uri"] == nil else {
            throw invalid("it holds another request")
        }
        return Parameters(jwt.claims.raw.members.flatMap { items($0.key, $0.value) })
    }

    /// The texts that the same parameters would have in a query.
    private static func items(_ name: String, _ value: JSONValue) -> [(name: String, value: String)] {
        guard !ownClaims.contains(name) else { return [] }
        if name == "resource", let values = value.arrayValue {
            return values.compactMap(\.stringValue).map { (name, $0) }
        }
        return [(name, value.stringValue ?? value.serialize())]
    }

    private static func invalid(_ reason: String) -> RequestFlaw {
        RequestFlaw("invalid_request_object", "the request object is refused: \(reason)")
    }
}
