internal import FlowReport
internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// `provider test`: everything about a provider that needs no person, one line each.
struct ProviderTestCommand: Sendable {
    let context: CommandContext
    let request: ProviderTestRequest

    func run() async throws(Problem) -> Int {
        let report: ProviderCheckReport
        do throws(Problem) {
            let survey = try ProviderSurvey(request.provider, request.client, context, isRehearsal: false)
            report = ProviderCheckReport(
                provider: survey.descriptor.id, title: survey.descriptor.displayName,
                checks: try await checks(survey))
        } catch {
            // A file that is there and wrong is a finding; a name that nothing has is a mistake of the command line.
            guard !error.diagnostics.isEmpty else { throw error }
            context.show(error.diagnostics, error.sources)
            let file = error.diagnostics[0].file
            report = ProviderCheckReport(
                provider: request.provider, title: request.provider,
                checks: [
                    .fail(
                        "descriptor", error.message, fix: "flowrun lint \(ShellWords.quoted([file]))",
                        error.status)
                ])
        }
        let options = RenderOptions(context.common, context.surroundings.output, context.surroundings)
        switch request.form {
        case .json: context.write(report.json)
        case .text: context.write(report.text(options, isQuiet: context.common.verbosity == 0))
        }
        return report.status.rawValue
    }

    private func checks(_ survey: ProviderSurvey) async throws(Problem) -> [ProviderCheck] {
        let local = RegistrationChecks(
            survey: survey, options: request.client, surroundings: context.surroundings)
        let secrets = local.secretVariables()
        var checks = [
            local.descriptorCheck(), local.variablesCheck(secrets.values), local.clientCheck(),
            local.secretCheck(),
        ]
        let certificate = local.certificate()
        checks +=
            [local.keyCheck(), local.assertionCheck(now: WallClock.now()), certificate.check].compactMap(
                \.self) + secrets.checks
        // Without its variables a provider has no addresses; the check above says what is wrong.
        guard let provider = try? survey.bound(secrets: secrets.values, certificate: certificate.value) else {
            return checks + [.skip("network", "there is no address before the variables are right")]
        }
        let sandbox = try setup.sandbox(for: [provider], request.client)
        defer { sandbox?.stop() }
        let probe = try setup.probe(request.live, context.common)
        defer { probe.shutDown() }
        let remote = RemoteChecks(
            probe: probe.asking(provider), provider: provider, scopes: survey.found.scopes)
        checks += await remote.checks()
        if let client = survey.found.clientID?.value, ClientMetadataDocument.problem(of: client) == nil {
            let redirects = provider.redirectURIs(fixed: survey.found.redirectURI?.value)
            checks.append(await remote.document(client, redirects))
        }
        checks.append(try await tokenCheck(survey))
        return checks
    }

    private var setup: LiveSetup {
        LiveSetup(surroundings: context.surroundings, secretVariables: [])
    }

    // MARK: Token

    private static let flow = """
        language: flow/1
        flow: with-token
        version: 1
        defaults: { timeout: 30s, next: { any: failed, any.choice: failed } }
        start: token
        steps:
          token: { do: client_credentials, with: { scopes: [] }, next: { ok: done } }
        ends:
          done: { result: success }
          failed: { result: failure, exit: 6 }
        """

    /// A token for the client itself, which is dropped: it shows that identifier and secret are right.
    private func tokenCheck(_ survey: ProviderSurvey) async throws(Problem) -> ProviderCheck {
        guard request.asksForToken else { return .skip("token", "not asked for; --with-token asks") }
        guard
            survey.found.secret != nil || survey.found.privateKey != nil || survey.found.assertion != nil
                || survey.found.certificate != nil || survey.found.clientID?.place == .sandbox
        else { return .skip("token", "a client without credentials gets none for itself") }
        let source = FlowSourceText.source(Self.flow)
        guard let program = FlowCompiler.compile(source).program else {
            preconditionFailure("the flow of provider test does not compile")
        }
        let binding: ProviderBinding
        do throws(Problem) {
            binding = try ProviderBinding(
                program, choices: [ProviderChoice(name: request.provider)], client: request.client,
                context.library,
                survey.resolver)
        } catch {
            return .fail("token", error)
        }
        var live = request.live
        live.savesSessions = false
        let effects = try setup.effects(live)
        let recorder = FailureRecorder()
        let log = EventLog()
        let run = FlowRun(
            plan: RunPlan(program: program, providers: binding.providers, inputs: []), handler: effects,
            sinks: [recorder, log])
        let outcome = await run.run()
        await effects.shutDown()
        guard let failure = recorder.report, !outcome.isSuccess else {
            let warnings = log.events.compactMap(\.warning)
            guard let first = warnings.first else {
                return .pass("token", "the client gets a token for itself")
            }
            return .warn("token", "the client gets a token for itself, but \(first)")
        }
        return Self.failed(failure)
    }

