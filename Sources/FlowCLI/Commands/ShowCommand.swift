internal import FlowEngine
internal import FlowLanguage
internal import OAuthProtocol
internal import YAMLText

/// `flow show` and `provider show`.
struct ShowCommand: Sendable {
    let context: CommandContext
    let kind: LibraryKind
    let name: String
    /// Of a provider.
    let form: Command.Form

    func run() throws(Problem) -> Int {
        switch (kind, form) {
        case (.flow, _): context.write(text(of: try context.library.flow(name)))
        case (.provider, .text): context.write(try text(of: try provider()))
        case (.provider, .json):
            let provider = try provider()
            let fields = DescriptorFields(
                provider.source, environment: provider.descriptor.environment, parent: context.library.parent)
            let found = try found(provider.descriptor)
            context.write(ProviderFieldsJSON(provider: provider, fields: fields, registration: found).text)
        }
        return ExitStatus.ok.rawValue
    }

    // MARK: Flow

    private func text(of flow: LoadedFlow) -> String {
        let program = flow.program
        var text = "flow \(program.name) v\(program.version)  \(VisibleText.escaped(flow.source.path))\n"
        if let summary = program.summary { text += "\(summary)\n" }
        text += section(
            "providers", program.providers.map { ($0.alias, $0.standard.map { "default \($0.value)" } ?? "") }
        )
        text += section("inputs", program.inputs.map { ($0.name, describe($0)) })
        text += section("outputs", program.outputs.map { ($0.name, $0.type.description) })
        text += section("steps", program.steps.map { ($0.name, describe($0, program)) })
        text += section("ends", program.ends.map { ($0.name, describe($0)) })
        return text + section("tests", program.tests.map { ($0.name, "") })
    }

    private func describe(_ input: InputRow) -> String {
        let sources = [
            input.type.description, input.environment.map { "from \($0)" }, input.file.map { "from \($0)" },
            input.standard == nil ? nil : "has a default",
        ]
        return sources.compactMap(\.self).joined(separator: ", ")
    }

    private func describe(_ step: StepRow, _ program: FlowProgram) -> String {
        var targets: [String] = []
        for index in step.routes where index != RouteRow.none {
            for edge in program.routes[Int(index)].edges {
                let name =
                    switch program.edges[edge].target {
                    case .step(let step): program.steps[step].name
                    case .end(let end): program.ends[end].name
                    }
                if !targets.contains(name) { targets.append(name) }
            }
        }
        let kind = step.name == step.kind.rawValue ? "" : "\(step.kind.rawValue) "
        return "\(kind)to \(targets.joined(separator: ", "))"
    }

    private func describe(_ end: EndRow) -> String {
        [end.result.rawValue, end.error, end.exit.map { "status \($0)" }].compactMap(\.self).joined(
            separator: ", ")
    }

    // MARK: Provider

    /// With the environment on top that its registration asks for, as every run has it.
    private func provider() throws(Problem) -> LoadedProvider {
        let plain = try context.library.provider(name)
        guard let environment = try found(plain.descriptor).environment else { return plain }
        return try context.library.provider(name, environment: environment.value)
    }

    private func text(of provider: LoadedProvider) throws(Problem) -> String {
        let descriptor = provider.descriptor
        var text =
            "provider \(descriptor.id)  \(RemoteText.sanitize(descriptor.displayName))  "
            + "\(VisibleText.escaped(provider.source.path))\n"
        let links = [
            ("documentation", descriptor.documentation), ("console", descriptor.console),
            ("registration", descriptor.registrationHint),
        ]
        text += wrapped("about", links.compactMap { name, value in value.map { (name, $0) } })
        text += wrapped("server", try server(descriptor))
        text += wrapped("variables", descriptor.variables.map { ($0.name, describe($0)) })
        return text + wrapped("client", client(descriptor))
    }

