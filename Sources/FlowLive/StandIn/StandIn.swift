package import FlowEngine
package import FlowLanguage
package import FlowSandbox
internal import JOSE
package import OAuthProtocol
internal import Synchronization

/// The sandbox in the place of a provider: it takes requests and writes answers as the provider's descriptor says.
///
/// Whatever is `https://api.example/user` there is `/api.example/user` here. It takes any client with any redirect URI and
/// looks at no secret; how requests are written, codes, refresh tokens, code verifiers and access tokens it checks as the
/// sandbox does, and whatever the sandbox is told to do wrong, it does wrong.
package final class StandIn: Sendable {
    let provider: BoundProvider
    let voice: ProviderVoice
    let sandbox: SandboxProvider
    let memory = StandInMemory()
    private let addresses: Mutex<StandInAddresses>
    /// What its own addresses have before the provider's; `nil` where it is at those.
    private let base: String?
    /// As the metadata names it: of a provider of many tenants it is not that of the ID tokens.
    let issuer: String
    /// As its tokens name it.
    var tokenIssuer: String { sandbox.configuration.issuer }
    /// Where a browser goes whose request names no place.
    let redirectURI: String?
    /// Who asks where a request names nobody.
    let client: String

    var descriptor: ProviderDescriptor { provider.descriptor }

    /// - Parameters:
    ///   - base: Where it is served, as `http://127.0.0.1:9400`: then its issuer is there. `nil` for the provider's own.
    ///   - redirectURI: The registered one, for providers that do not want it in requests.
    ///   - client: Who asks where a request names nobody.
    ///   - configuration: Of the sandbox; issuer, clients and users are the stand-in's.
    ///   - random: Returns as many unpredictable bytes as it is asked for.
    package init(
        _ provider: BoundProvider, at base: String?, redirectURI: String?, client: String = "client",
        _ configuration: SandboxConfiguration,
        keys: SandboxKeys, random: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.provider = provider
        self.redirectURI = redirectURI
        self.client = client
        self.base = base.map { StandInAddresses.place(of: $0) }
        voice = ProviderVoice(provider)
        let issuer = voice.issuer ?? StandInAddresses.home
        addresses = Mutex(StandInAddresses(provider, issuer: issuer))
        var configuration = configuration
        let local = { (url: String) in base.map { $0 + StandInAddresses.place(of: url) } ?? url }
        configuration.issuer = local(issuer)
        self.issuer = local(provider.declared.issuer ?? issuer)
        configuration.clients = []
        configuration.takesAnyClient = true
        configuration.acceptsOtherScopes = true
        let algorithms = voice.idTokenAlgorithms
        if !algorithms.contains(configuration.algorithm.signature),
            let usual = SigningAlgorithm.allCases.first(where: { algorithms.contains($0.signature) })
        {
            configuration.algorithm = usual
        }
        let example = provider.descriptor.userinfoExample
        configuration.users = [.alice(as: voice.subject, name: example?["name"]?.stringValue)]
        configuration.furtherClaims = example ?? [:]
        let descriptor = provider.descriptor
        let operations = [descriptor.token, descriptor.refresh.operation, descriptor.grant]
        configuration.writesAccessTokensAsJWT = operations.contains {
            $0.response.types["expires_in"] == .jwt
        }
        sandbox = SandboxProvider(configuration: configuration, keys: keys, random: random)
    }

    /// Where each of the provider's addresses is, by what it is called; those that only its metadata names among them.
    package var places: [(name: String, path: String)] {
        let named = addresses.withLock(\.named)
        let home = provider.mayDiscover ? provider.declared.issuer : nil
        return Route.ofProviders.flatMap { route in
            let known = named.filter { $0.place.route == route }.map { ($0.name, $0.place.url) }
            // Of metadata that may be at several places the first will do.
            if route == .discovery { return Array(known.prefix(1)) }
            let own = home.map { ($0.hasSuffix("/") ? String($0.dropLast()) : $0) + route.rawValue }
            return known.isEmpty ? own.map { [(route.member, $0)] } ?? [] : known
        }
        .map { ($0, StandInAddresses.place(of: $1)) }
        // What needs a client's identifier has none yet.
        .filter { !$0.1.contains("//") }
    }

    /// Why nothing can be served in the place of a provider; `nil` where something can.
    package static func obstacle(_ descriptor: ProviderDescriptor) -> String? {
        if descriptor.isSandbox {
            return "the sandbox stands in for other providers; it is itself where none is named"
        }
        guard descriptor.authorization.fragment != nil else { return nil }
        return
            "nothing can stand in for \(descriptor.id): it takes its requests behind a # in the address, which "
            + "a browser sends to no server"
    }

    /// Whether its metadata is to be wrong.
    var spoilsMetadata: Bool { sandbox.configuration.faults.contains { $0.target == .discovery } }

    /// Under which path it is asked for what has this address.
    func path(of url: String) -> String {
        let path = StandInAddresses.place(of: url)
        guard let base, path.hasPrefix(base) else { return path }
        return String(path.dropFirst(base.count))
    }

    /// Answers one request.
    ///
    /// - Parameter now: Milliseconds since 1970.
    package func respond(to request: ServerRequest, now: Int64) -> SandboxReply {
        reply(to: request, now: now) ?? .send(index(request))
    }

    /// Answers one request; `nil` where nothing of the provider is.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func reply(to request: ServerRequest, now: Int64) -> SandboxReply? {
        let hasToken = bearer(request) != nil
        let place = addresses.withLock {
            $0.place(of: request, hasToken: hasToken) { isMeant(request, for: $0) }
        }
        guard let (route, url) = place else { return nil }
        switch route {
        case .authorization: return authorize(request, now: now)
        case .pushed: return push(request, now: now)
        case .token: return token(request, at: url, now: now)
        case .userInfo: return userinfo(request, at: url, now: now)
        case .deviceAuthorization: return startDevice(request, now: now)
        case .revocation: return revoke(request, now: now)
        case .introspection: return introspect(request, now: now)
        case .logout: return logOut(request, now: now)
        case .keys:
            return unchanged(request, route, now).map {
                with("keys", .array(($0.json?["keys"]?.arrayValue ?? []) + voice.keys), in: $0)
            }
        case .discovery, .serverMetadata:
            return unchanged(request, route, now).map { response in
                // One that is to be wrong stays.
                response.json?["issuer"]?.stringValue == tokenIssuer
                    ? with("issuer", .string(issuer), in: response) : response
            }
        case .index, .favicon, .login, .consent, .registration, .device, .resource, .resourceMetadata:
            return unchanged(request, route, now).map { returned($0, now: now) }
        }
    }

    /// Whether it says what the descriptor has only requests to that endpoint say, by method or by parameters.
    private func isMeant(_ request: ServerRequest, for route: Route) -> Bool {
        let dialect: DialectFacts
        switch route {
        case .deviceAuthorization: dialect = descriptor.deviceAuthorization.request
        case .revocation: dialect = descriptor.revocation.operation.request
        case .introspection: dialect = descriptor.introspection.request
        default: return false
        }
        let method = (dialect.method ?? .post).rawValue
        let isOwnMethod = method != (descriptor.token.request.method ?? .post).rawValue
        guard request.method == method, isOwnMethod || !dialect.parameters.isEmpty else { return false }
        let sent = StandInRequest(request, dialect)
        return dialect.parameters.allSatisfy { name, text in
            provider.bound.text(text).map { $0 == sent[name] } ?? true
        }
    }

    /// What there is, for whoever looks for something else.
    private func index(_ request: ServerRequest) -> HTTPResponse {
        let isAsked = request.path == "/"
        let words = isAsked ? "Stands in for \(descriptor.displayName) at:" : "Nothing is here. What is:"
        let text = ([words] + places.map(\.path)).joined(separator: "\n") + "\n"
        return HTTPResponse(
            status: isAsked ? 200 : 404, fields: [HTTPField("Content-Type", "text/plain; charset=utf-8")],
            body: Array(text.utf8))
    }

    /// Takes note of addresses that are made of the client, or of what a callback or an answer brings.
    func learn(_ slot: DescriptorSlot, _ members: JSONObject, client: String?) {
        addresses.withLock { $0.learn(provider, slot, members, client: client ?? "") }
    }

    /// A document with another member, or without it; an answer that is none, as faults make it, stays.
    func with(_ name: String, _ value: JSONValue?, in response: HTTPResponse) -> HTTPResponse {
        guard var document = response.json?.objectValue else { return response }
        document[name] = value
        return HTTPResponse(
            status: response.status, fields: response.fields, body: document.serializedBytes)
    }

    // MARK: Asking the sandbox

    func unchanged(_ request: ServerRequest, _ route: Route, _ now: Int64) -> SandboxReply {
        sandbox.respond(
            to: ServerRequest(
                method: request.method, path: route.rawValue, query: request.query, fields: request.fields,
                body: request.body), now: now)
    }

    func ask(
        _ route: Route, query: [(name: String, value: String)], _ request: ServerRequest, now: Int64
    ) -> SandboxReply {
        sandbox.respond(
            to: ServerRequest(
                method: "GET", path: route.rawValue, query: QueryItems.encode(query),
                fields: request.fields),
            now: now)
    }

    /// Without the credentials of the client, at which nobody looks.
    func ask(_ route: Route, form: [UInt8], _ request: ServerRequest, now: Int64) -> SandboxReply {
        let kept = request.fields.filter {
            !["authorization", "content-type", "content-length", "dpop"].contains($0.name.lowercased())
        }
        return sandbox.respond(
            to: ServerRequest(
                method: "POST", path: route.rawValue,
                fields: kept + [HTTPField("Content-Type", FormBody.contentType)], body: form),
            now: now)
    }

    /// The sandbox's answer under the names of the RFCs: written anew if it is good, told as an error if it is one.
    func rewritten(
        _ response: HTTPResponse, _ dialect: ResponseDialect, _ good: (JSONObject) -> HTTPResponse
    ) -> HTTPResponse {
        guard let object = response.json?.objectValue else { return response }
        return (200...299).contains(response.status)
            ? good(object)
            : voice.refusal(object, status: response.status, fields: response.fields, dialect)
    }
}
