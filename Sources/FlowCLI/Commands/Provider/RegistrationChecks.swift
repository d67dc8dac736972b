internal import FlowLanguage
internal import FlowLive
internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// What can be said of a provider file and a registration without asking anybody.
struct RegistrationChecks: Sendable {
    let survey: ProviderSurvey
    let options: ClientOptions
    let surroundings: Surroundings

    private var descriptor: ProviderDescriptor { survey.descriptor }

    func descriptorCheck() -> ProviderCheck {
        let path = survey.loaded.source.path
        let count = survey.loaded.diagnostics.count
        if count == 0 { return .pass("descriptor", path) }
        return .warn("descriptor", "\(path): \(count) warning(s)", fix: "flowrun lint \(path)")
    }

    func variablesCheck(_ secrets: [String: Secret]) -> ProviderCheck {
        do throws(Problem) {
            _ = try survey.bound(secrets: secrets)
        } catch {
            let name = descriptor.variables.first?.name ?? "NAME"
            return .fail(
                "variables", error.message,
                fix: "flowrun provider add \(survey.loaded.word), or --set \(name)=VALUE", error.status)
        }
        guard !descriptor.variables.isEmpty else { return .skip("variables", "the provider has none") }
        let given = survey.found.variables.map { name, value in
            "\(name)=\(survey.found.hidden.contains(name) ? "‹secret›" : value.value) (\(value.place))"
        }
        let names = Set(survey.found.variables.map(\.name))
        let standard = descriptor.variables.filter { !names.contains($0.name) }.compactMap { variable in
            variable.standard.map { "\(variable.name)=\($0)" }
        }
        return .pass("variables", (given + standard).joined(separator: ", "))
    }

    func clientCheck() -> ProviderCheck {
        guard let client = survey.found.clientID else {
            let console = descriptor.console.map { " after registering at \($0)" } ?? ""
            let command = CachedMetadata(surroundings).registering(
                survey.loaded.word, descriptor, survey.found)
            return .fail("client", "no client is registered", fix: command + console, .config)
        }
        return .pass("client", "\(client.value) (\(client.place))")
    }

    func secretCheck() -> ProviderCheck {
        guard let found = survey.found.secret else {
            if survey.found.clientID?.place == .sandbox { return .pass("secret", "the sandbox knows it") }
            if survey.found.clientID == nil { return .skip("secret", "there is no client") }
            if survey.found.assertion != nil { return .skip("secret", "the client has an assertion") }
            if let method = survey.found.method, !method.value.needsSecret {
                return .pass("secret", "not needed: \(method.value.rawValue) (\(method.place))")
            }
            if descriptor.client.authenticationMethod == .some(.none) {
                return .pass("secret", "not needed: the provider takes public clients")
            }
            if descriptor.client.madeSecret != nil {
                return .skip("secret", "made for each request, of the variables")
            }
            if survey.found.privateKey != nil { return .skip("secret", "the client has a private key") }
            if descriptor.client.needsSecret {
                return .fail(
                    "secret", "the provider takes clients with a secret only, and none is registered",
                    fix: "flowrun provider add \(survey.loaded.word)", .config)
            }
            return .skip("secret", "none is registered: a public client")
        }
        do throws(Problem) {
            let secret = try reader.read(found, "client secret", kind: .clientSecret)
            guard Self.isClean(secret.reveal()) else {
                return .warn(
                    "secret",
                    "in \(found.value.summary): it begins or ends with a space or holds a line break",
                    fix: "compare it with what the provider shows")
            }
            return .pass("secret", "in \(found.value.summary), \(secret.length) bytes")
        } catch {
            return .fail("secret", error)
        }
    }

    func keyCheck() -> ProviderCheck? {
        guard let found = survey.found.privateKey else {
            guard descriptor.client.authenticationMethod == .privateKeyJWT, survey.found.clientID != nil,
                survey.found.assertion == nil
            else { return nil }
            return .fail(
                "private key", "the provider takes clients that sign with a key, and none is registered",
                fix: "flowrun provider add \(survey.loaded.word) --private-key-file FILE", .config)
        }
        do throws(Problem) {
            let key = try parse(try reader.read(found, "private key", kind: .other))
            if let problem = problem(with: key.type) {
                return .fail(
                    "private key", "in \(found.value.summary): \(problem)",
                    fix: "register a key of the right type, or change the algorithm in the provider file",
                    .config)
            }
            return .pass("private key", "in \(found.value.summary), \(key.type.name)")
        } catch {
            return .fail("private key", error)
        }
    }