    private func server(_ descriptor: ProviderDescriptor) throws(Problem) -> [(String, String)] {
        var rows: [(String, String?)] = [("protocol", descriptor.wireProtocol.rawValue)]
        rows.append(("environment", descriptor.environment))
        rows.append(("discovery", descriptor.discovery.rawValue))
        let found = try found(descriptor)
        let variables = try ResolvedRegistration.variables(descriptor, found, isRehearsal: false)
        let bound = (try? descriptor.bind(variables: variables))?.used(
            by: found.clientID?.value ?? RegistrationResolver.inventedClientID)
        // Without a value for every variable there are no endpoints to show; the variables are listed.
        if let fields = bound?.serverFields() {
            rows += [
                ("issuer", fields.issuer), ("authorization", fields.authorizationEndpoint),
                ("token", fields.tokenEndpoint), ("userinfo", fields.userinfoEndpoint),
                ("keys", fields.jwksURI),
            ]
        }
        rows.append(
            ("scopes", scopes(descriptor, bound).map { $0.isEmpty ? "none" : $0.joined(separator: " ") }))
        return rows.compactMap { name, value in value.map { (name, $0) } }
    }

    /// What is asked for; `nil` while a variable of it has no value.
    private func scopes(_ descriptor: ProviderDescriptor, _ bound: BoundDescriptor?) -> [String]? {
        if let bound { return bound.scopes }
        let fixed = descriptor.authorization.scopes.compactMap(\.literal)
        return fixed.count == descriptor.authorization.scopes.count ? fixed : nil
    }

    private func found(_ descriptor: ProviderDescriptor) throws(Problem) -> FoundRegistration {
        RegistrationSearch(files: try context.registrations(), surroundings: context.surroundings).find(
            descriptor, ClientOptions())
    }

    private func describe(_ variable: VariableSpec) -> String {
        let parts = [
            variable.description, variable.standard.map { "default \($0)" },
            variable.allowed.map { "one of \($0.joined(separator: ", "))" },
            variable.isRequired ? "required" : nil,
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
    }

    /// Says where the registration comes from, never what the secret is.
    private func client(_ descriptor: ProviderDescriptor) -> [(String, String)] {
        let redirect = descriptor.redirect
        let ports = redirect.loopbackPorts?.map { String($0) }.joined(separator: "|") ?? "PORT"
        let hosts = redirect.loopbackHosts.joined(separator: "|")
        var rows = [("redirect", "http://\(hosts):\(ports)\(redirect.loopbackPath)")]
        if let method = descriptor.client.authenticationMethod {
            rows.append(("authentication", method.rawValue))
        }
        // A file that cannot be read was reported by server() already.
        let found = (try? found(descriptor)) ?? FoundRegistration()
        if found.clientID == nil {
            let word = context.library.word(name, for: descriptor.id)
            let command = CachedMetadata(context.surroundings).registering(word, descriptor, found)
            rows.append(("registered", "no; see: \(command)"))
        }
        return rows + found.rows
    }

    // MARK: Layout

    /// A section whose prose fits the terminal; addresses stay whole, for people copy them.
    private func wrapped(_ title: String, _ rows: [(String, String)]) -> String {
        guard !rows.isEmpty else { return "" }
        var page = Page(RenderOptions(context.common, context.surroundings.output, context.surroundings))
        let width = rows.map(\.0.count).max() ?? 0
        for (name, value) in rows {
            let line = Styled("\(name.padded(to: width))  \(value)")
            if value.contains("://") {
                page.unwrapped(line, indent: 2)
            } else {
                page.line(line, indent: 2, hanging: width + 4)
            }
        }
        return "\n\(title)\n\(page.take())"
    }

    private func section(_ title: String, _ rows: [(String, String)]) -> String {
        guard !rows.isEmpty else { return "" }
        let width = rows.map(\.0.count).max() ?? 0
        let lines = rows.map { name, value in
            value.isEmpty ? "  \(name)\n" : "  \(name.padded(to: width))  \(value)\n"
        }
        return "\n\(title)\n\(lines.joined())"
    }
}
