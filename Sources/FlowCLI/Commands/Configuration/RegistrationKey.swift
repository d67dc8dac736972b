internal import FlowLanguage
internal import OAuthProtocol

/// A value of a registration as `config` names it: `acme.client_id`, `acme.variables.tenant`.
struct RegistrationKey: Sendable, Hashable {
    let provider: String
    /// As `flowrun.yaml` has it, `variables.NAME` included.
    let name: String

    static let names = [
        "client_id", "token_endpoint_auth_method", "environment", "redirect_uri", "scopes", "variables.NAME",
    ]
    private static let secrets = [
        "client_secret", "private_key", "client_assertion", "certificate", "certificate_key",
    ]

    var isSecret: Bool { Self.secrets.contains(name) }

    /// The variable of the descriptor that it is about.
    var variable: String? {
        name.hasPrefix("variables.") ? String(name.dropFirst("variables.".count)) : nil
    }

    init(_ text: String) throws(Problem) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard parts.count == 2, !parts[0].isEmpty else {
            throw Problem(
                .usage, "\"\(text)\" is no value of a registration",
                hints: ["write PROVIDER.NAME, with one of \(Self.names.joined(separator: ", "))"])
        }
        (provider, name) = (parts[0], parts[1])
        let isKnown =
            Self.names.dropLast().contains(name) || isSecret || (variable.map { !$0.isEmpty } ?? false)
        guard isKnown else {
            let known = ArgumentReader.suggestion(name, Self.names + Self.secrets)
            throw Problem(
                .usage, "a registration has no \"\(name)\"\(known)",
                hints: ["there are \((Self.names + Self.secrets).joined(separator: ", "))"])
        }
    }

    /// What is to stand in the file.
    func draft(_ value: String, _ descriptor: ProviderDescriptor) throws(Problem) -> RegistrationDraft {
        var draft = RegistrationDraft(provider: descriptor.id)
        guard !isSecret else {
            throw Problem(
                .usage, "\(name) is a secret, which is not written to flowrun.yaml",
                hints: ["say where it is: flowrun provider add \(provider)"])
        }
        if let variable {
            draft.variables = [(variable, .text(try checked(value, variable, descriptor)))]
            return draft
        }
        switch name {
        case "client_id":
            if let problem = Registration.problem(withClientID: value) {
                throw Problem(.usage, "the client identifier \(problem)")
            }
            draft.clientID = value
        case "environment":
            if let problem = descriptor.mistake(inEnvironment: value) {
                throw Problem(.usage, problem.message, hints: [problem.hint])
            }
            draft.environment = value
        case "redirect_uri":
            if let problem = RedirectURI.problem(with: value) {
                throw Problem(.usage, "the redirect URI \"\(value)\" \(problem)")
            }
            draft.redirectURI = value
        case "scopes":
            draft.scopes = try Self.scopes(value)
        case "token_endpoint_auth_method":
            guard let method = ClientAuthenticationMethod(rawValue: value) else {
                let known = ClientAuthenticationMethod.allCases.map(\.rawValue)
                let near = ArgumentReader.suggestion(value, known)
                throw Problem(.usage, "no method \"\(value)\"\(near)", hints: [known.joined(separator: ", ")])
            }
            draft.authenticationMethod = method
        default: preconditionFailure("a name is checked when it is read")
        }
        return draft
    }

    /// Scopes with spaces or commas between them, also as a list in YAML or JSON: `[openid, "email"]`.
    private static func scopes(_ value: String) throws(Problem) -> [String] {
        let isList = value.hasPrefix("[") && value.hasSuffix("]") && value.utf8.count > 1
        let items = (isList ? value.dropFirst().dropLast() : value[...]).split { $0 == " " || $0 == "," }
        let scopes = items.map { item in
            let isQuoted = ["\"", "'"].contains(item.prefix(1)) && item.count > 1 && item.first == item.last
            return String(isQuoted ? item.dropFirst().dropLast() : item)
        }
        guard !scopes.isEmpty else { throw Problem(.usage, "there is no scope in \"\(value)\"") }
        if let wrong = scopes.first(where: { !isScope($0) || $0.hasPrefix("[") || $0.hasSuffix("]") }) {
            throw Problem(
                .usage, "\"\(wrong)\" is no scope",
                hints: ["write them with spaces between them, or as a list: [openid, email]"])
        }
        return scopes
    }

    /// A `scope-token` (RFC 6749 §3.3).
    private static func isScope(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }

    private func checked(
        _ value: String, _ name: String, _ descriptor: ProviderDescriptor
    ) throws(Problem) -> String {
        guard let variable = descriptor.variables.first(where: { $0.name == name }) else {
            let near = ArgumentReader.suggestion(name, descriptor.variables.map(\.name))
            throw Problem(.usage, "provider \"\(descriptor.id)\" has no variable \"\(name)\"\(near)")
        }
        guard !variable.isSecret else {
            throw Problem(
                .usage, "the value of variable \"\(name)\" is secret",
                hints: ["say where it is in flowrun.yaml: variables: {\(name): {env: NAME}}"])
        }
        if let problem = variable.problem(with: variable.completed(value)) {
            throw Problem(.usage, "variable \"\(name)\" \(problem)")
        }
        return value
    }
}
