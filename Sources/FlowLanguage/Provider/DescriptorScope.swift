internal import YAMLText

/// Where a text of a descriptor stands: what it may refer to.
enum DescriptorPlace: Sendable, Hashable {
    /// Server metadata and whatever else does not depend on a run.
    case facts
    /// What every request to an API bears.
    case apiKey
    /// How the client proves who it is.
    case credentials
    /// The authorization request, which the browser sees.
    case authorization
    /// The end of the session at the provider, which the browser sees.
    case farewell
    /// A request to the provider.
    case request(DescribedOperation)
    /// Its further parameters, the last of which may be made of all others.
    case parameters(DescribedOperation)
    /// Its query and header fields, which are written when the body is encoded.
    case encoded(DescribedOperation)
    /// The signature of a callback.
    case signature
    case issuer
    case claims
    case classification

    fileprivate var roots: [String] {
        switch self {
        case .facts, .apiKey: ["vars", "client"]
        case .credentials: ["vars", "client", "now", "random"]
        case .authorization: ["vars", "client", "scope", "state", "now", "now_ms", "random"]
        case .farewell: ["vars", "client", "scope", "token", "callback", "claims", "now", "now_ms", "random"]
        case .request(let operation): operation.roots
        case .parameters(let operation): operation.roots + ["parameters"]
        case .encoded(let operation): operation.roots + ["parameters", "body"]
        case .signature: ["vars", "client", "callback", "message"]
        case .issuer: ["vars", "client", "claims"]
        case .claims: ["vars", "client", "claims", "token", "userinfo", "callback"]
        case .classification: ["vars", "status", "body"]
        }
    }

    fileprivate var knowsClientSecret: Bool {
        switch self {
        case .credentials, .request, .parameters, .encoded, .signature: true
        case .facts, .apiKey, .authorization, .farewell, .issuer, .claims, .classification: false
        }
    }

    /// Whether nothing that is made of its texts is ever shown.
    var takesSecrets: Bool {
        switch self {
        case .apiKey, .credentials, .request, .parameters, .encoded, .signature: true
        case .facts, .authorization, .farewell, .issuer, .claims, .classification: false
        }
    }

    /// Whether tokens may be sent from there.
    fileprivate var sendsTokens: Bool { operation != nil }

    var operation: DescribedOperation? {
        switch self {
        case .request(let operation), .parameters(let operation), .encoded(let operation): operation
        case .facts, .apiKey, .credentials, .authorization, .farewell, .signature, .issuer, .claims,
            .classification:
            nil
        }
    }
}

extension DescriptorPlace {
    /// The member of the metadata that a request goes to; `nil` where none is meant for it.
    var endpointKey: String? {
        switch self {
        case .authorization: "authorization_endpoint"
        case .request(let operation): operation.endpointKey
        case .facts, .apiKey, .credentials, .farewell, .parameters, .encoded, .signature, .issuer, .claims,
            .classification:
            nil
        }
    }
}

/// A request that a descriptor describes: what is known when it is made.
enum DescribedOperation: Sendable, Hashable {
    case token, refresh, grants, deviceAuthorization, userinfo, also, revocation, introspection
    /// One of `operations`.
    case named

    fileprivate var endpointKey: String? {
        switch self {
        case .token, .refresh, .grants: "token_endpoint"
        case .userinfo: "userinfo_endpoint"
        case .revocation: "revocation_endpoint"
        case .introspection: "introspection_endpoint"
        case .deviceAuthorization: "device_authorization_endpoint"
        case .also, .named: nil
        }
    }

    /// In the order in which they are listed for people.
    fileprivate var roots: [String] {
        let answers = ["token", "callback", "claims"]
        let known: [String] =
            switch self {
            case .token: ["state", "code", "callback"]
            case .deviceAuthorization: []
            case .also: answers + ["userinfo"]
            case .userinfo, .named: ["code"] + answers
            case .grants: answers + ["device"]
            case .refresh, .revocation, .introspection: answers
            }
        return ["vars", "client", "scope"] + known + ["now", "now_ms", "random"]
    }

