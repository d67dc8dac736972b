import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

/// Keys of a client and of proofs, the same for all tests: what is signed with them differs.
private let generated = Result { () throws(KeyError) in
    (try PrivateKey.generate(.ec(.p256)), try PrivateKey.generate(.ec(.p256)))
}

/// A confidential client that signs, and what it proves to hold.
struct Signer {
    static let id = "signing-client"
    /// Long enough for HS256.
    static let secret = "a-secret-of-more-than-thirty-two-bytes"

    let key: PrivateKey
    let proofKey: DPoPKey
    private let random = CountingBytes(seed: "client")

    init() throws {
        let (key, proof) = try generated.get()
        self.key = key
        proofKey = try DPoPKey(proof)
    }

    var signer: MessageSigner { .key(key, .es256, kid: "c1") }
    var keySet: JSONObject { ["keys": [key.publicJWK(kid: "c1", alg: .es256)]] }

    func client(
        _ methods: [ClientAuthenticationMethod] = [.privateKeyJWT], _ demands: SandboxClient.Demands = .init()
    ) -> SandboxClient {
        SandboxClient(
            id: Self.id, name: "Signing", secret: Secret(Self.secret, kind: .clientSecret),
            redirectURIs: [Visitor.redirectURI], keySet: keySet, authenticationMethods: methods,
            demands: demands)
    }

    func bytes(_ count: Int = 16) -> [UInt8] { random.next(count) }

    /// The registration with an assertion for one request.
    func registration(
        _ change: (inout SignedAssertion.Subject) -> Void = { _ in }, signer: MessageSigner? = nil,
        now: Int64 = Visitor.now
    ) throws -> ClientRegistration {
        var subject = SignedAssertion.Subject.client(Self.id, at: Visitor.issuer)
        change(&subject)
        var registration = ClientRegistration(clientID: Self.id, authenticationMethod: .privateKeyJWT)
        registration.assertion = try SignedAssertion.make(
            subject, signer: signer ?? self.signer, randomBytes: bytes(), now: now)
        return registration
    }

    var postRegistration: ClientRegistration {
        ClientRegistration(
            clientID: Self.id, secret: Secret(Self.secret, kind: .clientSecret),
            authenticationMethod: .clientSecretPost)
    }

    func prove(_ plan: RequestPlan, nonce: String? = nil, now: Int64 = Visitor.now) throws -> RequestPlan {
        try plan.proving(proofKey, randomBytes: bytes(), now: now, nonce: nonce, step: "test")
    }

    /// A sandbox that knows the client beside the standard ones.
    func visitor(
        _ methods: [ClientAuthenticationMethod] = [.privateKeyJWT],
        _ demands: SandboxClient.Demands = .init(),
        faults: [String] = [], change: (inout SandboxConfiguration) -> Void = { _ in }
    ) throws -> Visitor {
        try Visitor(faults: faults) { configuration in
            configuration.clients.append(client(methods, demands))
            change(&configuration)
        }
    }

    /// The transaction of `Visitor.request`, with the verifier that fits.
    func transaction(
        scopes: [String] = ["openid", "email", "offline_access"], maxAge: Int? = nil, acrValues: [String] = []
    ) -> AuthorizationTransaction {
        AuthorizationTransaction(
            state: Secret("state-1", kind: .state), nonce: Secret("nonce-1", kind: .nonce),
            pkce: PKCE(verifier: Secret(Visitor.verifier, kind: .codeVerifier)),
            redirectURI: Visitor.redirectURI, issuer: Visitor.issuer, clientID: Self.id, scopes: scopes,
            maxAge: maxAge, acrValues: acrValues, createdAt: Visitor.now)
    }

    func authorization(
        _ transaction: AuthorizationTransaction? = nil, mode: String? = nil, resources: [String] = [],
        _ demands: AuthorizationDemands = .none
    ) -> RequestPlan {
        AuthorizationRequest.plan(
            endpoint: Visitor.issuer + "/authorize", transaction: transaction ?? self.transaction(),
            responseMode: mode, resources: resources, demands: demands, step: "authorize")
    }

    func code(_ response: HTTPResponse) throws -> AuthorizationResponse {
        let items = try response.callback().flatMap { name, values in values.map { (name: name, value: $0) } }
        var log = CheckLog()
        return try AuthorizationResponse.validate(
            items, transaction: transaction(), issuerParameterSupported: true, log: &log)
    }

    func exchange(
        _ response: AuthorizationResponse, resources: [String] = [], registration: ClientRegistration? = nil
    ) throws -> RequestPlan {
        TokenRequest.authorizationCode(
            endpoint: Visitor.issuer + "/token", response: response, transaction: transaction(),
            resources: resources, registration: try registration ?? self.registration(), dialect: .standard,
            step: "exchange")
    }

    /// Signs in with that request and redeems the code; the answer must be good.
    func tokens(
        _ visitor: Visitor, _ plan: RequestPlan? = nil, isProved: Bool = false
    ) throws -> TokenResponse {
        let redeemed = try exchange(code(visitor.send(plan ?? authorization())))
        let response = try visitor.send(isProved ? prove(redeemed) : redeemed)
        return try read(response, isProved ? .dpop : .bearer)
    }

    func read(_ response: HTTPResponse, _ demand: TokenTypeDemand = .bearer) throws -> TokenResponse {
        var log = CheckLog()
        return try TokenResponse.read(response, dialect: .standard, demand: demand, log: &log)
    }
}

/// The error that a message function throws.
func refusal<Value>(_ body: (inout CheckLog) throws(ProtocolError) -> Value) -> ProtocolError? {
    var log = CheckLog()
    do throws(ProtocolError) {
        _ = try body(&log)
        return nil
    } catch {
        return error
    }
}

extension ProtocolError {
    /// The check that failed.
    var check: Check? {
        if case .failed(let check, _, _) = self { check } else { nil }
    }

    /// The error code that the server gave.
    var code: String? {
        if case .rejected(let error, _) = self { error.code } else { nil }
    }
}
