internal import JOSE
internal import OAuthProtocol
package import YAMLText

/// A descriptor as its file, what it extends and an environment make it.
package struct ProviderReading: Sendable {
    /// `nil` exactly when a diagnostic is an error.
    package let descriptor: ProviderDescriptor?
    /// Everything that is wrong, sorted by place.
    package let diagnostics: [Diagnostic]
    /// The file, then those that it extends: diagnostics may lie in each.
    package let sources: [SourceFile]
}

/// Reads provider descriptors: a closed schema, every mistake reported at once with its place.
package enum ProviderReader {
    /// - Parameters:
    ///   - environment: Name of the environment to put on top; one that the file does not define is ignored.
    ///   - parent: The file of the descriptor that another extends, by its id.
    ///   - known: The ids that there are, for a suggestion where one is missing.
    package static func read(
        _ file: SourceFile, environment: String? = nil, parent: (String) -> SourceFile? = { _ in nil },
        known: () -> [String] = { [] }
    ) -> ProviderReading {
        MergedReading(file, environment, parent: parent, known: known)
            .explained(parent: parent, known: known)
    }

    /// The descriptor and each of its environments; what is wrong with several is said once.
    package static func check(
        _ file: SourceFile, parent: (String) -> SourceFile? = { _ in nil },
        known: () -> [String] = { [] }
    ) -> ProviderReading {
        let plain = MergedReading(file, nil, parent: parent, known: known)
        let own = plain.explained(parent: parent, known: known)
        var diagnostics = own.diagnostics
        for environment in plain.layers.environments {
            let found = read(file, environment: environment, parent: parent, known: known).diagnostics
            diagnostics += found.filter { found in !diagnostics.contains { $0.isSameMistake(as: found) } }
        }
        return ProviderReading(
            descriptor: diagnostics.hasErrors ? nil : own.descriptor, diagnostics: diagnostics.sorted(),
            sources: own.sources)
    }

    static let keys: [String] =
        [
            "provider", "display_name", "documentation", "console", "registration_hint", "extends",
            "protocol",
            "sandbox", "variables", "environments", "issuer", "issuer_aliases", "discovery",
            "server_metadata_url",
        ] + DescriptorReader.amendable + [
            "client", "authorization", "callback", "token", "refresh", "userinfo", "revocation",
            "introspection", "device_authorization", "grants", "operations", "logout", "id_token", "claims",
            "errors", "classify", "redirect", "token_lifetime", "tls",
        ] + DescriptorReader.extraKeys
}

/// The state of reading one descriptor: its expressions and what is wrong with it.
struct DescriptorReader {
    let root: MappingReader
    let layers: DescriptorLayers
    let variables: [VariableSpec]
    private let variableNames: [String]
    /// What is kept of the callback; `nil` where a file that is missing may say it.
    let captures: [String]?
    /// Where the texts stand that were read as templates, or as conditions.
    private var templates: [SourceSpan] = []
    /// Whether any of them reads the claims of an ID token.
    private(set) var readsClaims = false
    var code = CodeTable()
    var diagnostics: [Diagnostic]

    init(_ root: MappingReader, _ layers: DescriptorLayers, _ diagnostics: [Diagnostic]) {
        self.root = root
        self.layers = layers
        captures =
            layers.isComplete ? root["callback"]?["capture"]?.mapping?.entries.map(\.key) ?? [] : nil
        var diagnostics = diagnostics
        variables = VariableReading.read(root, &diagnostics)
        variableNames = variables.map(\.name)
        self.diagnostics = diagnostics
    }

    mutating func descriptor(_ environment: String?) -> ProviderDescriptor {
        let identity = identity(environment)
        let descriptor = ProviderDescriptor(
            identity: identity, variables: variables, server: serverFacts(identity.wireProtocol),
            client: clientFacts(), authorization: authorization(), callback: callback(),
            operations: operations(), idToken: idToken(), claims: claims(), advice: advice(),
            redirect: redirect(), extras: extras(), tls: tls(), hooks: hooks(),
            code: code)
        if let node = layers.root, layers.mayHoldTemplates { refuseTemplates(node, Set(templates)) }
        warnOfUnreadNames()
        warnOfNobody(
            descriptor.claims, descriptor.userinfo, issuesIDTokens: !descriptor.issuesNoIDToken)
        warnOfLostClaims(descriptor)
        warnOfReadClaims(descriptor)
        return descriptor
    }