    /// Interfaces take tokens back, and whatever else, in ways of their own.
    var methods: [String] {
        switch self {
        case .named: ["GET", "POST", "PUT", "PATCH", "DELETE"]
        case .revocation: ["GET", "POST", "DELETE"]
        case .token, .refresh, .grants, .deviceAuthorization, .userinfo, .also, .introspection:
            ["GET", "POST"]
        }
    }

    /// Whether it asks a token endpoint for a grant, or is whatever the descriptor makes it.
    var hasGrantType: Bool {
        switch self {
        case .token, .refresh, .grants, .named: true
        case .deviceAuthorization, .userinfo, .also, .revocation, .introspection: false
        }
    }

    /// What some operation knows, for messages about the others.
    fileprivate static let everything = [
        "state", "code", "token", "callback", "claims", "userinfo", "device",
    ]

    fileprivate var words: String {
        switch self {
        case .token: "the exchange of the code"
        case .refresh: "a renewal"
        case .grants: "these requests"
        case .deviceAuthorization: "the start of a sign-in on another device"
        case .userinfo: "the question who signed in"
        case .also: "a further question"
        case .revocation: "a revocation"
        case .introspection: "a question about a token"
        case .named: "an operation"
        }
    }
}

/// The names that a descriptor's expressions may use.
struct DescriptorScope: ExpressionScope {
    let variables: [String]
    let place: DescriptorPlace
    /// What is kept of the callback; `nil` where that is not known.
    var captures: [String]?

    func resolve(_ path: [String]) -> ScopeResolution {
        let roots = place.roots
        guard roots.contains(path[0]) else { return missing(path[0], roots) }
        switch path[0] {
        case "vars": return variable(path)
        case "client": return client(path)
        case "token": return token(path)
        case "callback" where place != .signature && path.count > 1: return captured(path)
        case "body" where place == .classification: return slot(.answer, .json)
        default:
            guard let found = Self.slots[path[0]] else { return unknown(path[0], "name", at: 0, roots) }
            return slot(found.slot, found.type)
        }
    }

    /// An optional variable without a value is the empty text.
    func isUnsetWhenEmpty(_ slot: Int) -> Bool { slot >= DescriptorSlot.variableBase }

    private static let slots: [String: (slot: DescriptorSlot, type: FlowType)] = [
        "scope": (.scope, .string), "state": (.state, .string), "code": (.code, .string),
        "callback": (.callback, .json), "claims": (.claims, .json), "userinfo": (.userinfo, .json),
        "device": (.device, .json),
        "now": (.now, .int), "now_ms": (.nowMilliseconds, .int), "random": (.random, .string),
        "parameters": (.parameters, .json), "body": (.body, .string),
        "message": (.message, .string), "status": (.status, .int),
    ]

    private func slot(_ slot: DescriptorSlot, _ type: FlowType, consumed: Int = 1) -> ScopeResolution {
        .slot(slot.rawValue, type, consumed: consumed)
    }

    private func variable(_ path: [String]) -> ScopeResolution {
        guard path.count > 1 else { return incomplete("vars") }
        guard let index = variables.firstIndex(of: path[1]) else {
            return unknown(path[1], "variable", at: 1, variables)
        }
        return .slot(DescriptorSlot.variableBase + index, .string, consumed: 2)
    }

    private func client(_ path: [String]) -> ScopeResolution {
        guard path.count > 1 else { return incomplete("client") }
        switch path[1] {
        case "id": return slot(.clientID, .string, consumed: 2)
        case "redirect_uri": return slot(.redirectURI, .string, consumed: 2)
        case "secret":
            guard place.knowsClientSecret else {
                return .unknown(
                    code: "FL061", message: "the client's secret may only go into requests to the provider",
                    hint: "token, refresh, userinfo and the other operations can use it", at: 1)
            }
            return slot(.clientSecret, .string, consumed: 2)
        default: return unknown(path[1], "member of client", at: 1, ["id", "secret", "redirect_uri"])
        }
    }

