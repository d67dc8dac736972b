import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

extension CatalogueWorld.Answers {
    /// A provider of plain OAuth 2.0.
    static func plain(
        token: JSONObject = [:], userinfo: JSONObject = [:], callback: [(name: String, value: String)] = []
    ) -> Self {
        let response = CatalogueWorld.json(Self.tokens(token))
        var answers = Self()
        answers.token = { _ in response }
        answers.userinfo = CatalogueWorld.json(userinfo)
        answers.callback += callback
        return answers
    }

    /// The usual token response.
    ///
    /// - Parameter changes: Members to set, or to leave out when null.
    static func tokens(_ changes: JSONObject = [:]) -> JSONObject {
        var body: JSONObject = [
            "access_token": "AT-1", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "RT-1",
        ]
        for (name, value) in changes { body[name] = value.present }
        return body
    }

    /// A provider of OpenID Connect with metadata.
    ///
    /// - Parameters:
    ///   - issuer: As the metadata names it, and the ID token unless `claims` say otherwise.
    ///   - sendsNonce: Whether ID tokens bear the nonce of the request.
    static func openID(
        _ issuer: String, claims: JSONObject = [:], token: JSONObject = [:], userinfo: JSONObject = [:],
        sendsNonce: Bool = true, callback: [(name: String, value: String)] = []
    ) -> Self {
        var answers = Self()
        answers.metadata = ["issuer": .string(issuer), "id_token_signing_alg_values_supported": ["ES256"]]
        for name in ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"] {
            answers.metadata[name] = .string("https://op.example/\(name)")
        }
        answers.token = { nonce in
            var all = claims
            if all["iss"] == nil { all["iss"] = .string(issuer) }
            all["aud"] = "CLIENT-ID-1"
            let idToken = try TestKey.idToken(all, nonce: sendsNonce ? nonce : nil)
            var changes = token
            changes["id_token"] = .string(idToken)
            return CatalogueWorld.json(tokens(changes))
        }
        answers.userinfo = CatalogueWorld.json(userinfo)
        answers.callback += callback
        return answers
    }
}

extension CatalogueRun {
    /// A session that an earlier run stored, about to be renewed.
    static func renew(
        _ provider: String, _ client: Client = Client(), session changes: JSONObject = [:],
        redirectURI: String? = nil, flow: String = FlowTexts.renew(), answers: CatalogueWorld.Answers
    ) async throws -> CatalogueRun {
        let bound = try bind(provider, client)
        var record: JSONObject = [
            "version": 1, "client_id": "CLIENT-ID-1", "issuer": .string(bound.sessionIssuer),
            "access_token": "AT-0", "refresh_token": "RT-0", "token_type": "Bearer", "scopes": [],
            "obtained_at": .int(ManualClock.start - 86_400_000),
            "expires_at": .int(ManualClock.start - 60_000),
        ]
        for (name, value) in changes { record[name] = value.present }
        var answers = answers
        answers.session = StoredSession(
            bytes: Array(JSONValue.object(record).serialize().utf8), generation: 7)
        return try await signIn(bound, redirectURI: redirectURI, flow: flow, answers: answers)
    }

    /// What a flow reads as the profile.
    var profile: JSONObject? {
        guard case .json(let value)? = outcome.end.outputs.first(where: { $0.name == "profile" })?.value
        else { return nil }
        return value.objectValue
    }

    /// Expects the stored session to hold these members, and none of those given as null.
    func expectSaved(_ members: JSONObject, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let saved = try #require(world.saved, sourceLocation: sourceLocation)
        for (name, value) in members {
            #expect(saved[name] ?? .null == value, "\(name)", sourceLocation: sourceLocation)
        }
    }

    /// The error code that a step ended with.
    func error(of step: String) -> String? {
        events.stepEnds.last { $0.step == step }?.end.error
    }
}