    private mutating func identity(_ environment: String?) -> DescriptorIdentity {
        root.require("provider", diagnostics: &diagnostics)
        if layers.isComplete { root.require("protocol", diagnostics: &diagnostics) }
        var identity = DescriptorIdentity()
        identity.id = identifier()
        identity.displayName = root.string("display_name", &diagnostics) ?? identity.id
        identity.documentation = root.string("documentation", &diagnostics)
        identity.console = root.string("console", &diagnostics)
        identity.registrationHint = root.string("registration_hint", &diagnostics)
        identity.wireProtocol =
            root.word("protocol", as: ProviderDescriptor.WireProtocol.self, &diagnostics) ?? .oidc
        identity.discovery =
            root.word("discovery", as: ProviderDescriptor.DiscoveryMode.self, &diagnostics)
            ?? standardDiscovery(identity.wireProtocol)
        identity.file = root.file
        identity.isSandbox = root.bool("sandbox", &diagnostics) ?? false
        identity.tokenLifetime = root.int("token_lifetime", in: 1...31_536_000, &diagnostics) ?? 3_600
        identity.environments = environments()
        identity.environment = environment.flatMap { identity.environments.contains($0) ? $0 : nil }
        return identity
    }

    /// What an environment changes is read when it is put on top.
    private mutating func environments() -> [String] {
        guard let environments = root.mapping("environments", keys: nil, &diagnostics) else { return [] }
        let fixed: Set<String> = ["provider", "extends", "environments", "protocol"]
        for environment in environments.entries {
            if !DescriptorName.isWellFormed(environment.key) {
                report(
                    "FL014", environment.keySpan,
                    "an environment's name is lower-case letters, digits and '-', not \"\(environment.key)\"")
            }
            let keys = ProviderReader.keys.filter { !fixed.contains($0) }
            _ = MappingReader(
                environment.value, .named("environment", environment.key), keys: keys, file: root.file,
                &diagnostics)
        }
        return environments.entries.map(\.key)
    }

    private mutating func identifier() -> String {
        guard let id = root.string("provider", &diagnostics), let node = root["provider"] else { return "" }
        if !DescriptorName.isWellFormed(id) {
            report("FL014", node, "a provider's name is lower-case letters, digits and '-', not \"\(id)\"")
        }
        return id
    }
}

/// Texts, conditions and paths.
extension DescriptorReader {
    mutating func report(_ code: String, _ node: YAMLNode, _ message: String, hint: String? = nil) {
        report(code, node.span, message, hint: hint)
    }

    mutating func report(_ code: String, _ span: SourceSpan, _ message: String, hint: String? = nil) {
        diagnostics.append(
            Diagnostic(code: code, file: root.file, span: span, message: message, hint: hint))
    }

    /// What lets the file be used all the same.
    mutating func warn(_ code: String, _ node: YAMLNode, _ message: String, hint: String) {
        diagnostics.append(
            Diagnostic(
                code: code, severity: .warning, file: root.file, span: node.span, message: message, hint: hint
            ))
    }

    private func context(_ place: DescriptorPlace) -> ExpressionContext {
        // What a descriptor says about an answer holds for an answer that is there.
        var context = ExpressionContext(
            file: root.file,
            scope: DescriptorScope(variables: variableNames, place: place, captures: captures),
            sink: Sink("a descriptor's text"))
        context.isLenient = true
        return context
    }

