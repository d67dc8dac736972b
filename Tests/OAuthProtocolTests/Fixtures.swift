import JOSE
import OAuthProtocol

/// Values that most tests share, each with a default for everything that the test is not about.
enum Fixture {
    static let issuer = "https://op.example"
    static let clientID = "client-1"
    /// 2026-01-01T00:00:00Z in milliseconds.
    static let now: Int64 = 1_767_225_600_000

    static func bytes(_ count: Int, from first: UInt8 = 0) -> [UInt8] {
        (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0) }
    }

    static func transaction(
        wantsNonce: Bool = true, pkce: PKCE.Method? = .s256(), issuer: String? = issuer,
        scopes: [String] = ["openid", "email"], maxAge: Int? = nil, acrValues: [String] = []
    ) -> AuthorizationTransaction {
        AuthorizationTransaction(
            randomBytes: bytes(96), wantsNonce: wantsNonce, pkce: pkce,
            redirectURI: "http://127.0.0.1:8400/callback", issuer: issuer, clientID: clientID,
            scopes: scopes, maxAge: maxAge, acrValues: acrValues, createdAt: now)
    }

    static func registration(
        _ method: ClientAuthenticationMethod = .clientSecretPost, secret: String? = "s3cret"
    ) -> ClientRegistration {
        ClientRegistration(
            clientID: clientID, secret: secret.map { Secret($0, kind: .clientSecret) },
            authenticationMethod: method)
    }

    static func response(
        _ body: String, status: Int = 200, type: String? = "application/json", fields: [HTTPField] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, fields: (type.map { [HTTPField("Content-Type", $0)] } ?? []) + fields,
            body: Array(body.utf8))
    }

    /// RFC 7515 Appendix A.3.
    static func es256Key() throws -> PrivateKey {
        try PrivateKey(jwk: [
            "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
            "d": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
        ])
    }

    /// RFC 8037 Appendix A.1.
    static func ed25519Key() throws -> PrivateKey {
        try PrivateKey(jwk: [
            "kty": "OKP", "crv": "Ed25519", "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
            "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        ])
    }

    static func keys() throws -> JWKSet {
        try JWKSet.parse([
            "keys": [
                es256Key().publicJWK(kid: "k1", alg: .es256), ed25519Key().publicJWK(kid: "k2", alg: .edDSA),
            ]
        ])
    }

    static func claims(_ changes: [(String, JSONValue?)] = []) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(issuer), "sub": "user-1", "aud": .string(clientID), "exp": .int(now / 1000 + 600),
            "iat": .int(now / 1000), "nonce": .string(transaction().nonce?.reveal() ?? ""),
        ]
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    static func token(_ claims: JSONObject, header: JSONObject = ["kid": "k1"]) throws -> Secret {
        let payload = Array(JSONValue.object(claims).serialize().utf8)
        let text = try JWS.sign(header: header, payload: payload, key: es256Key(), algorithm: .es256)
        return Secret(text, kind: .idToken)
    }

    static func verified(_ claims: JSONObject) throws -> VerifiedJWS {
        try JWS.verify(JWS.split(token(claims).reveal()), keys: keys(), allowed: [.es256])
    }
}

/// The error that the body throws, with the log that it filled.
func failure<Value>(
    _ body: (inout CheckLog) throws(ProtocolError) -> Value
) -> (error: ProtocolError?, log: CheckLog) {
    var log = CheckLog()
    do throws(ProtocolError) {
        _ = try body(&log)
        return (nil, log)
    } catch {
        return (error, log)
    }
}

extension CheckLog {
    func verdict(_ check: Check) -> CheckVerdict? {
        results.last { $0.check == check }?.verdict
    }

    var passedNames: [String] {
        results.filter { $0.verdict == .passed }.map(\.check.name)
    }
}

extension RequestPlan {
    /// Query parameters as name and value, decoded from the URL that is sent.
    var sentQuery: [String] {
        QueryItems.parse(url.drop { $0 != "?" }.dropFirst())?.map { "\($0.name)=\($0.value)" } ?? []
    }
}

extension HTTPRequest {
    var text: String { String(decoding: body ?? [], as: UTF8.self) }

    func field(_ name: String) -> String? {
        fields.first { $0.name == name }?.value
    }
}