    private static func failed(_ failure: FailureReport) -> ProviderCheck {
        let words = [failure.error ?? failure.outcome, failure.description ?? failure.message]
            .compactMap(\.self)
        let detail = words.joined(separator: ": ")
        switch failure.outcome {
        case "unsupported": return .skip("token", "the provider has no token endpoint for clients")
        case "network": return .fail("token", detail, fix: nil, .network)
        case "client_key":
            return .fail(
                "token", detail, fix: "see the check of the key, secret or assertion above", .config)
        case "invalid_client":
            let fix =
                failure.proof == .issuedAssertion
                ? "compare issuer, subject and audience of the assertion above with what the provider trusts"
                : "compare identifier and secret with what the provider shows; "
                    + "for other causes: flowrun explain invalid_client"
            return .fail("token", detail, fix: fix, .provider)
        default:
            let isGrant = ["unauthorized_client", "unsupported_grant_type"].contains(failure.error)
            return .fail(
                "token", detail,
                fix: isGrant ? "allow the client the grant client_credentials, or leave --with-token" : nil,
                .provider)
        }
    }
}

/// The text of a flow that is part of the program.
enum FlowSourceText {
    static func source(_ text: String) -> SourceFile { SourceFile(path: "flowrun", text: text) }
}

/// What only the provider can answer.
struct RemoteChecks: Sendable {
    let probe: ProviderProbe
    let provider: BoundProvider
    let scopes: [String]

    func checks() async -> [ProviderCheck] {
        var fields = provider.known.fields
        var checks: [ProviderCheck] = []
        if provider.descriptor.discovery == .off || provider.discoveryPlans.isEmpty {
            checks.append(.skip("metadata", "the file says everything: discovery is off"))
        } else {
            do throws(ProbeFailure) {
                let (metadata, url) = try await probe.metadata(
                    issuer: provider.declared.issuer ?? "", plans: provider.discoveryPlans,
                    acceptedIssuers: provider.acceptedMetadataIssuers, amended: provider.amendedMetadata)
                checks.append(.pass("metadata", url))
                checks += MetadataComparison(
                    provider: provider, published: metadata, scopes: scopes
                ).checks()
                fields = provider.known(metadata.fields).fields
            } catch {
                checks += [.fail("metadata", error), .skip("keys", "their address is in the metadata")]
                return checks + (await endpoints(fields))
            }
        }
        checks.append(await keys(fields))
        return checks + missing(fields) + (await endpoints(fields))
    }

    /// Endpoints without which nobody gets a token; what a request brings itself counts.
    private func missing(_ fields: ServerMetadataFields) -> [ProviderCheck] {
        let descriptor = provider.descriptor
        let fix = "write it in the provider file, or ask the provider where it is"
        var checks: [ProviderCheck] = []
        if fields.tokenEndpoint == nil, descriptor.token.request.endpoint == nil {
            checks.append(
                .fail("token_endpoint", "neither the metadata nor the file names one", fix: fix, .config))
        }
        if fields.authorizationEndpoint == nil, fields.deviceAuthorizationEndpoint == nil,
            descriptor.authorization.alternatives.isEmpty
        {
            let words = "neither the metadata nor the file names one, so nobody can sign in"
            checks.append(.warn("authorization_endpoint", words, fix: fix))
        }
        return checks
    }

    /// What the provider reads of a client that is known by an address.
    func document(_ address: String, _ redirectURIs: [String]) async -> ProviderCheck {
        do throws(ProbeFailure) {
            let response = try await probe.answer(RequestPlan(method: .get, endpoint: address), .discovery)
            let problem = ClientMetadataDocument.problem(
                with: response, at: address, redirectURIs: redirectURIs)
            guard let problem else { return .pass("document", "\(address) tells of the client") }
            return .warn(
                "document", "\(address) \(problem)",
                fix: "publish there what this prints: flowrun register "
                    + ShellWords.quoted([provider.descriptor.id, "--document", address, "--dry-run"]))
        } catch {
            return .warn("document", error.words, fix: "the provider has to reach it: publish it there")
        }
    }

