internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Opens an authorization transaction (state, nonce, PKCE) and presents its URL (RFC 6749 §4.1.1, OIDC Core §3.1.2.1).
struct AuthorizeStep: StepWork {
    private enum State: Sendable {
        case metadata
        case redirect(KnownMetadata)
        case randomness(KnownMetadata, redirectURI: String)
        /// A key is made that the code and the tokens will be bound to.
        case key(KnownMetadata, AuthorizationTransaction)
        /// The provider's key is looked for that the request is encrypted to.
        case recipient(RecipientKeyFetch, KnownMetadata, AuthorizationTransaction)
        case pushing(AuthorizationTransaction, RequestPlan)
        case presenting(url: String, AuthorizationTransaction)
    }

    /// How long a person has before the transaction is worthless, in milliseconds.
    private static let lifetime: Int64 = 10 * 60_000

    private var fetch = MetadataFetch()
    private var state = State.metadata

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        let signature = scope.provider.descriptor.callback.signature
        if let obstacle = signature.flatMap({
            CallbackSignature(facts: $0, provider: scope.provider).obstacle
        }) {
            return .fail(RunFailure(.clientKey, obstacle))
        }
        if let missing = scope.provider.missingProof { registers.notes.add(.warning(missing)) }
        // A code that cannot be redeemed is not asked for: the token endpoint is looked up first too.
        let isTokenEndpointNamed = scope.provider.descriptor.token.request.endpoint != nil
        let progress = fetch.start(
            &registers, scope,
            needs: { $0.authorizationEndpoint == nil || $0.tokenEndpoint == nil && !isTokenEndpointNamed })
        return continued(progress, &registers, scope)
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        switch state {
        case .metadata:
            return continued(fetch.resume(event, &registers, scope), &registers, scope)
        case .redirect(let known):
            switch event {
            case .redirectOpened(let uri):
                state = .randomness(known, redirectURI: uri)
                return .perform(.randomness(count: AuthorizationTransaction.randomByteCount))
            case .redirectFailed(let reason):
                return .fail(RunFailure(.redirectUnavailable, reason))
            default:
                preconditionFailure("a redirect was asked for, something else was reported")
            }
        case .randomness(let known, let redirectURI):
            guard case .randomness(let bytes) = event, bytes.count == AuthorizationTransaction.randomByteCount
            else {
                return .fail(RunFailure(.randomness, "the system gave no random bytes"))
            }
            return open(bytes, known, redirectURI, &registers, scope)
        case .key(let known, let transaction):
            guard registers.takeProofKey(event, of: scope.providerIndex) else {
                return .fail(RunFailure(.randomness, "the system made no key"))
            }
            return prepare(transaction, known, &registers, scope)
        case .recipient(var search, let known, let transaction):
            let progress = search.resume(event, &registers, scope)
            return continued(search, progress, transaction, known, &registers, scope)
        case .pushing(let transaction, let plan):
            return pushed(event, transaction, plan, &registers, scope)
        case .presenting(let url, let transaction):
            return finish(event, url, transaction, &registers, scope)
        }
    }

    /// Those of the flow, and over them those that the run was started with.
    private func extra(_ registers: inout Registers, _ scope: StepScope) -> [RequestParameter] {
        let given = scope.provider.givenParameters
        let names = Set(given.map(\.name))
        return scope.extraParameters(&registers).filter { !names.contains($0.name) } + given
    }

    private mutating func continued(
        _ progress: MetadataFetch.Progress, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .perform(let effect):
            return .perform(effect)
        case .failed(let result):
            return .finish(result.asImplicitDiscovery())
        case .failedAction(let action):
            return action
        case .ready(let known, _):
            guard known.fields.authorizationEndpoint != nil else {
                return .finish(.failed(.unsupported, nil, "the provider names no authorization_endpoint"))
            }
            let isTokenEndpointNamed = scope.provider.descriptor.token.request.endpoint != nil
            let isRedeemed = scope.plan.program.steps.contains { $0.kind == .exchange }
            guard known.fields.tokenEndpoint != nil || isTokenEndpointNamed || !isRedeemed else {
                return .finish(.failed(.unsupported, nil, "the provider names no token_endpoint"))
            }
            // What the descriptor leaves out may still be looked up; what was looked up lacks it.
            guard known.fields.jwksURI != nil || known === scope.provider.known || !needsKeys(scope)
            else {
                return .finish(.failed(.unsupported, "jwks_uri", "the provider names no jwks_uri"))
            }
            if let refusal = checkPKCE(known, &registers, scope) { return .finish(refusal) }
            state = .redirect(known)
            var plan = scope.provider.redirectPlan(fixed: fixedRedirect(scope, &registers))
            plan.methods = answerMethods(scope, &registers)
            return .perform(.openRedirect(plan))
        }
    }

    /// Whether the sign-in fails without the provider's keys.
    private func needsKeys(_ scope: StepScope) -> Bool {
        let program = scope.plan.program
        return scope.provider.macKey == nil
            && scope.provider.signsInWithIDToken(program.providers[scope.providerIndex])
            && program.steps.contains {
                $0.kind == .verifyIDToken && $0.provider == scope.providerIndex
            }
    }

    private func checkPKCE(
        _ known: KnownMetadata, _ registers: inout Registers, _ scope: StepScope
    ) -> StepResult? {
        if let method = scope.provider.challengeMethod {
            return ChallengeCheck.refusal(method, known, &registers)
        }
        var log = CheckLog()
        log.relax(Checks.pkce, because: "the descriptor says that the provider knows no PKCE")
        registers.note(log)
        return nil
    }

    /// The flow's word, or the descriptor's; `nil` leaves it to the server.
    private func responseMode(_ scope: StepScope, _ registers: inout Registers) -> String? {
        guard let text = scope.value("response_mode", &registers).text, text != "auto" else {
            return scope.provider.descriptor.authorization.responseMode
        }
        return text
    }

    /// What a flow asks for holds, then what the descriptor says, then the mode that it asks for.
    private func answerMethods(_ scope: StepScope, _ registers: inout Registers) -> [HTTPMethod] {
        let facts = scope.provider.descriptor
        let mode = responseMode(scope, &registers)
        if mode == facts.authorization.responseMode, !facts.callback.methods.isEmpty {
            return facts.callback.methods
        }
        return mode?.hasPrefix("form_post") == true ? [.post] : [.get]
    }

    private func fixedRedirect(_ scope: StepScope, _ registers: inout Registers) -> String? {
        if let fixed = scope.plan.redirectURI { return fixed }
        guard let text = scope.value("redirect", &registers).text, text != "auto", text != "loopback" else {
            return nil
        }
        return text
    }

    private mutating func open(
        _ bytes: [UInt8], _ known: KnownMetadata, _ redirectURI: String, _ registers: inout Registers,
        _ scope: StepScope
    ) -> StepAction {
        let provider = scope.provider
        let asked = scope.value("scopes", &registers)
        let scopes = provider.authorizationScopes(asked.isNull ? nil : asked.texts)
        let facts = provider.descriptor.authorization
        var transaction = AuthorizationTransaction(
            randomBytes: bytes, wantsNonce: provider.wantsNonce(scopes), pkce: provider.challengeMethod,
            redirectURI: redirectURI, issuer: known.fields.issuer,
            clientID: provider.registration.clientID, scopes: scopes,
            maxAge: scope.duration("max_age", &registers).map { Int($0 / 1000) },
            acrValues: scope.value("acr_values", &registers).texts ?? [], createdAt: registers.now)
        registers.meet([transaction.state, transaction.nonce, transaction.pkce?.verifier].compactMap(\.self))
        if facts.state == .inRedirectURI {
            // The redirect URI is a text like any other, and now it bears a secret.
            registers.conceal([transaction.state])
            transaction = transaction.withStateInRedirectURI()
        }
        guard provider.bindsTokens, registers.proofKeys[scope.providerIndex] == nil else {
            return prepare(transaction, known, &registers, scope)
        }
        state = .key(known, transaction)
        return .perform(.newKey(FlowMachine.proofKeyType(known)))
    }

    /// Looks for the provider's key where requests are encrypted to it.
    private mutating func prepare(
        _ transaction: AuthorizationTransaction, _ known: KnownMetadata, _ registers: inout Registers,
        _ scope: StepScope
    ) -> StepAction {
        guard let encryption = scope.provider.descriptor.client.security.requestEncryption else {
            return request(transaction, known, to: nil, &registers, scope)
        }
        var search = RecipientKeyFetch(encryption)
        let progress = search.start(&registers, scope)
        return continued(search, progress, transaction, known, &registers, scope)
    }

    private mutating func continued(
        _ search: RecipientKeyFetch, _ progress: RecipientKeyFetch.Progress,
        _ transaction: AuthorizationTransaction, _ known: KnownMetadata, _ registers: inout Registers,
        _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .action(let action):
            state = .recipient(search, known, transaction)
            return action
        case .failed(let result): return .finish(result)
        case .found(let key): return request(transaction, known, to: key, &registers, scope)
        }
    }

    /// Makes the request as it is meant, then signs, encrypts and pushes it where the server or the client demand that.
    private mutating func request(
        _ transaction: AuthorizationTransaction, _ known: KnownMetadata, to recipient: JWK?,
        _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        let provider = scope.provider
        let facts = provider.descriptor.authorization
        let inputs = inputs(transaction, &registers, scope)
        let mode = responseMode(scope, &registers)
        let demands: AuthorizationDemands
        do throws(AuthorizeDemands.Refusal) {
            demands = try AuthorizeDemands.read(&registers, scope)
        } catch {
            return .finish(.failed(.rejected, "invalid_request", error.reason))
        }
        do throws(RunFailure) {
            var plan = AuthorizationRequest.plan(
                endpoint: endpoint(known, inputs, provider), transaction: transaction,
                style: provider.authorizationStyle, responseMode: mode,
                prompt: scope.value("prompt", &registers).text,
                loginHint: scope.value("login_hint", &registers).text,
                uiLocales: scope.value("ui_locales", &registers).texts?.joined(separator: " ").nonEmpty,
                resources: scope.texts("resource", &registers), demands: demands,
                clientSource: provider.registration.clientIDSource,
                scopeSource: provider.scopeSource(
                    scope.givenTexts("scopes", &registers), step: scope.name),
                extra: extra(&registers, scope),
                dialect: provider.bound.dialect(facts.dialect, inputs), step: scope.name)
            plan.endpointSource = provider.source(ofEndpoint: plan.endpoint)
            registers.demands[scope.step] = Registers.AnswerDemands(
                isSecured: SecuredAuthorizationResponse.isSecured(mode),
                details: demands.authorizationDetails,
                essentialLevels: demands.claims?.essentialACRValues ?? [])
            if provider.signsRequests(known) {
                plan = try scope.signed(plan, transaction, known, to: recipient, &registers)
            }
            return try push(plan, transaction, known, &registers, scope)
                ?? present(plan, transaction, &registers, scope)
        } catch {
            return .fail(error)
        }
    }

    /// Pushes the request where that is demanded or wished for; `nil` where the browser carries all of it.
    private mutating func push(
        _ plan: RequestPlan, _ transaction: AuthorizationTransaction, _ known: KnownMetadata,
        _ registers: inout Registers, _ scope: StepScope
    ) throws(RunFailure) -> StepAction? {
        let wish = scope.value("push", &registers).text
        let isDemanded = scope.provider.mustPush(known)
        if wish == "never", isDemanded {
            return .finish(.failed(.unsupported, nil, "the request must be pushed, and the flow says never"))
        }
        let isDescribed = scope.provider.descriptor.server.pushedAuthorizationRequestEndpoint != nil
        guard isDemanded || wish == "require" || isDescribed && wish != "never" else { return nil }
        guard let endpoint = known.fields.pushedAuthorizationRequestEndpoint else {
            return .finish(
                .failed(.unsupported, nil, "the provider names no pushed_authorization_request_endpoint"))
        }
        state = .pushing(transaction, plan)
        return scope.send(DialectFacts(), to: endpoint, .pushedAuthorization, &registers) {
            endpoint, client, dialect in
            PushedAuthorizationRequest.plan(
                endpoint: endpoint, authorization: plan, registration: client, dialect: dialect)
        }
    }

    private mutating func pushed(
        _ event: InputEvent, _ transaction: AuthorizationTransaction, _ plan: RequestPlan,
        _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        let response: HTTPResponse
        switch HTTPStep.reply(event, &registers, burning: false) {
        case .trouble(let result): return .finish(result)
        case .answer(let answer): response = answer
        }
        var log = CheckLog()
        defer { registers.note(log) }
        do throws(ProtocolError) {
            let answer = try PushedAuthorizationResponse.read(response, dialect: .standard, log: &log)
            registers.conceal([answer.requestURI])
            registers.notes.add(.note("pushed; the browser has \(answer.expiresIn) s to open it"))
            let short = AuthorizationRequest.plan(
                for: answer, in: plan, clientID: transaction.clientID, step: scope.name)
            return present(short, transaction, &registers, scope)
        } catch {
            let result = HTTPStep.result(of: error, .token, registers.now, response, burning: false)
            return .finish(scope.classified(result.withoutGrant(), response))
        }
    }

    private mutating func present(
        _ plan: RequestPlan, _ transaction: AuthorizationTransaction, _ registers: inout Registers,
        _ scope: StepScope
    ) -> StepAction {
        registers.notes.add(.request(plan, purpose: "authorization"))
        if let name = plan.repeatedParameter {
            return .fail(RunFailure(repeating: name, "the authorization endpoint", "§3.1"))
        }
        var dialect = scope.provider.descriptor.callback.dialect
        dialect.isSecured = registers.demands[scope.step]?.isSecured == true
        do throws(ProtocolError) {
            let url = try plan.encoded().url
            state = .presenting(url: url, transaction)
            return .perform(
                .present(
                    Presentation(
                        url: url, means: means(scope, &registers), state: transaction.state,
                        expiresAt: registers.now + Self.lifetime, plan: plan, dialect: dialect,
                        seal: dialect.isSecured ? scope.provider.sealedResponses : nil,
                        demand: scope.provider.stateDemand, attempt: scope.attempt(&registers))))
        } catch {
            return .finish(.failed(.unsupported, "malformed", "the authorization URL cannot be built"))
        }
    }

    /// What the descriptor's texts may refer to: nothing secret, for the browser sees the request.
    private func inputs(
        _ transaction: AuthorizationTransaction, _ registers: inout Registers, _ scope: StepScope
    ) -> DescriptorInputs {
        var inputs = DescriptorInputs(
            clientID: transaction.clientID, redirectURI: transaction.redirectURI)
        inputs[.scope] = .string(
            transaction.scopes.joined(separator: scope.provider.descriptor.authorization.scopeDelimiter))
        inputs[.state] = .string(transaction.state.reveal())
        inputs[.now] = .int(registers.now / 1000)
        inputs[.nowMilliseconds] = .int(registers.now)
        inputs[.random] = .string(registers.serial())
        return inputs
    }

    private func endpoint(
        _ known: KnownMetadata, _ inputs: DescriptorInputs, _ provider: BoundProvider
    ) -> String {
        let alternative = provider.descriptor.authorization.alternatives.first {
            provider.bound.holds($0.condition, inputs)
        }
        return alternative.flatMap { provider.bound.text($0.endpoint, inputs) }
            ?? known.fields.authorizationEndpoint ?? ""
    }

    private func means(_ scope: StepScope, _ registers: inout Registers) -> Presentation.Means {
        scope.value("present", &registers).text.flatMap(Presentation.Means.init) ?? .browser
    }

    private func finish(
        _ event: InputEvent, _ url: String, _ transaction: AuthorizationTransaction,
        _ registers: inout Registers,
        _ scope: StepScope
    ) -> StepAction {
        switch event {
        case .presented(let how):
            registers.transactions[scope.step] = transaction
            if !how.isEmpty { registers.notes.add(.note("shown in \(how)")) }
            return .finish(
                StepResult(
                    .ok,
                    fields: [
                        .string(url), .string(transaction.redirectURI),
                        .time(transaction.createdAt + Self.lifetime),
                    ]))
        case .headless(let reason):
            return .finish(.failed(.headless, nil, reason))
        default:
            preconditionFailure("a URL was to be presented, something else was reported")
        }
    }
}

extension String {
    var nonEmpty: String? { isEmpty ? nil : self }
}
