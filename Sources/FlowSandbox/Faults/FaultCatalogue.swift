internal import JOSE

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

    static let entries: [Entry] = answers + errors + proofs + contents + members + signed + callbackDefects

    /// Every fault, as it is written.
    static let spellings: [String] = Fault.Target.allCases.flatMap { target in
        names(of: target).map { "\(target.rawValue):\($0)" }
    }

    /// What can be written for a target, with examples of values.
    static func names(of target: Fault.Target) -> [String] {
        entries.filter { $0.targets.contains(target) }.map(\.spelling)
    }

    static let endpoints: [Fault.Target] = [
        .discovery, .jwks, .par, .token, .refresh, .userinfo, .resource, .revocation, .introspection, .device,
        .registration,
    ]

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
        Entry(
            "error200", [.par, .token, .refresh, .userinfo, .introspection, .device, .registration],
            .none(.errorInside200)),
    ]

    /// The error codes that an endpoint may answer with, from the document that defines it.
    private static let errorCodes: [(targets: [Fault.Target], codes: [String])] = [
        // RFC 6749 §5.2, one of §4.1.2.1 that providers send here too, RFC 8628 §3.5, RFC 9449 §5 and §8, RFC 8707
        // §2, RFC 9396 §5.
        (
            [.token, .refresh],
            [
                "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client",
                "unsupported_grant_type", "invalid_scope", "temporarily_unavailable", "authorization_pending",
                "slow_down", "expired_token", "access_denied", "invalid_dpop_proof", "use_dpop_nonce",
                "invalid_target", "invalid_authorization_details",
            ]
        ),
        // RFC 9126 §2.3, RFC 9101 §6.
        (
            [.par],
            [
                "invalid_request", "invalid_client", "unauthorized_client", "invalid_scope",
                "invalid_request_object", "invalid_dpop_proof", "use_dpop_nonce",
            ]
        ),
        // RFC 6750 §3.1, RFC 9449 §7.1, RFC 9470 §3.
        (
            [.userinfo, .resource],
            [
                "invalid_request", "invalid_token", "insufficient_scope", "invalid_dpop_proof",
                "use_dpop_nonce",
            ]
        ),
        ([.resource], ["insufficient_user_authentication"]),
        // RFC 7009 §2.2.1, RFC 7662 §2.3.
        ([.revocation], ["invalid_request", "invalid_client", "unsupported_token_type"]),
        ([.introspection], ["invalid_request", "invalid_client"]),
        ([.device], ["invalid_request", "invalid_client", "unauthorized_client", "invalid_scope"]),
        // RFC 7591 §3.2.2.
        (
            [.registration],
            [
                "invalid_redirect_uri", "invalid_client_metadata", "invalid_software_statement",
                "unapproved_software_statement", "invalid_token",
            ]
        ),
    ]

    private static let errors = errorCodes.flatMap { targets, codes in
        codes.map { Entry($0, targets, .none(.protocolError($0))) }
    }

    private static let proofs = [
        Entry("dpop_nonce", [.par, .token, .userinfo, .resource], .none(.demandNonce)),
        Entry("scheme=case", [.userinfo, .resource], .none(.challengeCase)),
    ]

    private static let contents = [
        Entry("empty", [.jwks], .none(.noKeys)),
        Entry("rotate", [.jwks], .none(.rotateKeys)),
        Entry("single", [.jwks], .none(.singleKey)),
        Entry("kid=missing", [.jwks], .none(.keysWithoutID)),
        Entry("sub=other", [.userinfo], .none(.otherSubject)),
        Entry("drop", [.refresh], .none(.noRefreshToken)),
        Entry("signed=plain", [.introspection], .none(.plainIntrospection)),
        Entry("expires", [.access], .seconds { .accessLifetime(seconds: Int64($0)) }),
    ]
}