    /// A text, fixed or a template; numbers and booleans count as their text.
    ///
    /// - Parameters:
    ///   - isURL: Whether it is the address of a request: values that are not the registration's are encoded.
    ///   - keepsType: Whether it may be the member of a JSON object, where the value of an expression is no text.
    mutating func text(
        _ node: YAMLNode, _ place: DescriptorPlace, isURL: Bool = false, keepsType: Bool = false
    ) -> DescriptorText? {
        guard let scalar = node.scalar, !node.isNothing else {
            report("FL016", node, "expected a text, found \(node.shape)")
            return nil
        }
        let layer = layers.layer(of: node.span)
        guard TemplateScanner.isTemplate(scalar.text) else {
            return DescriptorText(content: .literal(scalar.text), span: node.span, in: layer)
        }
        templates.append(node.span)
        var context = context(place)
        if isURL { context.plainInURL = ["vars", "client", "now", "now_ms", "random"] }
        let compiled = ExpressionCompiler.template(
            node, expecting: .string, context, into: &code, &diagnostics)
        guard let compiled else { return nil }
        refuseSecrets(in: compiled, place)
        if compiled.references.contains(where: { $0.slot == DescriptorSlot.claims.rawValue }) {
            readsClaims = true
        }
        if case .string(let text) = compiled.constant {
            return DescriptorText(content: .literal(text), span: node.span, in: layer)
        }
        let text = DescriptorText(
            content: .template(compiled.range), isSecret: readsSecret(compiled),
            references: compiled.references, span: node.span, in: layer)
        guard keepsType, let value = compiled.rangeBeforeText else { return text }
        return text.typed(.code(value))
    }

    /// FL061: a secret variable where people, or the flow, see what is made of it.
    private mutating func refuseSecrets(in compiled: CompiledExpression, _ place: DescriptorPlace) {
        guard !place.takesSecrets else { return }
        for (slot, span) in compiled.references where slot >= DescriptorSlot.variableBase {
            let variable = variables[slot - DescriptorSlot.variableBase]
            guard variable.isSecret else { continue }
            diagnostics.append(
                Diagnostic(
                    code: "FL061", file: root.file, span: span,
                    message:
                        "\"vars.\(variable.name)\" is a secret, which may only go into requests to the provider",
                    hint: "token, refresh, userinfo and the other operations can use it, api_key too"))
        }
    }

    private func readsSecret(_ compiled: CompiledExpression) -> Bool {
        compiled.references.contains { slot, _ in
            if let slot = DescriptorSlot(rawValue: slot) { return slot.isSecret }
            return variables[slot - DescriptorSlot.variableBase].isSecret
        } || compiled.flows.contains(where: readsSecretMember)
    }

    /// Whether it is a further member of a token response, or of the callback, that is a secret by its name, such as
    /// `session_key`.
    private func readsSecretMember(_ flow: ValueFlow) -> Bool {
        guard let slot = DescriptorSlot(rawValue: flow.slot) else { return false }
        return (slot == .token || slot == .callback)
            && flow.members.contains { SecretName.tells(SecretName.normal($0.dropFirst())) }
    }

    mutating func text(_ key: String, in mapping: MappingReader?, _ place: DescriptorPlace) -> DescriptorText?
    {
        mapping?[key].flatMap { text($0, place) }
    }

    /// The URL of an endpoint.
    mutating func endpoint(
        _ node: YAMLNode, _ place: DescriptorPlace = .facts, isURL: Bool = false
    ) -> DescriptorText? {
        if let text = node.scalar?.text, let problem = DescriptorSafety.problem(ofEndpoint: text) {
            report(problem.code, node, problem.message, hint: DescriptorSafety.cure(ofEndpoint: text))
            return nil
        }
        return text(node, place, isURL: isURL)
    }

    /// Names with texts, in the order written.
    mutating func texts(
        _ key: String, in mapping: MappingReader, _ place: DescriptorPlace
    ) -> [(name: String, text: DescriptorText)] {
        mapping.names(key, &diagnostics).compactMap { entry in
            text(entry.value, place).map { (entry.key, $0) }
        }
    }

    /// The same for what may be the members of a JSON object: there, values keep their types.
    mutating func members(
        _ key: String, in mapping: MappingReader, _ place: DescriptorPlace
    ) -> [(name: String, text: DescriptorText)] {
        mapping.names(key, &diagnostics).compactMap { entry in
            let member =
                entry.value.scalar == nil ? structure(entry.value, place) : member(entry.value, place)
            return member.map { (entry.key, $0) }
        }
    }

