internal import FlowEngine
internal import FlowLanguage
internal import FlowSandbox
internal import JOSE
internal import OAuthProtocol

/// Where a stand-in answers: under the provider's own addresses, with the host as the first part of the path.
struct StandInAddresses: Sendable {
    /// What a request is for: an endpoint of the sandbox, and the address as the descriptor writes it.
    typealias Place = (route: Route, url: String)

    /// Those that the descriptor names, in the order of its reference, by what they are called; what answers fill in may hold
    /// tokens, and is told nobody.
    let named: [(name: String, place: Place)]
    private var all: [Place] = []
    /// Where the sandbox's own addresses are, longest first.
    private let homes: [String]
    /// Several for an address that does several things.
    private var places: [String: [Place]] = [:]

    /// - Parameter issuer: Of the ID tokens, where it is not the issuer of the descriptor.
    init(_ provider: BoundProvider, issuer: String?) {
        let issuers = [provider.declared.issuer, issuer, Self.home].compactMap(\.self)
        homes = issuers.map { Self.path(of: $0) }.sorted { $0.utf8.count > $1.utf8.count }
        named = Self.urls(provider, nil).reduce(into: []) { named, place in
            if !named.contains(where: { $0.place == place.place }) { named.append(place) }
        }
        add(named.map(\.place))
    }

    /// What answers have brought, the last of each kind.
    private var learned = DescriptorInputs()

    /// Adds the addresses that the members of an answer fill in, together with those of earlier ones.
    mutating func learn(
        _ provider: BoundProvider, _ slot: DescriptorSlot, _ members: JSONObject, client: String
    ) {
        learned = learned.with(slot, members)
        learned[.clientID] = .string(client)
        if slot == .token, let token = members["access_token"]?.stringValue {
            learned[.accessToken] = .string(token)
        }
        add(Self.urls(provider, learned).map(\.place))
    }

    private mutating func add(_ urls: [Place]) {
        for place in urls where !all.contains(where: { $0 == place }) { all.append(place) }
        places = Dictionary(grouping: all) { Self.path(of: $0.url) }
    }

    /// Stands for the issuer of a provider that has none.
    static let home = "https://sandbox"

    /// Behind the address of the stand-in: `/api.example/user/` for `https://api.example/user/?fields=all`.
    static func place(of url: String) -> String {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        return "/" + rest.prefix { $0 != "?" && $0 != "#" }
    }

    /// The same without a slash at the end, which is left out or added easily.
    static func path(of url: String) -> String {
        let place = place(of: url)
        return place.hasSuffix("/") ? String(place.dropLast()) : place
    }

    /// - Parameters:
    ///   - hasToken: Whether the request bears an access token.
    ///   - isMeant: Whether it says what only requests to that endpoint say.
    /// - Returns: `nil` where nothing of the provider is.
    func place(of request: ServerRequest, hasToken: Bool, isMeant: (Route) -> Bool) -> Place? {
        let path = request.path.hasSuffix("/") ? String(request.path.dropLast()) : request.path
        if let all = places[path] {
            // An address that does several things is told apart by what comes there.
            guard all.count > 1 else { return all[0] }
            let likely: Route = hasToken ? .userInfo : request.method == "GET" ? .authorization : .token
            return all.first { isMeant($0.route) } ?? all.first { $0.route == likely } ?? all[0]
        }
        // The sandbox's pages lead to each other by their paths.
        if let page = Route(rawValue: path), [.login, .consent, .device, .favicon].contains(page) {
            return (page, "")
        }
        let url = "https:/" + path
        for home in homes where path.hasPrefix(home + "/") {
            if let route = Route(rawValue: String(path.dropFirst(home.count))) { return (route, url) }
        }
        return nil
    }

    /// Operations that have an address of their own, then what the metadata says.
    ///
    /// - Parameter inputs: What answers have brought; without any, addresses that need those are left out.
    private static func urls(
        _ provider: BoundProvider, _ inputs: DescriptorInputs?
    ) -> [(name: String, place: Place)] {
        let descriptor = provider.descriptor
        let declared = provider.declared
        let text = { (request: DialectFacts) in request.endpoint.flatMap { provider.bound.text($0, inputs) } }
        let places: [(Route, [String?])] = [
            (.authorization, [text(descriptor.authorization.dialect), declared.authorizationEndpoint]),
            (.pushed, [declared.pushedAuthorizationRequestEndpoint]),
            (.token, [text(descriptor.token.request), declared.tokenEndpoint]),
            (.userInfo, [text(descriptor.userinfo.operation.request), declared.userinfoEndpoint]),
            (
                .deviceAuthorization,
                [text(descriptor.deviceAuthorization.request), declared.deviceAuthorizationEndpoint]
            ),
            (.revocation, [text(descriptor.revocation.operation.request), declared.revocationEndpoint]),
            (.introspection, [text(descriptor.introspection.request), declared.introspectionEndpoint]),
            (.logout, [text(descriptor.logout), declared.endSessionEndpoint]),
            (.keys, [declared.jwksURI]),
            (.registration, [declared.registrationEndpoint]),
            (.discovery, provider.mayDiscover ? provider.discoveryPlans.map(\.endpoint) : []),
        ]
        let further: [(String, Route, DialectFacts)] =
            [
                ("refresh.endpoint", .token, descriptor.refresh.operation.request),
                ("grants.endpoint", .token, descriptor.grant.request),
            ] + descriptor.userinfo.also.map { ("userinfo.also.\($0.name)", .userInfo, $0.operation.request) }
        return places.flatMap { route, urls in
            urls.compactMap(\.self).map { (route.member, (route, $0)) }
        }
            + further.compactMap { name, route, request in text(request).map { (name, (route, $0)) } }
    }
}

extension Route {
    /// The endpoints that a provider may have, in the order in which they are listed.
    static let ofProviders: [Route] = [
        .discovery, .authorization, .pushed, .token, .userInfo, .deviceAuthorization, .revocation,
        .introspection, .logout, .keys, .registration,
    ]
}

extension Route {
    /// The member of the metadata that names such an address (RFC 8414 §2).
    package var member: String {
        switch self {
        case .authorization: "authorization_endpoint"
        case .pushed: "pushed_authorization_request_endpoint"
        case .token: "token_endpoint"
        case .userInfo: "userinfo_endpoint"
        case .deviceAuthorization: "device_authorization_endpoint"
        case .revocation: "revocation_endpoint"
        case .introspection: "introspection_endpoint"
        case .logout: "end_session_endpoint"
        case .keys: "jwks_uri"
        case .registration: "registration_endpoint"
        case .discovery, .serverMetadata: "metadata"
        case .index, .favicon, .login, .consent, .device, .resource, .resourceMetadata: rawValue
        }
    }
}
