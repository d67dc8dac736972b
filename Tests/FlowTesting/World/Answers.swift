package import FlowEngine
package import JOSE
package import OAuthProtocol

/// Answers of a provider.
package enum Answers {
    package static func json(_ status: Int, _ body: JSONObject = [:], _ fields: [HTTPField] = [])
        -> InputEvent
    {
        text(
            status, JSONValue.object(body).serialize(),
            [HTTPField("Content-Type", "application/json")] + fields)
    }

    package static func text(_ status: Int, _ body: String, _ fields: [HTTPField] = []) -> InputEvent {
        .answered(
            HTTPResponse(status: status, fields: fields, body: Array(body.utf8)), ExchangeTiming(total: 12))
    }

    package static func lost(_ delivery: TransportTrouble.Delivery, cause: String = "reset") -> InputEvent {
        .unanswered(
            TransportTrouble(delivery: delivery, cause: cause, message: "the connection was \(cause)"))
    }

    /// A token response with marker tokens.
    ///
    /// - Parameter changes: Members to set, or to leave out when null.
    package static func tokens(_ changes: JSONObject = [:]) -> InputEvent {
        var body: JSONObject = [
            "access_token": .string(Markers.accessToken), "token_type": "Bearer", "expires_in": 3600,
            "refresh_token": .string(Markers.refreshToken), "scope": "openid email",
        ]
        for (name, value) in changes { body[name] = value.present }
        return json(200, body)
    }

    package static func signedIn(
        _ claims: JSONObject = [:], kid: String = TestKey.kid, nonce: String? = Markers.nonce
    ) throws -> InputEvent {
        tokens(["id_token": .string(try TestKey.idToken(claims, kid: kid, nonce: nonce))])
    }

    /// New tokens without an ID token.
    package static func renewed(_ changes: JSONObject = [:]) -> InputEvent {
        var all: JSONObject = [
            "access_token": .string(Markers.renewedToken), "refresh_token": .string(Markers.rotatedToken),
        ]
        for (name, value) in changes { all[name] = value }
        return tokens(all)
    }

    package static let person = json(200, ["sub": "person-1", "name": "Ada", "email": "ada@example.com"])

    /// The provider's metadata document.
    package static func metadata(_ changes: JSONObject = [:]) -> InputEvent {
        json(200, metadataDocument(changes))
    }

    package static func metadataDocument(_ changes: JSONObject = [:]) -> JSONObject {
        var document: JSONObject = ["issuer": "https://p.example"]
        let paths = ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"]
        for name in paths { document[name] = .string("https://p.example/\(name)") }
        for (name, value) in changes { document[name] = value.present }
        return document
    }
}
