internal import FlowLanguage
internal import OAuthProtocol
internal import YAMLText

/// A place that may say a value, in the order in which places count.
struct ConfigLayer: Sendable, Hashable {
    let place: String
    /// `nil` where it says nothing; of a secret where it is.
    let value: String?
    /// What is shown in place of a value.
    var absence = "not set"
}

/// The places of a value: option, variable, files, what holds without any.
struct ConfigLayers: Sendable {
    let context: CommandContext

    func layers(of key: String) throws(Problem) -> [ConfigLayer] {
        if let option = option(key) { return layers(of: option) }
        guard key.contains(".") else {
            let names = CommandTable.all.flatMap(\.options).map(\.name)
            let known = ArgumentReader.suggestion(String(key.drop { $0 == "-" }), names)
            throw Problem(
                .usage, "no option and no value of a registration is called \"\(key)\"\(known)",
                hints: ["values of a registration are written PROVIDER.NAME, such as acme.client_id"])
        }
        return try layers(of: RegistrationKey(key))
    }

    // MARK: Options

    private func option(_ key: String) -> OptionSpec? {
        let name = String(key.drop { $0 == "-" })
        return CommandTable.all.lazy.flatMap(\.options).first {
            $0.name == name || ($0.readsEnvironment && $0.variable == key)
        }
    }

    private func layers(of option: OptionSpec) -> [ConfigLayer] {
        places(of: option) + [ConfigLayer(place: "built in", value: nil, absence: option.help)]
    }

    /// The option itself, and the variable that stands for it.
    private func places(of option: OptionSpec) -> [ConfigLayer] {
        let written = ConfigLayer(place: "--\(option.name)", value: nil, absence: "on the command line")
        guard option.readsEnvironment else { return [written] }
        let variable = option.variable
        return [written, ConfigLayer(place: variable, value: context.surroundings.variable(variable))]
    }

    private func places(ofOption name: String) -> [ConfigLayer] {
        CommandTable.all.lazy.flatMap(\.options).first { $0.name == name }.map(places) ?? []
    }

    // MARK: Registrations

    private func layers(of key: RegistrationKey) throws(Problem) -> [ConfigLayer] {
        let files = try context.registrations()
        let entries = files.registrations.filter { $0.provider == key.provider }
        var layers = outside(key)
        for (index, entry) in entries.enumerated() {
            let said = value(key, entry)
            let place = "\(entry.file):\((said?.span ?? entry.span).start.line)"
            // The first file that has an entry counts alone.
            layers.append(
                index == 0
                    ? ConfigLayer(place: place, value: said?.value)
                    : ConfigLayer(
                        place: place, value: nil, absence: "not looked at: \(entries[0].file) has an entry"))
        }
        if entries.isEmpty {
            layers.append(
                ConfigLayer(place: "flowrun.yaml", value: nil, absence: "no entry for \(key.provider)"))
        }
        if let standard = try standard(key) { layers.append(standard) }
        return layers
    }

    /// Options and variables.
    private func outside(_ key: RegistrationKey) -> [ConfigLayer] {
        let prefix = RegistrationResolver.variablePrefix(key.provider)
        let variable = { (name: String) in
            ConfigLayer(place: name, value: context.surroundings.variable(name))
        }
        // Where a secret is, never what it is.
        let secret = { (name: String) -> [ConfigLayer] in
            let isSet = context.surroundings.variable(name) != nil
            let file = context.surroundings.variable(name + "_FILE")
            return [
                ConfigLayer(place: name, value: isSet ? "in variable \(name)" : nil),
                ConfigLayer(place: name + "_FILE", value: file.map { "in file \($0)" }),
            ]
        }
        switch key.name {
        case "client_id": return places(ofOption: "client-id") + [variable(prefix + "_CLIENT_ID")]
        case "client_secret":
            return ["client-secret-file", "client-secret-env", "client-secret-stdin"].flatMap(
                places(ofOption:))
                + secret(prefix + "_CLIENT_SECRET")
        case "private_key":
            return ["private-key-file", "private-key-env"].flatMap(places(ofOption:))
                + secret(prefix + "_PRIVATE_KEY")
        case "client_assertion":
            return ["client-assertion-file", "client-assertion-env"].flatMap(places(ofOption:))
                + secret(prefix + "_CLIENT_ASSERTION")
        case "certificate": return secret(prefix + "_CERTIFICATE")
        case "certificate_key": return secret(prefix + "_CERTIFICATE_KEY")
        case "environment": return places(ofOption: "environment")
        case "redirect_uri": return places(ofOption: "redirect-uri")
        case "scopes": return [ConfigLayer(place: "--scope", value: nil, absence: "adds to them")]
        case "token_endpoint_auth_method": return []
        default:
            let option = "--set \(key.variable ?? "NAME")=VALUE"
            return [ConfigLayer(place: option, value: nil, absence: "on the command line")]
        }
    }

    private struct Said {
        let value: String
        let span: SourceSpan
    }

    /// What the entry says, and where.
    private func value(_ key: RegistrationKey, _ entry: Registration) -> Said? {
        let directory = FilePath.parent(of: entry.file)
        let place = { (source: SecretSource, span: SourceSpan) in
            Said(value: "in \(SecretLocation(source, directory: directory).summary)", span: span)
        }
        let text = { (text: Located<String>?) in text.map { Said(value: $0.value, span: $0.span) } }
        let secret = { (source: Located<SecretSource>?) in source.map { place($0.value, $0.span) } }
        switch key.name {
        case "client_id": return text(entry.clientID)
        case "client_secret": return secret(entry.secret)
        case "private_key": return secret(entry.privateKey)
        case "client_assertion": return secret(entry.assertion)
        case "certificate": return secret(entry.certificate)
        case "certificate_key": return secret(entry.certificateKey)
        case "environment": return text(entry.environment)
        case "redirect_uri": return text(entry.redirectURI)
        case "scopes":
            guard !entry.scopes.isEmpty else { return nil }
            return Said(
                value: entry.scopes.joined(separator: " "), span: entry.scopesSpan ?? entry.span)
        case "token_endpoint_auth_method":
            return entry.authenticationMethod.map { Said(value: $0.value.rawValue, span: $0.span) }
        default:
            guard let found = entry.variables.first(where: { $0.name == key.variable })?.value else {
                return nil
            }
            switch found.value {
            case .text(let text): return Said(value: text, span: found.span)
            case .secret(let source): return place(source, found.span)
            }
        }
    }

    /// What the provider's file says where nobody else does.
    private func standard(_ key: RegistrationKey) throws(Problem) -> ConfigLayer? {
        let loaded = try context.library.provider(key.provider)
        let value: String?
        switch key.name {
        case "token_endpoint_auth_method": value = loaded.descriptor.client.authenticationMethod?.rawValue
        case "client_id", "client_secret", "private_key", "client_assertion", "certificate",
            "certificate_key", "environment", "redirect_uri", "scopes":
            return nil
        default: value = loaded.descriptor.variables.first { $0.name == key.variable }?.standard
        }
        return ConfigLayer(place: loaded.source.path, value: value)
    }
}