    private mutating func member(_ node: YAMLNode, _ place: DescriptorPlace) -> DescriptorText? {
        guard let text = text(node, place, keepsType: true) else { return nil }
        switch (text.content, node.value) {
        case (.literal, .bool?), (.literal, .int?), (.literal, .number?):
            return text.typed(.value(LiteralReader.json(node)))
        case (.literal, _), (.template, _): return text
        }
    }

    /// A list or mapping, with templates in it or none.
    private mutating func structure(_ node: YAMLNode, _ place: DescriptorPlace) -> DescriptorText? {
        noteTemplates(in: node)
        let compiled = ExpressionCompiler.template(
            node, expecting: .json, context(place), into: &code, &diagnostics)
        guard let compiled else { return nil }
        refuseSecrets(in: compiled, place)
        return DescriptorText(
            content: .template(compiled.range), isSecret: readsSecret(compiled),
            references: compiled.references, span: node.span, in: layers.layer(of: node.span)
        ).typed(.structure(compiled.range))
    }

    private mutating func noteTemplates(in node: YAMLNode) {
        switch node.content {
        case .scalar: templates.append(node.span)
        case .sequence(let nodes): for node in nodes { noteTemplates(in: node) }
        case .mapping(let mapping): for entry in mapping.entries { noteTemplates(in: entry.value) }
        }
    }

    mutating func condition(_ key: String, in mapping: MappingReader, _ place: DescriptorPlace) -> CodeRange?
    {
        guard let node = mapping[key] else { return nil }
        templates.append(node.span)
        return ExpressionCompiler.condition(node, context(place), into: &code, &diagnostics)?.range
    }

    /// Whether `${` below the key means something of its own, is never used, or is read on another occasion.
    private static func isUntouched(_ key: String) -> Bool {
        // By its first letter first: every key of a file with templates is asked.
        switch key.utf8.first {
        case UInt8(ascii: "e"): key == "environments"
        case UInt8(ascii: "m"): key == "match"
        case UInt8(ascii: "p"): key == "pattern"
        case UInt8(ascii: "r"): key == "redirect"
        case UInt8(ascii: "x"): KnownKeys.isForeign(key)
        default: false
        }
    }

    /// Reports every `${` that nothing has read as a template: it would be sent as it is written.
    ///
    /// What is wrong in another way has been reported already.
    ///
    /// - Parameter read: Where those stand that have been.
    private mutating func refuseTemplates(_ node: YAMLNode, _ read: Set<SourceSpan>) {
        switch node.content {
        case .scalar(let scalar):
            guard TemplateScanner.isTemplate(scalar.text), !read.contains(node.span),
                !diagnostics.contains(where: { $0.span == node.span })
            else { return }
            refuseTemplate(node.span)
        case .sequence(let nodes):
            for node in nodes { refuseTemplates(node, read) }
        case .mapping(let mapping):
            for entry in mapping.entries where !Self.isUntouched(entry.key) {
                if TemplateScanner.isTemplate(entry.key) { refuseTemplate(entry.keySpan) }
                refuseTemplates(entry.value, read)
            }
        }
    }

    private mutating func refuseTemplate(_ span: SourceSpan) {
        report("FL016", span, "no ${...} may stand here: this text is used as it is written")
    }

    /// A path into an answer.
    mutating func path(_ node: YAMLNode) -> ValuePath? {
        if case .string(let text) = node.value, let path = ValuePath(text) {
            refuseForeignPath(text, node)
            warnOfURL(path, node)
            return path
        }
        report(
            "FL016", node, "expected a path, found \(node.shape)",
            hint: "paths are written a.b, a[0].b, a[?primary].b, a[?type=work].b or [\"name.with.dots\"].b")
        return nil
    }

    /// One path, or a list of which the first that is set counts.
    mutating func paths(_ node: YAMLNode) -> [ValuePath] {
        if let nodes = node.sequence { return nodes.compactMap { path($0) } }
        return path(node).map { [$0] } ?? []
    }
}
