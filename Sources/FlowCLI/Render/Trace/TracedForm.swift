internal import FlowEngine

/// The vocabulary of events as styled text, the same in every renderer.
enum TracedForm {
    /// `‹code_verifier›`; in a live run `‹code_verifier 43 #c3d1›`.
    static func of(_ value: TracedValue) -> Styled {
        switch value {
        case .text(""): Styled("(empty)", .dim)
        case .text(let text): Styled(text)
        case .secret(let kind, let length, let fingerprint): secret(kind, length, fingerprint)
        case .prefixed(let prefix, let kind, let length, let fingerprint):
            Styled(unbroken(prefix)) + secret(kind, length, fingerprint)
        }
    }

    private static func secret(_ kind: String, _ length: Int?, _ fingerprint: String?) -> Styled {
        let parts = [kind, length.map(String.init), fingerprint.map { "#\($0)" }].compactMap(\.self)
        return Styled("‹\(parts.joined(separator: " "))›", .secret)
    }

    static func sign(_ verdict: TracedCheck.Verdict) -> Styled {
        switch verdict {
        case .passed: Styled(Symbol.passed, .good)
        case .failed: Styled(Symbol.failed, .bad)
        case .notApplicable: Styled(Symbol.choice, .dim)
        case .relaxed: Styled(Symbol.warning, .warning)
        }
    }

    static func words(_ verdict: TracedCheck.Verdict) -> Styled {
        switch verdict {
        case .passed: Styled("passed", .good)
        case .failed(let expected, let actual): Styled("expected \(expected), got \(actual)", .bad)
        case .notApplicable(let reason): Styled("not applicable: \(reason)", .dim)
        case .relaxed(let reason): Styled("relaxed: \(reason)", .warning)
        }
    }

    /// `RFC 6749 §4.1.1` or nothing; a line may only be broken between two references.
    static func reference(_ text: String?) -> Styled {
        let parts = (text ?? "").split(separator: ", ").map { unbroken(String($0)) }
        return Styled(parts.joined(separator: ", "), .dim)
    }

    static func unbroken(_ text: String) -> String { text.replacing(" ", with: "\u{A0}") }

    /// The member of the metadata that an endpoint stands for when a rehearsal made the metadata up: only the provider
    /// knows the address itself.
    static func metadataMember(_ endpoint: String) -> String? {
        guard endpoint.hasSuffix(")"), let start = endpoint.lastIndex(of: "(") else { return nil }
        return String(endpoint[endpoint.index(after: start)...].dropLast())
    }

    /// The address of a request, or what will name it.
    static func endpoint(_ endpoint: String) -> Styled {
        guard let member = metadataMember(endpoint) else { return Styled(endpoint, .strong) }
        return Styled("‹\(member)›", .secret) + " of the provider's metadata"
    }

    /// The other routes of a step, one entry per target in the order in which targets first occur.
    static func grouped(_ routes: [StepEnd.Route]) -> [(target: String, outcomes: [String])] {
        var groups: [(target: String, outcomes: [String])] = []
        for route in routes {
            if let index = groups.firstIndex(where: { $0.target == route.target }) {
                groups[index].outcomes.append(route.outcome)
            } else {
                groups.append((route.target, [route.outcome]))
            }
        }
        return groups
    }

    /// `exact, edge 1 of 3, 1 of 1 used`
    static func reason(_ end: StepEnd) -> String {
        [end.reason, end.edge].compactMap(\.self).joined(separator: ", ")
    }

    /// The client authentication that a token request shows (RFC 6749 §2.3, OIDC Core §9); `nil` for other requests.
    static func clientAuthentication(_ request: TracedRequest) -> String? {
        guard request.purpose == "token" || request.purpose == "refresh" else { return nil }
        for field in request.fields where field.name == "Authorization" {
            if case .prefixed(let prefix, _, _, _) = field.value, prefix.hasPrefix("Basic ") {
                return "client_secret_basic"
            }
        }
        let names = request.body.map(\.name)
        if names.contains("client_assertion") { return "client_assertion" }
        return names.contains("client_secret") ? "client_secret_post" : "none (public client)"
    }

    /// Where a request goes: `api.example.com`.
    static func host(_ endpoint: String) -> String {
        guard let scheme = endpoint.firstRange(of: "://") else { return endpoint }
        let rest = endpoint[scheme.upperBound...]
        return String(rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }
}
