internal import JOSE
internal import OAuthProtocol
public import YAMLText

/// Reads provider descriptors: a closed schema, every mistake reported at once with its place.
public enum ProviderReader {
    /// The descriptor of a file and everything that is wrong with the file, sorted by place.
    ///
    /// - Returns: `descriptor` is `nil` exactly when a diagnostic is an error.
    public static func read(_ file: SourceFile) -> (
        descriptor: ProviderDescriptor?, diagnostics: [Diagnostic]
    ) {
        let (root, found) = YAMLDocument.parse(file)
        var diagnostics = found
        guard let root,
            let mapping = MappingReader(root, "provider", keys: keys, file: file.path, &diagnostics)
        else { return (nil, diagnostics.sorted()) }
        DescriptorSafety.findCredentials(root, file: file.path, &diagnostics)
        var reader = DescriptorReader(mapping, diagnostics)
        let descriptor = reader.descriptor()
        let hasErrors = reader.diagnostics.hasErrors
        return (hasErrors ? nil : descriptor, reader.diagnostics.sorted())
    }

    static let keys: [String] =
        [
            "provider", "display_name", "documentation", "console", "registration_hint", "protocol",
            "sandbox",
            "variables", "issuer", "issuer_aliases", "discovery", "server_metadata_url", "scopes_supported",
            "code_challenge_methods_supported", "token_endpoint_auth_methods_supported",
            "id_token_signing_alg_values_supported", "authorization_response_iss_parameter_supported",
            "client",
            "authorization", "callback", "token", "refresh", "userinfo", "id_token", "claims", "redirect",
            "token_lifetime", "revocation", "introspection", "device_authorization", "logout",
        ] + DescriptorReader.extraKeys + DescriptorReader.endpoints.map(\.name)
}

/// The state of reading one descriptor: its expressions and what is wrong with it.
struct DescriptorReader {
    let root: MappingReader
    /// The name of the file without its folders, for the trace.
    let fileName: String
    let variables: [VariableSpec]
    let context: ExpressionContext
    var code = CodeTable()
    var diagnostics: [Diagnostic]

    init(_ root: MappingReader, _ diagnostics: [Diagnostic]) {
        self.root = root
        var diagnostics = diagnostics
        variables = VariableReading.read(root, &diagnostics)
        self.diagnostics = diagnostics
        fileName = root.file.split(separator: "/").last.map(String.init) ?? root.file
        // What a descriptor says about an answer holds for an answer that is there.
        context = ExpressionContext(
            file: root.file, scope: DescriptorScope(variables: variables.map(\.name)),
            sink: Sink("a descriptor's text"))
    }

    mutating func descriptor() -> ProviderDescriptor {
        root.require("provider", "protocol", diagnostics: &diagnostics)
        let wireProtocol =
            root.word("protocol", as: ProviderDescriptor.WireProtocol.self, &diagnostics) ?? .oidc
        let id = identifier()
        let (userinfo, example) = userInfo()
        let server = serverFacts(wireProtocol)
        let token = tokenOperation()
        return ProviderDescriptor(
            id: id,
            displayName: root.string("display_name", &diagnostics) ?? id,
            documentation: root.string("documentation", &diagnostics),
            console: root.string("console", &diagnostics),
            registrationHint: root.string("registration_hint", &diagnostics),
            wireProtocol: wireProtocol,
            file: root.file,
            isSandbox: root.bool("sandbox", &diagnostics) ?? false,
            variables: variables,
            server: server,
            discovery: root.word("discovery", as: ProviderDescriptor.DiscoveryMode.self, &diagnostics)
                ?? (wireProtocol == .oidc ? .auto : .off),
            client: clientFacts(),
            authorization: authorization(),
            callback: callback(),
            token: token,
            refresh: refresh(after: token),
            userinfo: userinfo,
            revocation: operation("revocation"),
            introspection: operation("introspection"),
            deviceAuthorization: operation("device_authorization"),
            logout: logout(),
            extras: extras(),
            idToken: idToken(),
            claims: claims(),
            redirect: redirect(),
            userinfoExample: example,
            tokenLifetime: root.int("token_lifetime", in: 1...31_536_000, &diagnostics) ?? 3_600,
            code: code)
    }

    /// `[a-z0-9][a-z0-9-]{0,62}`
    private static func isIdentifier(_ id: String) -> Bool {
        (1...63).contains(id.utf8.count) && id.utf8.first != FlowName.hyphen
            && id.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == FlowName.hyphen
            }
    }

    private mutating func identifier() -> String {
        guard let id = root.string("provider", &diagnostics), let node = root["provider"] else { return "" }
        if !Self.isIdentifier(id) {
            report("FL014", node, "a provider's name is lower-case letters, digits and '-', not \"\(id)\"")
        }
        return id
    }

    // MARK: Texts

    mutating func report(_ code: String, _ node: YAMLNode, _ message: String, hint: String? = nil) {
        diagnostics.append(
            Diagnostic(code: code, file: root.file, span: node.span, message: message, hint: hint))
    }

    /// A text, fixed or a template; numbers and booleans count as their text.
    mutating func text(_ node: YAMLNode) -> DescriptorText? {
        let source = "\(fileName):\(node.span.start.line)"
        guard let scalar = node.scalar, node.value != .null else {
            report("FL016", node, "expected a text, found \(node.shape)")
            return nil
        }
        guard TemplateScanner.isTemplate(scalar.text) else {
            return DescriptorText(content: .literal(scalar.text), source: source, span: node.span)
        }
        let compiled = ExpressionCompiler.template(
            node, expecting: .string, context, into: &code, &diagnostics)
        guard let compiled else { return nil }
        if case .string(let text) = compiled.constant {
            return DescriptorText(content: .literal(text), source: source, span: node.span)
        }
        return DescriptorText(content: .template(compiled.range), source: source, span: node.span)
    }

    mutating func text(_ key: String, in mapping: MappingReader) -> DescriptorText? {
        mapping[key].flatMap { text($0) }
    }

    /// The URL of an endpoint.
    mutating func endpoint(_ node: YAMLNode) -> DescriptorText? {
        if let text = node.scalar?.text, let problem = DescriptorSafety.problem(ofEndpoint: text) {
            report(problem.code, node, problem.message)
            return nil
        }
        return text(node)
    }

    /// Names with texts, in the order written.
    mutating func texts(_ key: String, in mapping: MappingReader) -> [(name: String, text: DescriptorText)] {
        guard let names = mapping.mapping(key, keys: nil, &diagnostics) else { return [] }
        return names.entries.compactMap { entry in text(entry.value).map { (entry.key, $0) } }
    }

    /// A path into an answer.
    mutating func path(_ node: YAMLNode) -> ValuePath? {
        if case .string(let text) = node.value, let path = ValuePath(text) { return path }
        report(
            "FL016", node, "expected a path, found \(node.shape)",
            hint: "paths are written a.b, a[0].b or a[?primary].b")
        return nil
    }

    mutating func path(_ key: String, in mapping: MappingReader?) -> ValuePath? {
        mapping?[key].flatMap { path($0) }
    }

    /// One path, or a list of which the first that is set counts.
    mutating func paths(_ node: YAMLNode) -> [ValuePath] {
        (node.sequence ?? [node]).compactMap { path($0) }
    }
}
