package import FlowLanguage
internal import JOSE
package import OAuthProtocol

/// A descriptor with its variables filled in and the client's registration: what steps ask for endpoints and dialects.
///
/// Immutable; texts that cannot change during a run are evaluated once, here.
package final class BoundProvider: Sendable {
    package let descriptor: ProviderDescriptor
    package let bound: BoundDescriptor
    package let registration: ClientRegistration
    /// What the descriptor itself says of the server; wins over discovered metadata.
    package let declared: ServerMetadataFields
    /// The same, as what is known without asking.
    package let known: KnownMetadata
    /// The same, as what lies over discovered metadata.
    let overlay: MetadataOverlay
    package let discoveryPlans: [RequestPlan]
    /// Further texts that a metadata document may give as its issuer.
    package let acceptedMetadataIssuers: [String]
    /// Members that a metadata document has no say in.
    package let amendedMetadata: Set<String>
    /// What flows may name beyond the protocol: `provider.endpoints`, `provider.resources` and the like.
    package let extras: BoundExtras
    /// What sessions are filed under: the issuer; for a provider without one its id, with what makes one server of many.
    ///
    /// A token of one server is never sent to another that the same descriptor describes.
    package let sessionIssuer: String
    /// Where the values of the client's registration were found, for the trace.
    package let registrationFacts: [RegistrationFact]
    /// Everywhere that its file may have secrets sent.
    package let destinations: Set<String>
    /// Whether somebody stands for its file; one that merely lies where the program was started gets no tokens that were
    /// not meant for its destinations.
    package let isVetted: Bool
    /// What its file asks for where the flow names no scopes.
    let scopes: [String]
    /// What its file asks for in any case.
    private let requiredScopes: [String]
    private let extraScopes: [String]
    /// Further parameters of authorization requests that this very run was started with.
    let givenParameters: [RequestParameter]
    /// Scopes that this very run was started for: a stored session without them is not enough.
    let demandedScopes: [String]
    /// Where the descriptor names each endpoint.
    private let endpointSources: [String: String]
    /// How this very client registered to prove itself, where its registration says so.
    private let registeredMethod: ClientAuthenticationMethod?
    /// Why the registration's secret could not be read: only a request that needs it ends the run.
    let unreadSecret: String?
    /// Whether nothing is sent, and so nothing needs to be signed with a real key.
    let isRehearsal: Bool
    /// The registration's private key, where the client registered encryption.
    private let decryptionKeys: [DecryptionKey]
    /// How its connections differ from those to others.
    package let connections: ProviderConnections
    /// Whom its answers are said to come from: the issuer, else whoever issues codes or tokens.
    let host: String?

    /// - Parameter method: How the client registered to prove itself; wins over the descriptor's.
    package init(
        descriptor: ProviderDescriptor, bound: BoundDescriptor, registration: ClientRegistration,
        extraScopes: [String] = [], demandedScopes: [String] = [], parameters: [RequestParameter] = [],
        method: ClientAuthenticationMethod? = nil,
        isRehearsal: Bool = false, isVetted: Bool = true, registrationFacts: [RegistrationFact] = [],
        unreadSecret: String? = nil
    ) {
        registeredMethod = method
        self.unreadSecret = unreadSecret
        self.isRehearsal = isRehearsal
        self.isVetted = isVetted
        self.registrationFacts = registrationFacts
        let bound = bound.used(by: registration.clientID)
        destinations = bound.destinations()
        self.descriptor = descriptor
        self.bound = bound
        self.registration = registration
        scopes = bound.scopes
        requiredScopes = bound.requiredScopes
        self.extraScopes = extraScopes
        givenParameters = parameters
        self.demandedScopes = demandedScopes
        decryptionKeys = Self.decryptionKeys(descriptor.client, registration, isRehearsal: isRehearsal)
        declared = bound.serverFields()
        endpointSources = bound.endpointSources()
        sessionIssuer = declared.issuer ?? Self.place(of: bound)
        known = KnownMetadata(
            registration.certificate == nil ? declared : declared.forMutualTLS())
        overlay = MetadataOverlay(known.fields)
        connections = ProviderConnections(
            descriptor.tls?.policy, registration, issuer: declared.issuer, isRehearsal: isRehearsal)
        // An endpoint that an answer fills in has no host yet.
        host =
            connections.issuerHost
            ?? (declared.authorizationEndpoint ?? declared.tokenEndpoint).flatMap {
                try? EndpointURL($0, allowLoopbackHTTP: true)
            }?.hostName
        extras = bound.extras()
        acceptedMetadataIssuers = bound.issuerAliases
        amendedMetadata = bound.amendedMembers()
        discoveryPlans =
            declared.issuer.map { Discovery.plans(issuer: $0, metadataURL: bound.metadataURL) } ?? []
    }

    /// What sessions name in place of an issuer where the provider has none.
    private static func place(of bound: BoundDescriptor) -> String {
        let environment = bound.descriptor.environment.map { "/\($0)" } ?? ""
        let server = bound.variableServer.map { " \($0)" } ?? ""
        return "\(placeScheme)\(bound.descriptor.id)\(environment)\(server)"
    }

    private static let placeScheme = "provider:"

    /// Whether what a session names is an issuer, not what stands in place of one.
    static func isIssuer(_ text: String) -> Bool { !text.hasPrefix(placeScheme) }

    /// What expressions read as `provider.NAME`.
    func value(of member: ProviderMember) -> Value {
        switch member {
        case .id: .string(descriptor.id)
        case .name: .string(descriptor.displayName)
        case .issuer: declared.issuer.map(Value.string) ?? .null
        case .trusted: .bool(extras.isTrusted)
        case .origins: .list(origins(nil).sorted().map(Value.string))
        case .resources: .list(extras.resources.map(Value.string))
        case .allowedRedirects: .list(extras.allowedRedirects.map(Value.string))
        case .postLogoutRedirects: .list(extras.postLogoutRedirects.map(Value.string))
        case .endpoints: Self.object(extras.endpoints)
        case .values: Self.object(extras.values)
        }
    }

    private static func object(_ texts: [String: String]) -> Value {
        .json(.object(JSONObject(sorting: texts) { .string($0) }))
    }

    package var mayDiscover: Bool { descriptor.discovery != .off && !discoveryPlans.isEmpty }
    var mustDiscover: Bool { descriptor.discovery == .required }

    /// `nil` for a provider that knows no PKCE.
    var challengeMethod: PKCE.Method? {
        descriptor.authorization.pkce == .off ? nil : descriptor.authorization.challengeMethod
    }

    func wantsNonce(_ scopes: [String]) -> Bool {
        if descriptor.authorization.wantsIDToken { return true }
        return switch descriptor.authorization.nonce {
        case .auto: descriptor.wireProtocol == .oidc && scopes.contains("openid")
        case .required: true
        case .off: false
        }
    }

    /// The scopes of a request: those asked for, or the descriptor's, with the ones that it and OpenID Connect require.
    package func authorizationScopes(_ asked: [String]?) -> [String] {
        var scopes = withFurther(asked ?? self.scopes, ofStep: asked)
        let required = requiredScopes + (descriptor.wireProtocol == .oidc ? ["openid"] : [])
        for scope in required.reversed() where !scopes.contains(scope) { scopes.insert(scope, at: 0) }
        return scopes.uniqued
    }

    /// The scopes that an answer names.
    ///
    /// Where commas stand between those of a request, a name with commas in it is several: who wants them so answers so.
    /// `types` of the descriptor says otherwise.
    func granted(_ scopes: [String], readBy response: ResponseDialect) -> [String] {
        guard descriptor.authorization.scopeDelimiter == ",", response.types["scope"] == nil,
            let only = scopes.first, scopes.count == 1
        else { return scopes }
        return only.split(separator: ",").map(String.init)
    }

    /// With the scopes that this very run was started for and, where the step names none of its own, those of the
    /// registration.
    func withFurther(_ scopes: [String], ofStep asked: [String]?) -> [String] {
        (scopes + (asked?.isEmpty ?? true ? extraScopes : demandedScopes)).uniqued
    }

    /// Where the scopes of an authorization request come from, in the order in which they are asked for.
    ///
    /// - Parameter asked: Those that the step names, where it names any.
    func scopeSource(_ asked: [String]?, step: String) -> ParameterSource {
        let file = descriptor.authorization.scopeSource.map { ParameterSource.descriptor($0) }
        var scopes = asked ?? self.scopes
        var sources = scopes.isEmpty ? [] : [asked == nil ? file ?? .step(step) : .step(step)]
        func add(_ further: [String], _ source: ParameterSource?) {
            guard let source, further.contains(where: { !scopes.contains($0) }) else { return }
            scopes += further
            if !sources.contains(source) { sources.append(source) }
        }
        if asked?.isEmpty ?? true { add(extraScopes.filter { !demandedScopes.contains($0) }, .registration) }
        add(demandedScopes, .commandLine)
        add(requiredScopes, file)
        if descriptor.wireProtocol == .oidc { add(["openid"], .specification) }
        switch sources.count {
        case 0: return .step(step)
        case 1: return sources[0]
        default: return .several(sources)
        }
    }

    /// The registration with the client authentication method that holds: the operation's, the descriptor's, the
    /// metadata's, else the default of RFC 8414 §2.
    ///
    /// - Parameter operation: The method of the very operation, where the descriptor names one.
    func authentication(
        _ metadata: KnownMetadata?, operation: ClientAuthenticationMethod?
    ) -> ClientRegistration {
        var registration = registration
        registration.authenticationMethod = method(metadata, operation)
        return registration
    }

    /// What this client lacks to get tokens, as far as provider file and registration say; `nil` where it lacks nothing.
    var missingProof: String? {
        guard let method = provingMethod else { return nil }
        if method == .none, registration.secret != nil, !descriptor.needsClientSecret {
            return
                "the client's secret is not sent: those of \(descriptor.displayName) prove themselves with none, "
                + "unless the registration has a token_endpoint_auth_method"
        }
        return missingCredential.map { "\($0): tokens may be refused" }
    }

    /// What this client cannot do without to prove itself when it gets tokens, and why; `nil` where it lacks nothing, or
    /// only the metadata of the provider says what it needs.
    package var missingCredential: String? {
        guard let method = provingMethod else { return nil }
        // An empty one is mostly a variable that is not set.
        func isThere(_ secret: Secret?) -> Bool { secret?.isEmpty == false }
        let missing: String
        if method.needsSecret, !isThere(registration.secret) {
            missing = "secret"
        } else if method == .privateKeyJWT, !isThere(registration.privateKey), registration.assertion == nil {
            missing = "private key"
        } else if method.isMutualTLS, registration.clientCertificate == nil {
            missing = "certificate with its key"
        } else {
            return nil
        }
        return "the client has no \(missing), and those of \(descriptor.displayName) prove themselves with "
            + method.rawValue
    }

    /// How the client proves itself when it gets tokens, as far as provider file and registration say.
    private var provingMethod: ClientAuthenticationMethod? {
        let client = descriptor.client
        guard !isRehearsal, client.madeSecret == nil, client.basicPassword == nil,
            registration.assertion == nil || registeredMethod != nil
        else { return nil }
        return namedMethod(descriptor.token.request.authenticationMethod)
    }

    /// The method that the operation, the registration or the provider file names.
    private func namedMethod(_ operation: ClientAuthenticationMethod?) -> ClientAuthenticationMethod? {
        operation ?? registeredMethod ?? descriptor.client.authenticationMethod
    }

    private func method(
        _ metadata: KnownMetadata?, _ operation: ClientAuthenticationMethod?
    ) -> ClientAuthenticationMethod {
        let hasSecret = registration.secret != nil || descriptor.client.madeSecret != nil
        let named = namedMethod(operation)
        // Without a certificate the request would only be refused: making it says so.
        if let named, named.isMutualTLS { return named }
        // An assertion that somebody else issued proves the client in one way alone.
        if registration.assertion != nil, registeredMethod == nil, operation != .some(.none) {
            return .privateKeyJWT
        }
        guard hasSecret || registration.privateKey != nil || registration.assertion != nil else {
            return .none
        }
        if let named { return named }
        let offered = metadata?.fields.tokenEndpointAuthMethodsSupported ?? []
        if registration.certificate != nil, let method = Self.certificateMethod(offered, hasSecret) {
            return method
        }
        if registration.privateKey != nil, !hasSecret || offered.contains("private_key_jwt") {
            return .privateKeyJWT
        }
        let usable = offered.compactMap(ClientAuthenticationMethod.init).filter {
            $0 != .none && $0 != .privateKeyJWT && !$0.isMutualTLS
        }
        return usable.isEmpty || usable.contains(.clientSecretBasic) ? .clientSecretBasic : usable[0]
    }

    /// How a client with a certificate proves itself where nothing else is said; both ways look the same to the server.
    private static func certificateMethod(
        _ offered: [String], _ hasSecret: Bool
    ) -> ClientAuthenticationMethod? {
        let known: [ClientAuthenticationMethod] = [.tlsClientAuth, .selfSignedTLSClientAuth]
        return known.first { offered.contains($0.rawValue) }
            ?? (offered.isEmpty && !hasSecret ? .tlsClientAuth : nil)
    }

    /// Signature algorithms that an ID token may bear: the registered one, else what the metadata lists of those that
    /// this client trusts, else RS256 (OIDC Core §3.1.3.7 (7)).
    func allowedAlgorithms(_ metadata: KnownMetadata?) -> [SignatureAlgorithm] {
        if let registered = descriptor.client.idTokenSignedResponseAlgorithm { return [registered] }
        let offered = metadata?.fields.idTokenSigningAlgValuesSupported ?? []
        let usable = offered.compactMap { SignatureAlgorithm(name: $0) }.filter { $0.keyType != nil }
        return usable.isEmpty ? [.rs256] : usable
    }

    /// The client's secret, where its registration says that ID tokens are authenticated with that (OIDC Core §10.1).
    var macKey: SharedSecret? { macKey(descriptor.client.idTokenSignedResponseAlgorithm) }
    /// The same for the answers of the UserInfo endpoint.
    var userinfoMACKey: SharedSecret? { macKey(descriptor.client.userinfoSignedResponseAlgorithm) }
    /// The same for answers about tokens.
    var introspectionMACKey: SharedSecret? { macKey(descriptor.client.introspectionSignedResponseAlgorithm) }

    private func macKey(_ algorithm: SignatureAlgorithm?) -> SharedSecret? {
        guard let algorithm, algorithm.keyType == nil else { return nil }
        return registration.secret.map { SharedSecret(Array($0.reveal().utf8)) }
    }

    /// The encryption of ID tokens; a rehearsal reads no key of the client and so encrypts nothing.
    var idTokenEncryption: RegisteredEncryption? { isRehearsal ? nil : descriptor.client.idTokenEncryption }
    var userinfoEncryption: RegisteredEncryption? { isRehearsal ? nil : descriptor.client.userinfoEncryption }
    var introspectionEncryption: RegisteredEncryption? {
        isRehearsal ? nil : descriptor.client.introspectionEncryption
    }

    var responseEncryption: RegisteredEncryption? {
        isRehearsal ? nil : descriptor.client.security.responseEncryption
    }

    /// What opens encrypted authorization responses; `nil` where the client registered for none.
    var sealedResponses: SealedResponses? {
        responseEncryption.map { SealedResponses($0, keys: decryptionKeys) }
    }

    /// Takes off the encryption that the client registered; refuses a token that is encrypted otherwise, or not.
    func opened(
        _ token: Secret, _ encryption: RegisteredEncryption?, log: inout CheckLog
    ) throws(ProtocolError) -> Secret {
        try EncryptedToken.open(token, registered: encryption, keys: decryptionKeys, log: &log)
    }

    /// A stored ID token for somebody who cannot open what the provider encrypted for the client, such as the provider
    /// itself: the signed one inside, as OIDC Core §3.1.2.1 asks of `id_token_hint`.
    ///
    /// - Returns: `nil` also for one that cannot be opened, such as with another key than it was encrypted to.
    package func signed(_ idToken: Secret?) -> Secret? {
        guard let idTokenEncryption else { return idToken }
        // It was verified when it came; what is wrong with it since then is told by whoever gets none.
        var log = CheckLog()
        return idToken.flatMap { try? opened($0, idTokenEncryption, log: &log) }
    }

    private static func decryptionKeys(
        _ client: ClientFacts, _ registration: ClientRegistration, isRehearsal: Bool
    ) -> [DecryptionKey] {
        guard !isRehearsal, !client.encryptions.isEmpty,
            // A key that cannot be read decrypts nothing, and the check of decryption says so.
            let text = registration.privateKey, let read = try? SigningKeyText.read(text)
        else { return [] }
        return [DecryptionKey(read.key, kid: read.kid)]
    }

    func expectsIssuerParameter(_ metadata: KnownMetadata?) -> Bool {
        switch descriptor.callback.issuer {
        case .auto, .ignore: metadata?.fields.authorizationResponseIssParameterSupported ?? false
        case .require: true
        }
    }

    func requiresIDToken(_ slot: ProviderSlot, _ set: TokenSet) -> Bool {
        (set.origin == .code || set.origin == .device) && signsInWithIDToken(slot)
    }

    /// Whether a sign-in without an ID token is none.
    func signsInWithIDToken(_ slot: ProviderSlot) -> Bool {
        if let expected = slot.expectsIDToken { return expected }
        guard !descriptor.idToken.isIgnored else { return false }
        return descriptor.idToken.isRequired ?? (descriptor.wireProtocol == .oidc)
    }

    /// The issuers that an ID token may name; a multi-tenant provider's depends on the token's own claims.
    func expectedIssuers(_ jws: VerifiedJWS) -> [String] {
        // A payload that is no JSON object fails its own check later.
        bound.expectedIssuers(claims: (try? JSON.parse(jws.payload))?.objectValue ?? [:])
    }

    func redirectPlan(fixed: String?, for errand: BrowserErrand = .signIn) -> RedirectPlan {
        RedirectPlan(
            host: descriptor.redirect.loopbackHosts.first ?? "127.0.0.1",
            ports: descriptor.redirect.loopbackPorts,
            path: descriptor.redirect.loopbackPath, fixed: fixed, providerName: descriptor.displayName,
            errand: errand)
    }

    /// What says where a request goes: a line of the descriptor, or the published metadata.
    func source(ofEndpoint url: String) -> ParameterSource {
        if let place = endpointSources[url] { return .descriptor(place) }
        if discoveryPlans.contains(where: { $0.endpoint == url }), let place = issuerSource {
            return .descriptor(place)
        }
        return .metadata
    }

    private var issuerSource: String? {
        (descriptor.server.metadataURL ?? descriptor.server.issuer)?.source
    }

    /// How the authorization request is written, apart from its parameters.
    var authorizationStyle: AuthorizationStyle {
        let facts = descriptor.authorization
        var style = AuthorizationStyle()
        style.scopeDelimiter = facts.scopeDelimiter
        style.repeatsScope = facts.repeatsScope
        style.omitsEmptyScope = facts.omitsEmptyScope
        style.responseType = facts.responseType
        style.sendsState = facts.state == .required
        style.fragment = facts.fragment
        style.trailingFragment = facts.trailingFragment
        style.order = facts.order
        return style
    }

    /// When an answer must bear `state`.
    var stateDemand: StateDemand {
        switch (descriptor.authorization.state, descriptor.authorization.isStateRequiredOnError) {
        case (.off, _): .never
        case (_, false): .unlessError
        case (_, true): .always
        }
    }

    /// Whether the tokens of a stored session may go where this file sends them.
    package func mayUse(_ set: TokenSet) -> Bool {
        isVetted || isRehearsal || BoundDescriptor.stays(destinations, within: set.destinations ?? [])
    }

    /// Whether a set holds what a refresh presents, and its time is not over.
    ///
    /// - Parameter now: Milliseconds since 1970; `nil` where a newer set may lie in the store.
    package func canRefresh(_ set: TokenSet, at now: Int64?) -> Bool {
        guard descriptor.refresh.isSupported else { return false }
        switch descriptor.refresh.subject {
        case .refreshToken:
            return set.refreshToken != nil && now.map { !set.isRefreshOver(at: $0) } ?? true
        case .accessToken, .none: return true
        }
    }

    /// How a refresh ends of a set that cannot be refreshed.
    func missingRefresh(_ set: TokenSet) -> StepResult {
        guard descriptor.refresh.isSupported else {
            return .failed(
                .absent, "never_renewed",
                "the file of \(descriptor.displayName) says that it renews no tokens (refresh.supported)")
        }
        guard set.refreshToken != nil, let end = set.refreshExpiresAt else {
            return .failed(.absent, nil, "there is no refresh token")
        }
        return .failed(.absent, "refresh_ended", "the refresh token ended at \(CalendarText.utc(end))")
    }

    /// Origins that `http` steps may call: those of the endpoints, discovered ones too, and those of the descriptor.
    package func origins(_ metadata: KnownMetadata?) -> Set<String> {
        let fields = metadata?.fields ?? declared
        let urls = ServerMetadataFields.urls.compactMap { fields[keyPath: $0.path] } + [fields.issuer]
        // A text that is no https URL has no origin.
        let operations = descriptor.operations.map {
            ($0.operation.request.endpointStart ?? $0.operation.request.endpoint).flatMap { bound.text($0) }
        }
        let found = (urls + operations).compactMap { url in
            url.flatMap { try? EndpointURL($0, allowLoopbackHTTP: true) }?.origin
        }
        return Set(found + extras.origins)
    }

    /// The profile that the descriptor's `claims` make of the answers.
    func profile(
        idToken: JSONObject?, userinfo: JSONObject?, tokens: JSONObject?, callback: JSONObject?,
        additional: [String: JSONValue], unread: inout [UnreadClaim]
    ) -> JSONObject {
        bound.profile(
            claims: idToken, userinfo: userinfo, token: tokens, callback: callback, additional: additional,
            clientID: registration.clientID, unread: &unread)
    }
}
