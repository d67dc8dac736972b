package import FlowEngine
internal import FlowLanguage
package import FlowSandbox
internal import JOSE
package import OAuthProtocol
internal import Synchronization

/// The sandbox in the place of a provider: it takes requests and writes answers as the provider's descriptor says.
///
/// Whatever is `https://api.example/user` there is `/api.example/user` here. It takes any client with any redirect URI and
/// looks at no secret; codes, refresh tokens, code verifiers and access tokens it checks as the sandbox does, and whatever
/// the sandbox is told to do wrong, it does wrong.
package final class StandIn: Sendable {
    let provider: BoundProvider
    let voice: ProviderVoice
    let sandbox: SandboxProvider
    let memory = StandInMemory()
    private let addresses: Mutex<StandInAddresses>
    /// As the metadata names it: of a provider of many tenants it is not that of the ID tokens.
    let issuer: String
    /// As its tokens name it.
    var tokenIssuer: String { sandbox.configuration.issuer }
    /// Where a browser goes whose request names no place.
    let redirectURI: String?

    var descriptor: ProviderDescriptor { provider.descriptor }

    /// - Parameters:
    ///   - base: Where it is served, as `http://127.0.0.1:9400`: then its issuer is there. `nil` for the provider's own.
    ///   - redirectURI: The registered one, for providers that do not want it in requests.
    ///   - configuration: Of the sandbox; issuer, clients and users are the stand-in's.
    ///   - random: Returns as many unpredictable bytes as it is asked for.
    package init(
        _ provider: BoundProvider, at base: String?, redirectURI: String?,
        _ configuration: SandboxConfiguration,
        keys: SandboxKeys, random: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.provider = provider
        self.redirectURI = redirectURI
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
        if let usual = SigningAlgorithm.allCases.first(where: { algorithms.contains($0.signature) }) {
            configuration.algorithm = usual
        }
        let example = provider.descriptor.userinfoExample
        configuration.users = [.alice(as: voice.subject, name: example?["name"]?.stringValue)]
        configuration.furtherClaims = example ?? [:]
        sandbox = SandboxProvider(configuration: configuration, keys: keys, random: random)
    }

    /// Where each of the provider's addresses is, by its purpose; those that only its metadata names among them.
    package var places: [(purpose: String, url: String, path: String)] {
        let named = addresses.withLock(\.named)
        var known = StandInAddresses.Purpose.allCases.flatMap {
            purpose -> [(StandInAddresses.Purpose, String)] in
            // Of metadata that may be at several places the first will do.
            let all = named.filter { $0.purpose == purpose }.map { ($0.purpose, $0.url) }
            return purpose == .metadata ? Array(all.prefix(1)) : all
        }
        if provider.mayDiscover, let issuer = provider.declared.issuer {
            let home = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
            known += StandInAddresses.Purpose.allCases.filter { purpose in
                purpose != .metadata && !named.contains { $0.purpose == purpose }
            }
            .map { ($0, home + $0.rawValue) }
        }
        // What needs a client's identifier has none yet.
        return known.map { ($0.words, $1, StandInAddresses.place(of: $1)) }.filter { !$0.2.contains("//") }
    }

    /// Answers one request.
    ///
    /// - Parameter now: Milliseconds since 1970.
    package func respond(to request: ServerRequest, now: Int64) -> SandboxReply {
        let hasToken = bearer(request) != nil
        switch addresses.withLock({ $0.place(of: request, hasToken: hasToken) }) {
        case .sandbox(let path):
            return sandbox.respond(to: request.at(path), now: now).map { returned($0, now: now) }
        case .purpose(.authorization, _):
            return authorize(request, now: now)
        case .purpose(.pushed, _):
            return push(request, now: now)
        case .purpose(.token, let url):
            return token(request, at: url, now: now)
        case .purpose(.userinfo, let url):
            return userinfo(request, at: url, now: now)
        case .purpose(.deviceAuthorization, _):
            return startDevice(request, now: now)
        case .purpose(.revocation, _):
            return revoke(request, now: now)
        case .purpose(.introspection, _):
            return introspect(request, now: now)
        case .purpose(.logout, _):
            let read = StandInRequest(request, descriptor.logout)
            return ask(.logout, query: read.parameters, request, now: now)
        case .purpose(.keys, _):
            return sandbox.respond(to: request.at("/jwks"), now: now).map(withKeys)
        case .purpose(.metadata, _):
            let path = StandInAddresses.Purpose.metadata.rawValue
            return sandbox.respond(to: request.at(path), now: now).map(withIssuer)
        case .purpose(.registration, _):
            return sandbox.respond(to: request.at("/register"), now: now)
        case nil:
            let known = places.map(\.path).joined(separator: "\n")
            let isIndex = request.path == "/"
            let words = isIndex ? "Stands in for \(descriptor.displayName) at:" : "Nothing is here. What is:"
            return .send(
                HTTPResponse(
                    status: isIndex ? 200 : 404,
                    fields: [HTTPField("Content-Type", "text/plain; charset=utf-8")],
                    body: Array("\(words)\n\(known)\n".utf8)))
        }
    }

    /// Takes note of addresses that are made of the client, or of what a callback or an answer brings.
    func learn(_ slot: DescriptorSlot, _ members: JSONObject, client: String?) {
        let inputs = DescriptorInputs(clientID: client ?? "").with(slot, members)
        addresses.withLock { $0.learn(provider, inputs) }
    }

    private func withIssuer(_ response: HTTPResponse) -> HTTPResponse {
        guard var document = response.json?.objectValue else { return response }
        document["issuer"] = .string(issuer)
        return HTTPResponse(
            status: response.status, fields: response.fields, body: document.serializedBytes)
    }

    private func withKeys(_ response: HTTPResponse) -> HTTPResponse {
        guard let keys = response.json?["keys"]?.arrayValue else { return response }
        let document: JSONObject = ["keys": .array(keys + voice.keys)]
        return HTTPResponse(
            status: response.status, fields: response.fields, body: document.serializedBytes)
    }

    // MARK: Asking the sandbox

    func ask(
        _ purpose: StandInAddresses.Purpose, query: [(name: String, value: String)], _ request: ServerRequest,
        now: Int64
    ) -> SandboxReply {
        sandbox.respond(
            to: ServerRequest(
                method: "GET", path: purpose.rawValue, query: QueryItems.encode(query),
                fields: request.fields),
            now: now)
    }

    /// Without the credentials of the client, at which nobody looks.
    func ask(
        _ purpose: StandInAddresses.Purpose, form: [UInt8], _ request: ServerRequest, now: Int64
    ) -> SandboxReply {
        let kept = request.fields.filter {
            !["authorization", "content-type", "content-length", "dpop"].contains($0.name.lowercased())
        }
        return sandbox.respond(
            to: ServerRequest(
                method: "POST", path: purpose.rawValue,
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

extension ServerRequest {
    func at(_ path: String) -> ServerRequest {
        ServerRequest(method: method, path: path, query: query, fields: fields, body: body)
    }
}