    /// Of an assertion that somebody else issues: by whom, about whom and for whom, which is what the provider compares.
    func assertionCheck(now: Int64) -> ProviderCheck? {
        guard let found = survey.found.assertion else { return nil }
        let place = "in \(found.value.summary)"
        do throws(Problem) {
            let given = try reader.read(
                found, "client assertion", kind: .clientAssertion, isPublic: true)
            guard let assertion = IssuedAssertion(given) else {
                return .fail(
                    "assertion", "\(place): it is no JWT",
                    fix: "flowrun jwt decode shows what a JWT says; give one that is issued for this client",
                    .config)
            }
            let words = [
                place, assertion.issuer.map { "issued by \($0)" }, assertion.subject.map { "about \($0)" },
                assertion.audience.isEmpty ? nil : "for \(assertion.audience.joined(separator: " and "))",
            ].compactMap(\.self).map { RemoteText.sanitize($0) }.joined(separator: ", ")
            if let expiry = assertion.expiry, assertion.isExpired(at: now) {
                return .fail(
                    "assertion", "\(words): expired at \(TimeText.format(expiry))",
                    fix: "have a new one issued; with {command: [PROGRAM, ...]} each run asks for its own",
                    .config)
            }
            return .pass("assertion", words)
        } catch {
            return .fail("assertion", error)
        }
    }

    /// Why such a key cannot sign what the provider wants of this client.
    private func problem(with type: KeyType) -> String? {
        let method = survey.found.method?.value ?? descriptor.client.authenticationMethod
        let wanted = [
            method == .privateKeyJWT ? descriptor.client.signingAlgorithm : nil,
            descriptor.client.security.requestObjectAlgorithm,
        ]
        if let algorithm = wanted.compactMap(\.self).first(where: { !$0.isMAC && !$0.fits(type) }) {
            return "a key of type \(type.name) cannot sign with \(algorithm.rawValue)"
        }
        let signs = SignatureAlgorithm.allCases.contains { $0.fits(type) }
        return signs || method?.isMutualTLS == true ? nil : "a key of type \(type.name) signs nothing"
    }

    /// The client's certificate with its key, where they can be used; no check where neither the file nor the registration
    /// speaks of one.
    func certificate() -> (value: ClientCertificate?, check: ProviderCheck?) {
        do throws(Problem) {
            if let place = survey.found.certificate?.value.summary,
                let certificate = try survey.certificate(reader)
            {
                let words = "in \(place), \(certificate.thumbprint ?? "")"
                return (certificate, .pass("certificate", words))
            }
        } catch {
            return (nil, .fail("certificate", error))
        }
        guard descriptor.client.authenticationMethod?.isMutualTLS == true, survey.found.clientID != nil else {
            return (nil, nil)
        }
        let check = ProviderCheck.fail(
            "certificate", "the provider takes clients with a certificate, and none is registered",
            fix: "give certificate and certificate_key under registrations.\(descriptor.id)", .config)
        return (nil, check)
    }

    /// Variables whose value is kept elsewhere, with a check for each.
    func secretVariables() -> (values: [String: Secret], checks: [ProviderCheck]) {
        var values: [String: Secret] = [:]
        var checks: [ProviderCheck] = []
        for (name, found) in survey.found.secretVariables {
            do throws(Problem) {
                values[name] = try reader.read(found, "value of variable \(name)", kind: .other)
                checks.append(.pass("variable \(name)", "in \(found.value.summary)"))
            } catch {
                checks.append(.fail("variable \(name)", error))
            }
        }
        return (values, checks)
    }

    private var reader: SecretReader { survey.resolver.reader(options) }

    private func parse(_ secret: Secret) throws(Problem) -> PrivateKey {
        do throws(KeyError) {
            return try SigningKeyText.read(secret).key
        } catch {
            throw Problem(
                .config,
                "it is no private key in PEM without a passphrase, nor a private JWK: \(error.summary)",
                hints: ["convert it: openssl pkcs8 -topk8 -nocrypt -in KEY -out KEY.pem"])
        }
    }

    /// Copied secrets bring along what nobody sees.
    private static func isClean(_ text: String) -> Bool {
        text.first?.isWhitespace == false && text.last?.isWhitespace == false
            && !text.contains(where: \.isNewline)
    }
}
