internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import FlowReport
internal import OAuthProtocol
internal import YAMLText

/// The registered clients: their providers' files, their secrets, and with leave their servers.
struct RegistrationDoctor: Sendable {
    let context: CommandContext
    let request: DoctorRequest

    func findings() async -> [Finding] {
        let files: RegistrationFiles
        do throws(Problem) {
            files = try context.registrations()
        } catch {
            let places = error.diagnostics.map(\.file)
            return [
                .bad("clients", error.message, fix: "flowrun lint \(places.first ?? "flowrun.yaml")")
            ]
        }
        var names: [String] = []
        for registration in files.registrations where !names.contains(registration.provider) {
            names.append(registration.provider)
        }
        guard !names.isEmpty else {
            return [.ok("clients", "none is registered; flowrun provider add PROVIDER registers one")]
        }
        var findings: [Finding] = []
        for name in names { findings += await look(at: name) }
        return findings
    }

    private func look(at name: String) async -> [Finding] {
        let survey: ProviderSurvey
        do throws(Problem) {
            survey = try ProviderSurvey(name, ClientOptions(), context, isRehearsal: true)
        } catch {
            let file = error.diagnostics.first?.file
            return [
                .bad("provider", error.message, fix: file.map { "flowrun lint \($0)" } ?? error.fix)
            ]
        }
        var findings = [provider(survey)]
        findings += client(name, survey)
        guard request.asksProviders else { return findings }
        findings.append(await clock(name, survey))
        return findings
    }

    private func provider(_ survey: ProviderSurvey) -> Finding {
        let diagnostics =
            ProviderReader.check(
                survey.loaded.source, parent: context.library.parent, known: context.library.providerNames
            ).diagnostics + PinDates.check(survey.descriptor, now: WallClock.now())
        let path = survey.loaded.source.path
        guard let first = diagnostics.first else {
            return .ok("provider", "\(survey.descriptor.id): \(path)")
        }
        let what =
            "\(path): \(first.message)" + (diagnostics.count > 1 ? ", and \(diagnostics.count - 1) more" : "")
        return diagnostics.hasErrors
            ? .bad("provider", what, fix: "flowrun lint \(path)")
            : .warning("provider", what, fix: "flowrun lint \(path)")
    }

    // MARK: Secrets

    private func client(_ name: String, _ survey: ProviderSurvey) -> [Finding] {
        let found = survey.found
        guard let identifier = found.clientID else {
            return [.bad("client", "\(name): no client_id", fix: "flowrun provider add \(name)")]
        }
        var findings = [Finding.ok("client", "\(name): \(identifier.value)  (\(identifier.place))")]
        var secrets: [(String, Found<SecretLocation>?, Bool)] = [
            ("client_secret", found.secret, false), ("private_key", found.privateKey, false),
            ("client_assertion", found.assertion, true), ("certificate", found.certificate, true),
            ("certificate_key", found.certificateKey, false),
        ]
        secrets += found.secretVariables.map { ($0.name, Optional($0.value), false) }
        for (what, location, isPublic) in secrets {
            guard let location else { continue }
            findings.append(secret("\(what) of \(name)", location.value, isPublic, survey))
        }
        return findings
    }

    private func secret(
        _ what: String, _ location: SecretLocation, _ isPublic: Bool, _ survey: ProviderSurvey
    ) -> Finding {
        if case .command(let words, let directory) = location {
            // It may ask a person, or count how often it is asked.
            let folder = FilePath.join(context.surroundings.directory, directory)
            let path = context.surroundings.variable("PATH")
            guard ProgramSearch.locate(words.first ?? "", from: folder, path: path) != nil else {
                return .bad(
                    "secret", "\(what): \(location.summary) is not there",
                    fix: "install it, or correct flowrun.yaml")
            }
            return .ok("secret", "\(what): \(location.summary), which was not run")
        }
        let reader = SecretReader(
            surroundings: context.surroundings,
            hiddenVariables: survey.resolver.secretVariables(ClientOptions()))
        do throws(Problem) {
            _ = try reader.read(location, what, kind: .other, isPublic: isPublic)
            return .ok("secret", "\(what): in \(location.summary)")
        } catch {
            return .bad("secret", error.message, fix: error.fix)
        }
    }

    // MARK: Network

    /// More than this makes tokens look expired or not yet valid somewhere.
    private static let usualSkew: Int64 = 60_000

    /// Whether the provider answers, and what time it is there.
    private func clock(_ name: String, _ survey: ProviderSurvey) async -> Finding {
        let provider: BoundProvider
        let probe: ProviderProbe
        do throws(Problem) {
            provider = try survey.bound()
            let setup = LiveSetup(surroundings: context.surroundings, secretVariables: [])
            probe = try setup.probe(request.live, context.common)
        } catch {
            return .bad("network", "\(name): \(error.message)", fix: error.fix)
        }
        defer { probe.shutDown() }
        let plan =
            provider.discoveryPlans.first
            ?? (provider.declared.tokenEndpoint ?? provider.declared.issuer)
            .map { RequestPlan(method: .get, endpoint: $0) }
        guard let plan else { return .warning("network", "\(name): it has no address to ask") }
        do throws(ProbeFailure) {
            return clock(name, plan.endpoint, try await probe.asking(provider).answer(plan, .discovery))
        } catch .transport(let failure) where failure.kind == .tls(.clientCertificate) {
            let host = TracedWords.host(plan.endpoint)
            return .ok("network", "\(name): \(host) answers, and wants the client's certificate")
        } catch {
            return .bad("network", "\(name): \(error.words)", fix: error.fix)
        }
    }

    private func clock(_ name: String, _ url: String, _ answer: HTTPResponse) -> Finding {
        let host = TracedWords.host(url)
        guard let there = answer.field("Date").flatMap(CalendarDate.imfFixdate) else {
            return .ok("network", "\(name): \(host) answers")
        }
        let skew = WallClock.now() - there
        guard abs(skew) > Self.usualSkew else {
            return .ok("network", "\(name): \(host) answers, clocks agree")
        }
        let direction = skew > 0 ? "ahead of" : "behind"
        return .bad(
            "clock", "this machine's clock is \(abs(skew) / 1_000) s \(direction) that of \(host)",
            fix: "compare `date -u` with the real time; timedatectl set-ntp true")
    }
}
