/// The one table of fault names: what can be written for which target.
enum FaultCatalogue {
    /// What stands behind a name's `=`.
    enum Value: Sendable {
        /// Nothing: the name is complete, an `=` in it included.
        case none(Fault.Action)
        /// A whole number of seconds.
        case seconds(@Sendable (Int) -> Fault.Action)
        /// Nothing or seconds.
        case optionalSeconds(@Sendable (Int?) -> Fault.Action)
        /// A number with `ms` or `s`.
        case duration(@Sendable (Int) -> Fault.Action)
    }

    struct Entry: Sendable {
        let name: String
        let targets: [Fault.Target]
        let value: Value

        init(_ name: String, _ targets: [Fault.Target], _ value: Value) {
            self.name = name
            self.targets = targets
            self.value = value
        }

        /// How the name is shown, with an example of its value.
        var spelling: String {
            switch value {
            case .none, .optionalSeconds: name
            case .seconds: "\(name)=1"
            case .duration: "\(name)=5s"
            }
        }
    }

    static let entries: [Entry] = answers + errors + contents + idTokenDefects + callbackDefects

    /// Every fault, as it is written.
    static let spellings: [String] = Fault.Target.allCases.flatMap { target in
        entries.filter { $0.targets.contains(target) }.map { "\(target.rawValue):\($0.spelling)" }
    }

    private static let endpoints: [Fault.Target] = [.discovery, .jwks, .token, .refresh, .userinfo]

    private static let answers = [
        Entry("500", endpoints, .none(.status(500))),
        Entry("503", endpoints, .optionalSeconds { .status(503, retryAfter: $0 ?? 1) }),
        Entry("429", endpoints, .optionalSeconds { .status(429, retryAfter: $0 ?? 1) }),
        Entry("slow", endpoints, .duration { .slow(milliseconds: $0) }),
        Entry("html", endpoints, .none(.html)),
        Entry("notjson", endpoints, .none(.notJSON)),
        Entry("huge", endpoints, .none(.huge)),
        Entry("redirect", endpoints, .none(.redirect)),
        Entry("truncate", endpoints, .none(.truncate)),
        Entry("close", endpoints, .none(.close)),
        Entry("error200", [.token, .refresh, .userinfo], .none(.errorInside200)),
    ]

    /// Error codes of RFC 6749 §5.2, one of §4.1.2.1 that providers send here too, and RFC 6750 §3.1.
    private static let errors =
        [
            "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client",
            "unsupported_grant_type", "invalid_scope", "temporarily_unavailable",
        ].map { Entry($0, [.token, .refresh], .none(.protocolError($0))) }
        + ["invalid_request", "invalid_token", "insufficient_scope"].map {
            Entry($0, [.userinfo], .none(.protocolError($0)))
        }

    private static let contents = [
        Entry("issuer=other", [.discovery], .none(.otherIssuer)),
        Entry("empty", [.jwks], .none(.noKeys)),
        Entry("rotate", [.jwks], .none(.rotateKeys)),
        Entry("sub=other", [.userinfo], .none(.otherSubject)),
        Entry("drop", [.refresh], .none(.noRefreshToken)),
        Entry("expires", [.access], .seconds { .accessLifetime(seconds: Int64($0)) }),
    ]

    private static let idTokenDefects: [Entry] = [
        ("nonce=bad", .wrongNonce), ("nonce=missing", .missingNonce), ("aud=other", .otherAudience),
        ("iss=other", .otherIssuer), ("expired", .expired), ("alg=none", .unsigned),
        ("alg=hs256", .hmacWithPublicKey), ("signature=bad", .badSignature), ("kid=unknown", .unknownKey),
        ("sub=missing", .missingSubject), ("sub=other", .otherSubject),
        ("at_hash=bad", .wrongAccessTokenHash),
        ("absent", .absent),
    ].map { (name: String, defect: Fault.IDTokenDefect) in
        Entry(name, [.idtoken], .none(.idToken(defect)))
    }

    /// With the error codes of RFC 6749 §4.1.2.1 and OIDC Core §3.1.2.6.
    private static let callbackDefects: [Entry] =
        [
            ("state=wrong", .wrongState), ("state=missing", .missingState), ("iss=other", .otherIssuer),
            ("iss=missing", .missingIssuer), ("duplicate", .duplicateCode),
        ].map { (name: String, defect: Fault.CallbackDefect) in
            Entry(name, [.callback], .none(.callback(defect)))
        }
        + [
            "access_denied", "invalid_request", "unauthorized_client", "invalid_scope", "server_error",
            "temporarily_unavailable", "login_required", "interaction_required", "consent_required",
        ].map { Entry("error=\($0)", [.callback], .none(.callback(.error($0)))) }
}
