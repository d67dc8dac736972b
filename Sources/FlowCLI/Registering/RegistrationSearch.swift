internal import FlowEngine
internal import FlowLanguage
internal import FlowSandbox
internal import OAuthProtocol
internal import YAMLText

/// Where a value of a registration was found: the layer that won.
enum RegistrationPlace: Sendable, Hashable, CustomStringConvertible {
    case option(String)
    case variable(String)
    case file(String, line: Int)
    case sandbox

    var description: String {
        switch self {
        case .option(let name): "--\(name)"
        case .variable(let name): "variable \(name)"
        case .file(let path, let line): "\(path):\(line)"
        case .sandbox: "comes with the sandbox"
        }
    }
}

/// A value with the place that it was found in.
struct Found<Value: Sendable>: Sendable {
    let value: Value
    let place: RegistrationPlace

    init(_ value: Value, _ place: RegistrationPlace) {
        self.value = value
        self.place = place
    }
}

/// Where a secret lies, every path settled.
enum SecretLocation: Sendable, Hashable {
    case environment(String)
    case file(String)
    case command([String], directory: String)
    case keyring(String)
    case standardInput

    /// - Parameter directory: Folder of the file that names the source.
    init(_ source: SecretSource, directory: String) {
        switch source {
        case .environment(let name): self = .environment(name)
        case .file(let path): self = .file(directory == "." ? path : FilePath.join(directory, path))
        case .command(let words): self = .command(words, directory: directory)
        case .keyring(let name): self = .keyring(name)
        }
    }

    init(_ place: ClientOptions.SecretPlace) {
        switch place {
        case .environment(let name): self = .environment(name)
        case .file(let path): self = .file(path)
        case .standardInput: self = .standardInput
        }
    }

    /// Of a command only the program: its arguments are nobody else's business.
    var summary: String {
        switch self {
        case .environment(let name): "variable \(name)"
        case .file(let path): "file \(path)"
        case .command(let words, _): "command \(words.first ?? "")"
        case .keyring(let name): "keyring entry \(name)"
        case .standardInput: "standard input"
        }
    }
}

/// A client's registration as it was found, before any secret is read.
struct FoundRegistration: Sendable {
    var clientID: Found<String>?
    var secret: Found<SecretLocation>?
    var privateKey: Found<SecretLocation>?
    var assertion: Found<SecretLocation>?
    var certificate: Found<SecretLocation>?
    var certificateKey: Found<SecretLocation>?
    /// Of a client whose identifier comes from the same entry.
    var method: Found<ClientAuthenticationMethod>?
    var environment: Found<String>?
    /// The last one of a name holds.
    var variables: [(name: String, value: Found<String>)] = []
    var secretVariables: [(name: String, value: Found<SecretLocation>)] = []
    var scopes: [String] = []
    var redirectURI: Found<String>?
    /// Names of variables whose values are never shown.
    var hidden: Set<String> = []
    /// The entry of the file that was looked at, where there is one.
    var registration: Registration?

    /// What each value is and where it is from; never a secret.
    var facts: [RegistrationFact] {
        var facts: [RegistrationFact] = []
        func add(_ name: String, _ value: String, _ place: RegistrationPlace) {
            facts.append(RegistrationFact(name: name, value: value, source: "\(place)"))
        }
        func add(_ name: String, _ value: Found<String>?) {
            if let value { add(name, value.value, value.place) }
        }
        func add(_ name: String, _ value: Found<SecretLocation>?) {
            if let value { add(name, "in \(value.value.summary)", value.place) }
        }
        add("client_id", clientID)
        add("client_secret", secret)
        add("private_key", privateKey)
        add("client_assertion", assertion)
        add("certificate", certificate)
        add("certificate_key", certificateKey)
        add("token_endpoint_auth_method", method.map { Found($0.value.rawValue, $0.place) })
        add("environment", environment)
        add("redirect_uri", redirectURI)
        let own = registration?.scopes ?? []
        if let registration, !own.isEmpty {
            let line = (registration.scopesSpan ?? registration.span).start.line
            add("scopes", own.joined(separator: " "), .file(registration.file, line: line))
        }
        let further = scopes.dropFirst(own.count)
        if !further.isEmpty { add("scopes", further.joined(separator: " "), .option("scope")) }
        for variable in variables {
            let isHidden = hidden.contains(variable.name)
            add(variable.name, isHidden ? Found("‹secret›", variable.value.place) : variable.value)
        }
        for variable in secretVariables { add(variable.name, variable.value) }
        return facts
    }

    /// The same as lines for people, which say nothing twice.
    var rows: [(name: String, value: String)] {
        facts.map { fact in
            let isPlace = fact.value == "in \(fact.source)"
            return (fact.name, isPlace ? fact.value : "\(fact.value)  (\(fact.source))")
        }
    }
}

/// Looks for a registration: options, then the environment, then the project's file, then the user's.
///
/// The first file that has an entry for the provider counts alone: a secret never meets another file's client.
struct RegistrationSearch: Sendable {
    let files: RegistrationFiles
    let surroundings: Surroundings