    private func keys(_ fields: ServerMetadataFields) async -> ProviderCheck {
        guard let url = fields.jwksURI else {
            if let mac = provider.descriptor.client.idTokenSignedResponseAlgorithm, mac.isMAC {
                return .skip("keys", "the client secret verifies ID tokens (\(mac.rawValue))")
            }
            return provider.descriptor.wireProtocol == .oidc
                && provider.descriptor.idToken.isRequired != false
                ? .warn("keys", "no jwks_uri is known, so no ID token can be verified")
                : .skip("keys", "the provider has no ID tokens")
        }
        do throws(ProbeFailure) {
            let keys = try await probe.keys(url)
            guard
                keys.keys.contains(where: { key in SignatureAlgorithm.allCases.contains(where: key.mayVerify)
                })
            else {
                return .fail("keys", "\(url) has no key that verifies signatures", fix: nil, .provider)
            }
            return .pass("keys", KeyWords.text(keys))
        } catch {
            return .fail("keys", error)
        }
    }

    /// All at once; in the order of the table, whichever answers first.
    private func endpoints(_ fields: ServerMetadataFields) async -> [ProviderCheck] {
        let urls = ServerMetadataFields.urls.compactMap { name, path in
            // Its keys have just been read.
            name == "jwks_uri" ? nil : fields[keyPath: path].map { (name: name, url: $0) }
        }
        let probe = probe
        let purposes = Self.purposes
        return await withTaskGroup(of: (Int, ProviderCheck).self) { group in
            for (index, endpoint) in urls.enumerated() {
                let purpose = purposes[endpoint.name] ?? .discovery
                let method = method(purpose)
                group.addTask {
                    (index, await Self.reach(endpoint.name, endpoint.url, method, purpose, probe))
                }
            }
            var checks: [(Int, ProviderCheck)] = []
            for await check in group { checks.append(check) }
            return checks.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// What the endpoints are for that may want to see the client's certificate (RFC 8705 §2 and §3).
    private static let purposes: [String: HTTPExchange.Purpose] = [
        "token_endpoint": .token, "userinfo_endpoint": .userinfo, "revocation_endpoint": .revocation,
        "introspection_endpoint": .introspection, "device_authorization_endpoint": .deviceAuthorization,
        "pushed_authorization_request_endpoint": .pushedAuthorization, "registration_endpoint": .registration,
    ]

    /// The method of an endpoint; `nil` where an empty request by it might have an effect.
    private func method(_ purpose: HTTPExchange.Purpose) -> HTTPMethod? {
        let descriptor = provider.descriptor
        let described: HTTPMethod?
        switch purpose {
        case .registration: return nil
        case .token: described = descriptor.token.request.method
        case .userinfo: described = descriptor.userinfo.operation.request.method
        case .revocation: described = descriptor.revocation.operation.request.method
        case .introspection: described = descriptor.introspection.request.method
        case .deviceAuthorization: described = descriptor.deviceAuthorization.request.method
        default: described = nil
        }
        return described == .delete ? nil : described ?? (purpose.provesClient ? .post : .get)
    }

    /// Whether anybody is there who has the right certificate. What it answers to an empty request means little, but
    /// that there is nothing, where it is asked by its own method: servers say so of others, too.
    private static func reach(
        _ name: String, _ url: String, _ method: HTTPMethod?, _ purpose: HTTPExchange.Purpose,
        _ probe: ProviderProbe
    ) async -> ProviderCheck {
        do throws(ProbeFailure) {
            let status = try await probe.status(of: url, method ?? .get, for: purpose)
            let host = (try? EndpointURL(url, allowLoopbackHTTP: true))?.host ?? url  // checked by discovery
            let words = "\(url) answers \(status) to an empty request"
            switch status {
            case 404 where method != nil, 410 where method != nil:
                return .warn(name, words, fix: "compare the address with the provider's documentation")
            case 500...: return .warn(name, words)
            default: return .pass(name, "\(host) is reached (\(status))")
            }
        } catch {
            return .fail(name, error)
        }
    }
}

extension TraceEvent {
    fileprivate var warning: String? { if case .warning(let text, _) = body { text } else { nil } }
}
