package import OAuthProtocol
internal import JOSE
internal import Synchronization

/// The built-in OpenID provider: strict, with a page to sign in on and with faults on request.
///
/// It does no I/O, reads no clock and has no randomness of its own; a loopback server carries it. Several
/// threads may ask at once: one lock guards what changes, and nothing is signed under it.
package final class SandboxProvider: Sendable {
    package let configuration: SandboxConfiguration
    private let random: @Sendable (Int) -> [UInt8]
    /// What every proof must hold where a nonce is demanded; the same for the life of the process.
    let dpopNonce: String
    let state: Mutex<SandboxState>

    /// - Parameters:
    ///   - keys: Sign ID tokens; a set serves any number of providers.
    ///   - random: Returns as many unpredictable bytes as it is asked for.
    package init(
        configuration: SandboxConfiguration, keys: SandboxKeys, random: @escaping @Sendable (Int) -> [UInt8]
    ) {
        precondition(!configuration.users.isEmpty, "a sandbox has at least one user")
        self.configuration = configuration
        self.random = random
        dpopNonce = Base64URL.encode(random(18))
        state = Mutex(SandboxState(keys: keys, faults: FaultSchedule(configuration.faults)))
    }

    /// Continues where another provider stopped: its keys, refresh tokens and access tokens stay good.
    ///
    /// Codes and pages that were open are over. The issuer must be that of the snapshot, or clients refuse
    /// what the keys sign; compare `snapshot.issuer`.
    package init(
        configuration: SandboxConfiguration, restoring snapshot: SandboxSnapshot,
        random: @escaping @Sendable (Int) -> [UInt8]
    ) {
        precondition(!configuration.users.isEmpty, "a sandbox has at least one user")
        self.configuration = configuration
        self.random = random
        dpopNonce = Base64URL.encode(random(18))
        state = Mutex(
            SandboxState(
                keys: snapshot.keys, faults: FaultSchedule(configuration.faults), ledger: snapshot.ledger))
    }

    /// What another process needs to continue.
    package func snapshot() -> SandboxSnapshot {
        state.withLock {
            SandboxSnapshot(issuer: configuration.issuer, keys: $0.keys, ledger: $0.ledger)
        }
    }

    /// Answers one request.
    ///
    /// - Parameter now: Milliseconds since 1970.
    package func respond(to request: ServerRequest, now: Int64) -> SandboxReply {
        if let path = request.path.wholeMatch(prefix: "/pictures/", suffix: ".svg") {
            return .send(PictureEndpoint.answer(path, configuration))
        }
        if let client = request.path.wholeMatch(prefix: Route.registration.rawValue + "/", suffix: "") {
            return manage(client, request)
        }
        guard let route = Route(rawValue: request.path) else {
            return .send(ErrorPage.notFound())
        }
        // What carries the answers leaves out the body (RFC 9110 §9.3.2).
        let method = request.method == "HEAD" ? "GET" : request.method
        guard route.methods.contains(method) else {
            let methods = route.methods.flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] }
            return .send(Answer.methodNotAllowed(methods.joined(separator: ", ")))
        }
        switch route {
        case .index: return .send(IndexPage.answer(configuration))
        case .favicon: return .send(HTTPResponse(status: 204))
        case .discovery, .serverMetadata: return discovery()
        case .keys: return keySet()
        case .authorization: return .send(authorize(request, now: now))
        case .login: return .send(logIn(request, now: now))
        case .consent: return .send(consent(request, now: now))
        case .token: return token(request, now: now)
        case .userInfo: return userInfo(request, now: now)
        case .pushed: return push(request, now: now)
        case .revocation: return revoke(request, now: now)
        case .introspection: return introspect(request, now: now)
        case .registration: return register(request)
        case .deviceAuthorization: return authorizeDevice(request, now: now)
        case .device: return .send(enterCode(request, now: now))
        case .logout: return .send(logOut(request))
        case .resource: return resource(request, now: now)
        case .resourceMetadata: return .send(resourceMetadata())
        }
    }

    /// Counts a hit of the target, and answers with what is to go wrong at it.
    func faulted(
        _ target: Fault.Target, protocolError: ((String) -> HTTPResponse)? = nil,
        _ answer: ([Fault.Action]) -> HTTPResponse
    ) -> SandboxReply {
        let actions = state.withLock { $0.faults.hit(target) }
        return FaultedAnswer(actions, protocolError: protocolError ?? deliberateError).reply {
            answer(actions)
        }
    }

    /// An OAuth error that a fault wants.
    func deliberateError(_ code: String) -> HTTPResponse {
        Answer.oauthError(code, deliberate, fields: nonceFields(for: code))
    }

    /// A demand for a nonce brings it (RFC 9449 §8).
    func nonceFields(for code: String) -> [HTTPField] { code == DPoPNonces.demand ? [nonceField] : [] }

    func newBytes(_ count: Int) -> [UInt8] { random(count) }

    /// A new unguessable name: 256 bits in base64url.
    func newToken() -> String { Base64URL.encode(random(32)) }
}

/// What changes while a sandbox runs.
struct SandboxState: Sendable {
    var keys: SandboxKeys
    var faults: FaultSchedule
    var ledger = GrantLedger()
}

/// Where the sandbox answers.
package enum Route: String, Sendable, CaseIterable {
    case index = "/"
    case favicon = "/favicon.ico"
    case discovery = "/.well-known/openid-configuration"
    /// RFC 8414 §3.
    case serverMetadata = "/.well-known/oauth-authorization-server"
    case keys = "/jwks"
    case authorization = "/authorize"
    /// RFC 9126.
    case pushed = "/par"
    case login = "/login"
    case consent = "/consent"
    case token = "/token"
    case userInfo = "/userinfo"
    case revocation = "/revoke"
    case introspection = "/introspect"
    /// RFC 7591; what is below it manages a client (RFC 7592).
    case registration = "/register"
    case deviceAuthorization = "/device_authorization"
    /// Where a person enters the code of a device.
    case device = "/device"
    case logout = "/logout"
    /// An API that takes the sandbox's access tokens.
    case resource = "/resource"
    /// RFC 9728 §3.
    case resourceMetadata = "/.well-known/oauth-protected-resource/resource"

    var methods: [String] {
        switch self {
        case .index, .favicon, .discovery, .serverMetadata, .keys, .authorization, .resourceMetadata:
            ["GET"]
        case .login, .consent, .token, .pushed, .revocation, .introspection, .registration,
            .deviceAuthorization:
            ["POST"]
        case .userInfo, .device, .logout, .resource: ["GET", "POST"]
        }
    }

    func url(_ configuration: SandboxConfiguration) -> String { configuration.base + rawValue }
}

extension String {
    /// What stands between the two, without a further slash; `nil` when they do not frame the text.
    func wholeMatch(prefix: String, suffix: String) -> String? {
        guard hasPrefix(prefix), hasSuffix(suffix), count > prefix.count + suffix.count else { return nil }
        let middle = dropFirst(prefix.count).dropLast(suffix.count)
        return middle.contains("/") ? nil : String(middle)
    }
}
