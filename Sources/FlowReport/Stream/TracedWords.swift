package import FlowEngine
internal import OAuthProtocol

/// What events say, as words: the same in every renderer.
package enum TracedWords {
    /// The provider of a run; of several the alias of each further one as well.
    package static func providers(_ start: RunStart) -> String {
        ([start.provider] + start.furtherProviders.map { "\($0.provider) (\($0.alias))" })
            .joined(separator: ", ")
    }

    /// The member of the metadata that an endpoint stands for when a rehearsal made the metadata up: only the provider
    /// knows the address itself.
    package static func metadataMember(_ endpoint: String) -> String? {
        guard endpoint.hasSuffix(")"), let start = endpoint.lastIndex(of: "(") else { return nil }
        return String(endpoint[endpoint.index(after: start)...].dropLast())
    }

    /// The other routes of a step, one entry per target in the order in which targets first occur.
    package static func grouped(_ routes: [StepEnd.Route]) -> [(target: String, outcomes: [String])] {
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
    package static func reason(_ end: StepEnd) -> String {
        [end.reason, end.edge].compactMap(\.self).joined(separator: ", ")
    }

    /// The client authentication that a token request shows (RFC 6749 §2.3, OIDC Core §9); `nil` for other requests.
    ///
    /// Where the provider wants the secret by another name, or a signature or digest that is made of it, the name of that.
    package static func clientAuthentication(_ request: TracedRequest) -> String? {
        guard request.purpose == "token" || request.purpose == "refresh" else { return nil }
        for field in request.fields where field.name == "Authorization" {
            if case .prefixed(let prefix, _, _, _) = field.value, prefix.hasPrefix("Basic ") {
                return "client_secret_basic"
            }
        }
        let names = request.body.map(\.name)
        if names.contains("client_assertion") { return "client_assertion" }
        if names.contains("client_secret") { return "client_secret_post" }
        if request.body.contains(where: { $0.reference == ClientAuthentication.certificateReference }) {
            return "certificate (mutual TLS)"
        }
        return ownProof(request).map { "\($0) (the provider's own way)" } ?? "none (public client)"
    }

    /// Name of the parameter or header field by which a client proves itself as the provider file has it; `nil` without.
    static func ownProof(_ request: TracedRequest) -> String? {
        (request.body + request.query + request.fields).first { parameter in
            switch parameter.value {
            case .secret(let kind, _, _), .prefixed(_, let kind, _, _): SentProof.isOwn(kind)
            case .text: false
            }
        }?.name
    }

    /// Where a request goes: `api.example.com`.
    package static func host(_ endpoint: String) -> String {
        guard let scheme = endpoint.firstRange(of: "://") else { return endpoint }
        let rest = endpoint[scheme.upperBound...]
        return String(rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }

    /// A host as `host` gives it, without its port and its brackets.
    static func hostName(_ host: String) -> String {
        guard host.hasPrefix("[") else { return String(host.prefix { $0 != ":" }) }
        return String(host.dropFirst().prefix { $0 != "]" })
    }

    /// The same with its scheme: `https://api.example.com`.
    package static func origin(_ endpoint: String) -> String {
        let scheme = endpoint.firstRange(of: "://").map { endpoint[..<$0.upperBound] } ?? ""
        return scheme + host(endpoint)
    }
}
