package import YAMLText
internal import OAuthProtocol

/// Reads `flowrun.yaml`: the registrations of a project or of a user.
package enum RegistrationReader {
    private static let keys = ["client_id", "client_secret", "variables", "scopes", "redirect_uri"]

    /// The registrations that could be read and everything that is wrong with the file, sorted by place.
    package static func read(_ file: SourceFile) -> (registrations: [Registration], diagnostics: [Diagnostic])
    {
        var (root, diagnostics) = YAMLDocument.parse(file)
        guard let root, root.value != .null else { return ([], diagnostics) }
        var registrations: [Registration] = []
        if let top = MappingReader(
            root, "flowrun.yaml", keys: ["registrations"], file: file.path, &diagnostics),
            let entries = top.mapping("registrations", keys: nil, &diagnostics)?.entries
        {
            registrations = entries.compactMap { registration($0, file.path, &diagnostics) }
        }
        return (registrations, diagnostics.sorted())
    }

    private static func registration(
        _ entry: YAMLMapping.Entry, _ file: String, _ diagnostics: inout [Diagnostic]
    ) -> Registration? {
        let subject = "registration \"\(entry.key)\""
        guard let fields = MappingReader(entry.value, subject, keys: keys, file: file, &diagnostics) else {
            return nil
        }
        let redirectURI = fields.string("redirect_uri", &diagnostics)
        if let redirectURI, let node = fields["redirect_uri"],
            let problem = EndpointURL.check(redirectURI, allowLoopbackHTTP: true)
        {
            let message = "\"redirect_uri\" in \(subject) \(problem.rawValue)"
            diagnostics.append(Diagnostic(code: "FL016", file: file, span: node.span, message: message))
        }
        return Registration(
            provider: entry.key, clientID: fields.string("client_id", &diagnostics),
            secret: secret(fields, &diagnostics), variables: variables(fields, &diagnostics),
            scopes: fields.strings("scopes", &diagnostics) ?? [], redirectURI: redirectURI, file: file,
            span: entry.keySpan)
    }

    /// The values are texts; numbers and booleans are taken as written.
    private static func variables(
        _ fields: MappingReader, _ diagnostics: inout [Diagnostic]
    ) -> [(name: String, value: String)] {
        guard let variables = fields.mapping("variables", keys: nil, &diagnostics) else { return [] }
        return variables.entries.compactMap { entry in
            if let scalar = entry.value.scalar, scalar.value != .null { return (entry.key, scalar.text) }
            variables.wrong(entry.key, entry.value, "text", &diagnostics)
            return nil
        }
    }

    private static func secret(
        _ fields: MappingReader, _ diagnostics: inout [Diagnostic]
    ) -> Registration.SecretSource? {
        guard let node = fields["client_secret"] else { return nil }
        guard node.mapping != nil else {
            // The text itself is never repeated: it may be the secret.
            diagnostics.append(
                Diagnostic(
                    code: "FL066", file: fields.file, span: node.span,
                    message: "a client secret stands in the file",
                    hint: "say where it is: {env: NAME} or {file: PATH}"))
            return nil
        }
        guard
            let source = fields.mapping(
                "client_secret", "client_secret", keys: ["env", "file"], &diagnostics)
        else { return nil }
        let variable = source.string("env", &diagnostics)
        let file = source.string("file", &diagnostics)
        switch (variable, file) {
        case (let variable?, nil): return .environment(variable)
        case (nil, let file?): return .file(file)
        case (nil, nil), (_?, _?):
            // A wrong key or value has been reported already.
            guard source.entries.allSatisfy({ ["env", "file"].contains($0.key) }), source.entries.count != 1
            else {
                return nil
            }
            let message = "client_secret needs one of \"env\" and \"file\""
            diagnostics.append(
                Diagnostic(code: "FL011", file: fields.file, span: node.span, message: message))
            return nil
        }
    }
}
