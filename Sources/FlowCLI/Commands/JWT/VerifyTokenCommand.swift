internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import FlowReport
internal import JOSE
internal import OAuthProtocol

struct VerifyTokenRequest: Sendable {
    enum Issuer: Sendable, Hashable {
        case provider(String)
        case url(String)
    }

    /// `-` is standard input.
    var file: String
    var issuer: Issuer
    /// For whom the token must be; `nil` where nobody has said.
    var audience: String?
    var client = ClientOptions()
    var live = LiveOptions()
    var form = Command.Form.text
}

/// `jwt verify`: whether a token is one of an issuer, by the keys that the issuer publishes, and still good.
struct VerifyTokenCommand: Sendable {
    let context: CommandContext
    let request: VerifyTokenRequest

    func run() async throws(Problem) -> Int {
        let token = try GivenToken(in: request.file, for: "jwt verify", context)
        guard token.parts.count == 3 else {
            throw Problem(.config, "it is encrypted: what it says only its recipient can read and verify")
        }
        let issuer = try await known()
        var log = CheckLog()
        let claims = IssuedToken.examine(
            Secret(token.text, kind: .accessToken), keys: issuer.keys, issuers: issuer.names,
            audience: request.audience, now: WallClock.now(), log: &log)
        let found = Self.found(token, claims)
        let report = ProviderCheckReport(
            provider: issuer.id, title: "token of \(issuer.id)",
            checks: log.results.map { Self.row($0, found) })
        switch request.form {
        case .json:
            var object = report.object
            object["claims"] = claims.map { .object($0) }
            context.write(object.serialize(pretty: true) + "\n")
        case .text:
            let options = RenderOptions(context.common, context.surroundings.output, context.surroundings)
            context.write(report.text(options, isQuiet: context.common.verbosity == 0))
        }
        return report.status.rawValue
    }

    /// What the checks look at, by their names.
    private static func found(_ token: GivenToken, _ claims: JSONObject?) -> [String: String] {
        let header = (try? JWS.split(token.text))?.header
        var found = ["alg": header?.alg, "typ": header?.typ, "kid": header?.kid].compactMapValues(
            \.self)
        for (name, value) in claims ?? [:] { found[name] = ClaimWords.text(name, value) }
        return found
    }

    private static func row(_ result: CheckResult, _ found: [String: String]) -> ProviderCheck {
        let check = result.check
        let name = check.name.hasPrefix("jwt-") ? String(check.name.dropFirst(4)) : check.name
        return switch result.verdict {
        case .passed: .pass(name, (found[name].map { "\($0), " } ?? "") + check.reference)
        case .notApplicable(let reason), .relaxed(let reason): .skip(name, reason)
        case .failed(let expected, let actual):
            .fail(name, "expected \(expected), got \(actual), \(check.reference)", fix: nil, .security)
        }
    }

    // MARK: The issuer

    private struct Issuer {
        let id: String
        let keys: JWKSet
        /// Who may have made a token that says that.
        let names: (JSONObject) -> [String]
    }

    private func known() async throws(Problem) -> Issuer {
        let setup = LiveSetup(surroundings: context.surroundings, secretVariables: [])
        switch request.issuer {
        case .url(let text):
            let issuer = try IssuerText(text).issuer
            let probe = try setup.probe(request.live, context.common)
            defer { probe.shutDown() }
            let plans = Discovery.plans(issuer: issuer, metadataURL: nil)
            let keys = try await keys(probe.asking(issuer: issuer)) { probe throws(ProbeFailure) in
                try await probe.metadata(issuer: issuer, plans: plans, acceptedIssuers: []).metadata.fields
            }
            return Issuer(id: issuer, keys: keys, names: { _ in [issuer] })
        case .provider(let name):
            let survey = try ProviderSurvey(name, request.client, context, isRehearsal: false)
            let provider = try survey.bound()
            let sandbox = try setup.sandbox(for: [provider], request.client)
            defer { sandbox?.stop() }
            let probe = try setup.probe(request.live, context.common)
            defer { probe.shutDown() }
            let keys = try await keys(probe.asking(provider)) { probe throws(ProbeFailure) in
                guard provider.declared.jwksURI == nil, provider.mayDiscover else { return provider.declared }
                return try await probe.metadata(
                    issuer: provider.declared.issuer ?? "", plans: provider.discoveryPlans,
                    acceptedIssuers: provider.acceptedMetadataIssuers, amended: provider.amendedMetadata
                ).metadata.fields
            }
            return Issuer(
                id: provider.descriptor.id, keys: keys,
                names: { provider.bound.expectedIssuers(claims: $0) })
        }
    }

    /// - Parameter metadata: What is known of the issuer, where its keys are among it.
    private func keys(
        _ probe: ProviderProbe, _ metadata: (ProviderProbe) async throws(ProbeFailure) -> ServerMetadataFields
    ) async throws(Problem) -> JWKSet {
        do throws(ProbeFailure) {
            if let url = try await metadata(probe).jwksURI { return try await probe.keys(url) }
        } catch {
            throw Problem(error.status, error.words, hints: error.fix.map { [$0] } ?? [])
        }
        throw Problem(
            .config, "nobody says where the keys of the issuer are",
            hints: ["flowrun introspect asks the provider about the token of a session"])
    }
}
