internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Obtains tokens for what an assertion speaks for (RFC 7523 §2.1).
struct JWTBearerStep: StepWork {
    private var search = EndpointSearch(
        \.tokenEndpoint, "token_endpoint", operation: \.grant.request, missing: .rejected)
    private var isSending = false

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        continued(search.start(&registers, scope), &registers, scope)
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        guard isSending else {
            return continued(search.resume(event, &registers, scope), &registers, scope)
        }
        let asked = scopes(&registers, scope)
        return .finish(TokenAnswer.read(event, origin: .assertion, asked: asked, &registers, scope))
    }

    private mutating func continued(
        _ progress: EndpointSearch.Progress, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .action(let action): return action
        case .found(let endpoint, _):
            isSending = true
            do throws(RunFailure) {
                return send(try scope.assertion(&registers), to: endpoint, &registers, scope)
            } catch {
                return .fail(error)
            }
        }
    }

    private func scopes(_ registers: inout Registers, _ scope: StepScope) -> [String] {
        let given = scope.texts("scopes", &registers)
        return scope.provider.withFurther(given, ofStep: given)
    }

    private func send(
        _ assertion: Secret, to endpoint: String, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        registers.conceal([assertion])
        let scopes = scopes(&registers, scope)
        let resources = scope.texts("resource", &registers)
        let extra = scope.extraParameters(&registers)
        return scope.send(
            scope.provider.descriptor.grant.request, to: endpoint, .jwtBearer, scopes: scopes, &registers
        ) { endpoint, client, dialect in
            TokenRequest.jwtBearer(
                endpoint: endpoint, assertion: assertion, scopes: scopes, resources: resources, extra: extra,
                registration: client, dialect: dialect, step: scope.name)
        }
    }
}

extension StepScope {
    /// The assertion that the flow brings along, else one that is made here.
    fileprivate func assertion(_ registers: inout Registers) throws(RunFailure) -> Secret {
        if case .secret(let given) = value("assertion", &registers) {
            return Secret(given.reveal(), kind: .assertion)
        }
        return try made(&registers)
    }

    /// A new assertion where the step makes its own; `nil` where the flow brought one along.
    func ownAssertion(_ registers: inout Registers) throws(RunFailure) -> Secret? {
        if case .secret = value("assertion", &registers) { return nil }
        return try made(&registers)
    }

    /// Signed with the key that signs the client's other assertions.
    private func made(_ registers: inout Registers) throws(RunFailure) -> Secret {
        let client = provider.registration.clientID
        let issuer = registers.metadata[providerIndex]?.fields.issuer ?? provider.declared.issuer
        guard let audience = value("audience", &registers).text ?? issuer else {
            throw RunFailure(
                .clientKey, "the assertion has no audience: the provider names no issuer, and the step none")
        }
        let subject = SignedAssertion.Subject(
            issuer: client, subject: value("subject", &registers).text ?? client, audience: audience)
        let life = duration("expires_in", &registers).map { $0 / 1000 } ?? SignedAssertion.lifetime
        let claims = self.claims(&registers)
        let serial = registers.serial()
        let bytes = Array(Digest.sha256(serial.utf8).prefix(SignedAssertion.randomByteCount))
        let named = provider.descriptor.client.signingAlgorithm
        let signer = try ClientProof(provider: provider, serial: serial, now: registers.now / 1000)
            .signer(named?.keyType == nil ? nil : named)
        do throws(KeyError) {
            return try SignedAssertion.make(
                subject, signer: signer, randomBytes: bytes, now: registers.now, lifetime: life,
                further: claims)
        } catch {
            throw RunFailure(
                .clientKey, "the client's private key cannot sign with \(signer.algorithm.rawValue)")
        }
    }

    /// What is null is left out.
    private func claims(_ registers: inout Registers) -> JSONObject {
        guard case .templates(let templates)? = argument("claims") else { return [:] }
        var claims: JSONObject = [:]
        for (name, code) in templates {
            let value = registers.evaluate(code, plan)
            if !value.isNull { claims[name] = JSONForm.json(of: value) }
        }
        return claims
    }
}