    private func token(_ path: [String]) -> ScopeResolution {
        let secrets: [String: DescriptorSlot] = [
            "access_token": .accessToken, "refresh_token": .refreshToken, "id_token": .idToken,
        ]
        guard path.count > 1, let secret = secrets[path[1]] else { return slot(.token, .json) }
        // What the ID token says the provider knows, and a farewell names the session by it.
        guard place.sendsTokens || place == .farewell && secret == .idToken else {
            return .unknown(
                code: "FL061", message: "\"token.\(path[1])\" may only go into requests to the provider",
                hint: nil, at: 1)
        }
        return slot(secret, .string, consumed: 2)
    }

    /// What is there when a request is made, and not yet when the server's addresses are settled.
    private func early(_ name: String) -> ScopeResolution {
        .unknown(
            code: "FL046", message: "\"\(name)\" is not known here, before any request is made",
            hint: "an address of one request may read it: token.endpoint, userinfo.endpoint and the like",
            at: 0)
    }

    private func captured(_ path: [String]) -> ScopeResolution {
        guard let captures, !captures.contains(path[1]) else { return slot(.callback, .json) }
        let (message, hint) = Self.uncaptured(path[1], captures)
        return .unknown(code: "FL046", message: message, hint: hint, at: 1)
    }

    /// What is said of a value that `callback.capture` does not keep.
    static func uncaptured(_ name: String, _ captures: [String]) -> (message: String, hint: String?) {
        let nearest = SpellingSuggestion.nearest(to: name, in: captures)
        let suggestion = Suggestion(nearest)
        let kept = captures.isEmpty ? "nothing is kept" : "kept: \(captures.joined(separator: ", "))"
        return (
            "no \"\(name)\" is kept of the callback\(suggestion)",
            nearest == nil ? "\(kept); callback.capture says what is" : nil
        )
    }

    /// A name that is known elsewhere is not misspelt.
    private func missing(_ name: String, _ roots: [String]) -> ScopeResolution {
        if variables.contains(name), roots.contains("vars") {
            return meant(Suggestion("vars.\(name)"), by: name)
        }
        if let member = Self.joined(name, roots) {
            return meant(Suggestion(member), by: name)
        }
        guard DescribedOperation.everything.contains(name) else {
            return unknown(name, "name here", at: 0, roots)
        }
        if place == .facts { return early(name) }
        guard let operation = place.operation else { return unknown(name, "name here", at: 0, roots) }
        return .unknown(
            code: "FL046", message: "\"\(name)\" is not known in \(operation.words)",
            hint: "known there: \(roots.joined(separator: ", "))", at: 0)
    }

    private func meant(_ suggestion: Suggestion, by name: String) -> ScopeResolution {
        .unknown(
            code: "FL046", message: "unknown name here \"\(name)\"\(suggestion)", hint: nil,
            fix: suggestion.fix, at: 0)
    }

    /// `client_secret` is `client.secret`.
    private static func joined(_ name: String, _ roots: [String]) -> String? {
        let parts = name.split(separator: "_", maxSplits: 1)
        guard parts.count == 2, parts[0] == "client", roots.contains("client") else { return nil }
        return ["id", "secret", "redirect_uri"].contains(parts[1]) ? "client.\(parts[1])" : nil
    }

    private func incomplete(_ root: String) -> ScopeResolution {
        .unknown(
            code: "FL046", message: "\"\(root)\" is no value; select one of its members", hint: nil, at: 0)
    }

    private func unknown(_ name: String, _ what: String, at index: Int, _ known: [String]) -> ScopeResolution
    {
        let nearest = SpellingSuggestion.nearest(to: name, in: known)
        let suggestion = Suggestion(nearest)
        let hint = nearest == nil && !known.isEmpty ? "known: \(known.joined(separator: ", "))" : nil
        return .unknown(
            code: "FL046", message: "unknown \(what) \"\(name)\"\(suggestion)", hint: hint,
            fix: suggestion.fix, at: index)
    }
}
