internal import OAuthProtocol
package import YAMLText

/// Reads `flowrun.yaml`: the registrations of a project or of a user.
package enum RegistrationReader {
    package static let keys = [
        "client_id", "client_secret", "private_key", "client_assertion", "certificate", "certificate_key",
        "token_endpoint_auth_method", "environment", "variables", "scopes", "redirect_uri",
        "issuer", "registration_client_uri", "registration_access_token",
    ]

    static let topKeys = ["registrations"]

    /// The registrations that could be read and everything that is wrong with the file, sorted by place.
    package static func read(_ file: SourceFile) -> (registrations: [Registration], diagnostics: [Diagnostic])
    {
        var (root, diagnostics) = YAMLDocument.parse(file)
        guard let root, root.value != .null else { return ([], cleared(diagnostics, of: file)) }
        var registrations: [Registration] = []
        if let top = MappingReader(
            root, "flowrun.yaml", keys: topKeys, file: file.path, &diagnostics),
            // The key alone is a beginning.
            top["registrations"]?.value != .null,
            let entries = top.mapping("registrations", keys: nil, &diagnostics)?.entries
        {
            registrations = entries.compactMap { registration($0, file.path, &diagnostics) }
        }
        return (registrations, cleared(diagnostics, of: file).toldOnce())
    }

    private static func registration(
        _ entry: YAMLMapping.Entry, _ file: String, _ diagnostics: inout [Diagnostic]
    ) -> Registration? {
        let fields = MappingReader(
            entry.value, .named("registration", entry.key), keys: keys, file: file,
            otherwise: keys.contains(entry.key)
                ? "\"\(entry.key)\" is a key of a registration: indent it below the provider's name" : nil,
            elsewhere: { key in
                "keys here: \(keys.joined(separator: ", ")); a variable of the provider stands under variables"
            }, &diagnostics)
        guard let fields else { return nil }
        return Registration(
            provider: entry.key, clientID: clientID(fields, &diagnostics),
            secret: SecretSourceReading.read(fields, "client_secret", "a client secret", &diagnostics),
            privateKey: SecretSourceReading.read(fields, "private_key", "a private key", &diagnostics),
            assertion: SecretSourceReading.read(
                fields, "client_assertion", "an assertion that proves the client", &diagnostics),
            certificate: SecretSourceReading.read(
                fields, "certificate", "a client certificate", &diagnostics),
            certificateKey: SecretSourceReading.read(
                fields, "certificate_key", "the key of a client certificate", &diagnostics),
            authenticationMethod: method(fields, &diagnostics),
            issuer: url("issuer", fields, addressProblem, &diagnostics),
            managementURI: url("registration_client_uri", fields, addressProblem, &diagnostics),
            managementToken: SecretSourceReading.read(
                fields, "registration_access_token", "a registration access token", &diagnostics),
            environment: fields.located("environment", &diagnostics),
            variables: variables(fields, &diagnostics),
            scopes: fields.strings("scopes", &diagnostics) ?? [], scopesSpan: fields["scopes"]?.span,
            redirectURI: url("redirect_uri", fields, RedirectURI.problem, &diagnostics), file: file,
            span: entry.keySpan)
    }

    private static func clientID(
        _ fields: MappingReader, _ diagnostics: inout [Diagnostic]
    ) -> Located<String>? {
        guard let id = fields.located("client_id", &diagnostics) else { return nil }
        if let problem = Registration.problem(withClientID: id.value) {
            let message = "\"client_id\" in \(fields.subject) \(problem)"
            diagnostics.append(Diagnostic(code: "FL016", file: fields.file, span: id.span, message: message))
        }
        return id
    }

    private static func method(
        _ fields: MappingReader, _ diagnostics: inout [Diagnostic]
    ) -> Located<ClientAuthenticationMethod>? {
        let key = "token_endpoint_auth_method"
        guard let node = fields[key],
            let method = fields.word(key, as: ClientAuthenticationMethod.self, &diagnostics)
        else { return nil }
        return Located(method, at: node.span)
    }

    private static func addressProblem(_ text: String) -> String? {
        EndpointURL.check(text, allowLoopbackHTTP: true)?.rawValue
    }

    private static func url(
        _ key: String, _ fields: MappingReader, _ problem: (String) -> String?,
        _ diagnostics: inout [Diagnostic]
    ) -> Located<String>? {
        guard let uri = fields.located(key, &diagnostics) else { return nil }
        if let problem = problem(uri.value) {
            let message = "\"\(key)\" in \(fields.subject) \(problem)"
            diagnostics.append(Diagnostic(code: "FL016", file: fields.file, span: uri.span, message: message))
        }
        return uri
    }

    /// The values are texts, numbers and booleans as written, or the source of a secret.
    private static func variables(
        _ fields: MappingReader, _ diagnostics: inout [Diagnostic]
    ) -> [Registration.Variable] {
        guard let variables = fields.mapping("variables", keys: nil, &diagnostics) else { return [] }
        return variables.entries.compactMap { entry in
            let span = entry.value.span
            if entry.value.mapping != nil {
                let source = SecretSourceReading.read(
                    variables, entry.key, "variable \"\(entry.key)\"", &diagnostics)
                return source.map { .init(name: entry.key, value: Located(.secret($0.value), at: span)) }
            }
            let count = diagnostics.count
            DescriptorSafety.findCredentials(entry.value, file: fields.file, &diagnostics)
            guard count == diagnostics.count else { return nil }
            if let scalar = entry.value.scalar, scalar.value != .null {
                return .init(name: entry.key, value: Located(.text(scalar.text), at: span))
            }
            variables.wrong(entry.key, entry.value, "text or the source of a secret", &diagnostics)
            return nil
        }
    }
}

extension MappingReader {
    fileprivate func located(_ key: String, _ diagnostics: inout [Diagnostic]) -> Located<String>? {
        guard let node = self[key], let text = string(key, &diagnostics) else { return nil }
        return Located(text, at: node.span)
    }
}