    func find(_ descriptor: ProviderDescriptor, _ options: ClientOptions) -> FoundRegistration {
        let entry = files.registration(of: descriptor.id)
        let prefix = RegistrationResolver.variablePrefix(descriptor.id)
        var found = FoundRegistration(
            hidden: Set(descriptor.variables.filter(\.isSecret).map(\.name)), registration: entry)
        found.clientID =
            options.clientID.map { Found($0, .option("client-id")) } ?? variable(prefix + "_CLIENT_ID")
            ?? inFile(entry, entry?.clientID)
        if found.clientID?.value == entry?.clientID?.value {
            found.method = inFile(entry, entry?.authenticationMethod)
        }
        if found.clientID == nil, descriptor.isSandbox, let standard = SandboxClient.standard.first {
            found.clientID = Found(standard.id, .sandbox)
        }
        found.secret = secret(
            options.secret, "client-secret", prefix + "_CLIENT_SECRET", entry, entry?.secret)
        found.privateKey = secret(
            options.privateKey, "private-key", prefix + "_PRIVATE_KEY", entry, entry?.privateKey)
        found.assertion = secret(
            options.assertion, "client-assertion", prefix + "_CLIENT_ASSERTION", entry, entry?.assertion)
        found.certificate = secret(
            nil, "certificate", prefix + "_CERTIFICATE", entry, entry?.certificate)
        found.certificateKey = secret(
            nil, "certificate-key", prefix + "_CERTIFICATE_KEY", entry, entry?.certificateKey)
        found.environment = environment(of: descriptor.id, options)
        found.redirectURI =
            options.redirectURI.map { Found($0, .option("redirect-uri")) }
            ?? inFile(entry, entry?.redirectURI)
        found.scopes = (entry?.scopes ?? []) + options.scopes
        addVariables(entry, options, to: &found)
        return found
    }

    /// Which of the environments of a descriptor is asked for; nothing of the descriptor need be known for it.
    func environment(of provider: String, _ options: ClientOptions) -> Found<String>? {
        let entry = files.registration(of: provider)
        return options.environment.map { Found($0, .option("environment")) }
            ?? inFile(entry, entry?.environment)
    }

    private func addVariables(
        _ entry: Registration?, _ options: ClientOptions, to found: inout FoundRegistration
    ) {
        let given = Set(options.variables.map(\.name))
        for variable in entry?.variables ?? [] where !given.contains(variable.name) {
            switch variable.value.value {
            case .text(let text):
                guard let text = inFile(entry, variable.value).map({ Found(text, $0.place) }) else {
                    continue
                }
                found.variables.append((variable.name, text))
            case .secret(let source):
                guard let place = inFile(entry, variable.value)?.place else { continue }
                found.secretVariables.append(
                    (variable.name, Found(location(source, entry), place)))
            }
        }
        for variable in options.variables { add(variable, to: &found) }
    }

    /// A secret variable has the place of its value. What is no place stays a value, which is refused unseen.
    private func add(_ variable: NamedText, to found: inout FoundRegistration) {
        let place = RegistrationPlace.option("set")
        guard found.hidden.contains(variable.name),
            let source = SecretPlaceText.read(
                variable.text, stored: { UserPath.expanded($0, surroundings) })
        else {
            found.variables.append((variable.name, Found(variable.text, place)))
            return
        }
        // The last place of a name holds, and no other is looked at.
        found.secretVariables.removeAll { $0.name == variable.name }
        found.secretVariables.append(
            (variable.name, Found(SecretLocation(source, directory: "."), place)))
    }

    // MARK: Places

    private func variable(_ name: String) -> Found<String>? {
        surroundings.variable(name).map { Found($0, .variable(name)) }
    }

    private func inFile<Value: Sendable>(_ entry: Registration?, _ value: Located<Value>?) -> Found<Value>? {
        guard let entry, let value else { return nil }
        return Found(value.value, .file(entry.file, line: value.span.start.line))
    }

    /// An option, else the variable that holds it, else the variable `NAME_FILE` that says which file does.
    private func secret(
        _ option: ClientOptions.SecretPlace?, _ name: String, _ variable: String, _ entry: Registration?,
        _ source: Located<SecretSource>?
    ) -> Found<SecretLocation>? {
        switch option {
        case .file(let path)?: return Found(.file(path), .option("\(name)-file"))
        case .environment(let variable)?: return Found(.environment(variable), .option("\(name)-env"))
        case .standardInput?: return Found(.standardInput, .option("\(name)-stdin"))
        case nil: break
        }
        if surroundings.variable(variable) != nil {
            return Found(.environment(variable), .variable(variable))
        }
        if let path = surroundings.variable(variable + "_FILE") {
            return Found(.file(path), .variable(variable + "_FILE"))
        }
        return inFile(entry, source).map { Found(location($0.value, entry), $0.place) }
    }

    private func location(_ source: SecretSource, _ entry: Registration?) -> SecretLocation {
        SecretLocation(source, directory: entry.map { FilePath.parent(of: $0.file) } ?? ".")
    }
}
