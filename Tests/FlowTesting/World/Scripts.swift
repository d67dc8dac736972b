package import FlowEngine
package import JOSE
internal import OAuthProtocol

/// The parts of scripts that most runs have in common.
package enum Scripts {
    /// An `authorize` whose endpoints are known, shown in a browser.
    package static let authorize = [
        ScriptedEffect("open redirect", .redirectOpened(uri: "http://127.0.0.1:5000/callback")),
        ScriptedEffect("randomness", .randomness(Markers.randomness)),
        ScriptedEffect("present", .presented(how: "a browser")),
    ]

    /// Metadata that nobody has kept is fetched.
    ///
    /// - Parameter changes: Of its members.
    package static func discovered(_ changes: JSONObject = [:]) -> [ScriptedEffect] {
        [
            ScriptedEffect("recall metadata", .nothingKept),
            ScriptedEffect("http discovery", Answers.metadata(changes)), ScriptedEffect("keep metadata"),
        ]
    }

    /// The answer to the authorization request.
    ///
    /// - Parameter changes: Parameters to set, or to leave out when nil.
    package static func callback(_ changes: [(String, String?)] = [], after duration: Int64 = 0)
        -> ScriptedEffect
    {
        ScriptedEffect("await callback", after: duration, answer(changes))
    }

    /// What the browser brings back, as the world reports it.
    package static func answer(_ changes: [(String, String?)] = []) -> InputEvent {
        let standard: [(String, String?)] = [
            ("code", Markers.code), ("state", Markers.state), ("iss", "https://p.example"),
        ]
        let kept = standard.filter { item in !changes.contains { $0.0 == item.0 } }
        let parameters = (kept + changes).compactMap { name, value in value.map { (name: name, value: $0) } }
        return .callback(parameters, channel: "loopback")
    }

    /// A token response for the code, with a valid ID token unless another answer is given.
    package static func exchange(_ answer: InputEvent? = nil) throws -> ScriptedEffect {
        ScriptedEffect("http token", try answer ?? Answers.signedIn())
    }

    /// A `verify` that finds the provider's keys kept.
    /// - Parameters:
    ///   - age: Since they were fetched, in milliseconds.
    ///   - isForced: Whether they were fetched because a key was unknown.
    package static func keys(
        kid: String = TestKey.kid, age: Int64 = 0, isForced: Bool = false
    ) throws -> ScriptedEffect {
        let origin = DocumentOrigin(url: "", fetchedAt: ManualClock.start - age, isForced: isForced)
        return ScriptedEffect("recall keys", .keys(try TestKey.keys(kid: kid), origin))
    }

    package static let userinfo = ScriptedEffect("http userinfo", Answers.person)
    package static let save = ScriptedEffect("save session", .saved(generation: 1))
    /// What replaces a session that was read.
    package static let replace = [
        ScriptedEffect("lock", .locked), ScriptedEffect("save session", .saved(generation: 9)),
        ScriptedEffect("unlock"),
    ]
    package static let goodEnd = ScriptedEffect("conclude well")
    package static let badEnd = ScriptedEffect("conclude badly")

    /// Everything up to the code.
    package static var untilCode: [ScriptedEffect] { authorize + [callback()] }

    /// Everything up to the ID token, which `claims` and `nonce` shape.
    package static func untilTokens(_ answer: InputEvent? = nil) throws -> [ScriptedEffect] {
        untilCode + [try exchange(answer)]
    }

    /// A whole sign-in that succeeds.
    package static func signIn() throws -> [ScriptedEffect] {
        try untilTokens() + [try keys(), userinfo, save, goodEnd]
    }

    /// The session that an earlier run stored.
    package static func load(_ set: StoredTokens = StoredTokens(), generation: Int64 = 7) -> ScriptedEffect {
        ScriptedEffect("load session", .session(StoredSession(bytes: set.bytes, generation: generation)))
    }
}

/// A session of the standard provider and `person-1` as the store holds it, written without the engine's help.
package struct StoredTokens: Sendable {
    package var accessToken = Markers.accessToken
    package var refreshToken: String? = Markers.refreshToken
    package var refreshExpiresAt: Int64?
    package var expiresAt: Int64? = ManualClock.start + 3_600_000
    package var lifetime: Int64?
    package var scopes = ["openid", "email"]
    package var subject: String? = "person-1"
    package var authTime: Int64?
    package var refreshedAt: Int64?
    package var acr: String?
    package var clientID = Markers.clientID
    package var issuer = "https://p.example"
    package var version: Int64 = 1
    package var meta: JSONObject = [:]
    package var key: String?
    package var idToken: String?
    package var held: [HeldToken] = []
    /// Where those who signed in let the tokens be sent.
    package var destinations: [String]?

    package init() {}

    /// An access token for less than everything.
    package struct HeldToken: Sendable {
        package var accessToken = Markers.narrowToken
        package var asked: [String]?
        package var resources: [String] = []
        package var expiresAt: Int64? = ManualClock.start + 3_600_000

        package static let api = HeldToken(resources: ["https://api.example/"])
        package static let both = HeldToken(asked: ["email", "openid"])

        package func with(_ change: (inout HeldToken) -> Void) -> HeldToken {
            var copy = self
            change(&copy)
            return copy
        }

        fileprivate var record: JSONValue {
            var record: JSONObject = [
                "access_token": .string(accessToken), "token_type": "Bearer",
                "scopes": .array((asked ?? ["openid", "email"]).map { .string($0) }),
                "resources": .array(resources.map { .string($0) }),
            ]
            record["asked"] = asked.map { .array($0.map { .string($0) }) }
            record["expires_at"] = expiresAt.map { .int($0) }
            return .object(record)
        }
    }

    /// One whose access token died a minute ago.
    package static var expired: StoredTokens {
        StoredTokens().with { $0.expiresAt = ManualClock.start - 60_000 }
    }

    package func with(_ change: (inout StoredTokens) -> Void) -> StoredTokens {
        var copy = self
        change(&copy)
        return copy
    }

    package var bytes: [UInt8] {
        var record: JSONObject = [
            "version": .int(version), "client_id": .string(clientID), "issuer": .string(issuer),
            "access_token": .string(accessToken), "token_type": "Bearer",
            "scopes": .array(scopes.map { .string($0) }), "obtained_at": .int(ManualClock.start - 86_400_000),
        ]
        record["id_token"] = idToken.map { .string($0) }
        record["held"] = held.isEmpty ? nil : .array(held.map(\.record))
        record["meta"] = meta.isEmpty ? nil : .object(meta)
        record["key"] = key.map { .string($0) }
        record["refresh_token"] = refreshToken.map { .string($0) }
        record["refresh_expires_at"] = refreshExpiresAt.map { .int($0) }
        record["expires_at"] = expiresAt.map { .int($0) }
        record["subject"] = subject.map { .string($0) }
        record["iss"] = subject == nil ? nil : .string(issuer)
        record["auth_time"] = authTime.map { .int($0) }
        record["lifetime"] = lifetime.map { .int($0) }
        record["refreshed_at"] = refreshedAt.map { .int($0) }
        record["acr"] = acr.map { .string($0) }
        record["destinations"] = destinations.map { .array($0.map { .string($0) }) }
        return Array(JSONValue.object(record).serialize().utf8)
    }
}
