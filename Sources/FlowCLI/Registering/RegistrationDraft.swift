internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// What is to stand in `flowrun.yaml` for one provider; what is `nil` or empty is left as it is.
struct RegistrationDraft: Sendable {
    let provider: String
    var clientID: String?
    var secret: SecretSource?
    /// Keys of the entry that go away.
    var drops: Set<String> = []
    var privateKey: SecretSource?
    var assertion: SecretSource?
    var certificate: SecretSource?
    var certificateKey: SecretSource?
    var environment: String?
    var variables: [(name: String, value: Registration.VariableValue)] = []
    var scopes: [String] = []
    var redirectURI: String?
    var authenticationMethod: ClientAuthenticationMethod?
    /// That registered the client.
    var issuer: String?
    /// Where the provider lets the client change its registration (RFC 7592 §3).
    var managementURI: String?
    var managementToken: SecretSource?

    /// A key with its value in one line of YAML, or with keys of its own.
    indirect enum Field: Sendable {
        case text(String, String)
        case mapping(String, [Field])

        var key: String {
            switch self {
            case .text(let key, _), .mapping(let key, _): key
            }
        }
    }

    /// In the order in which a new entry has them.
    var fields: [Field] {
        var fields: [Field] = []
        if let clientID { fields.append(.text("client_id", Self.quoted(clientID))) }
        if let secret { fields.append(.text("client_secret", Self.text(secret))) }
        if let privateKey { fields.append(.text("private_key", Self.text(privateKey))) }
        if let assertion { fields.append(.text("client_assertion", Self.text(assertion))) }
        if let certificate { fields.append(.text("certificate", Self.text(certificate))) }
        if let certificateKey { fields.append(.text("certificate_key", Self.text(certificateKey))) }
        if let authenticationMethod {
            fields.append(.text("token_endpoint_auth_method", authenticationMethod.rawValue))
        }
        if let environment { fields.append(.text("environment", Self.quoted(environment))) }
        if !variables.isEmpty {
            fields.append(
                .mapping(
                    "variables",
                    variables.map { name, value in
                        switch value {
                        case .text(let text): .text(Self.quoted(name), Self.quoted(text))
                        case .secret(let source): .text(Self.quoted(name), Self.text(source))
                        }
                    }))
        }
        if !scopes.isEmpty {
            fields.append(.text("scopes", "[\(scopes.map(Self.quoted).joined(separator: ", "))]"))
        }
        if let redirectURI { fields.append(.text("redirect_uri", Self.quoted(redirectURI))) }
        if let issuer { fields.append(.text("issuer", Self.quoted(issuer))) }
        if let managementURI {
            fields.append(.text("registration_client_uri", Self.quoted(managementURI)))
        }
        if let managementToken {
            fields.append(.text("registration_access_token", Self.text(managementToken)))
        }
        return fields
    }

    /// The entry as lines, for a new one and to be shown.
    func lines(indentation: Int) -> [String] {
        let margin = String(repeating: " ", count: indentation)
        return ["\(margin)\(Self.quoted(provider)):"] + Self.lines(fields, indentation: indentation + 2)
    }

    static func lines(_ fields: [Field], indentation: Int) -> [String] {
        let margin = String(repeating: " ", count: indentation)
        return fields.flatMap { field -> [String] in
            switch field {
            case .text(let key, let value): ["\(margin)\(key): \(value)"]
            case .mapping(let key, let fields):
                ["\(margin)\(key):"] + lines(fields, indentation: indentation + 2)
            }
        }
    }

    // MARK: YAML

    private static func text(_ source: SecretSource) -> String {
        switch source {
        case .environment(let name): "{env: \(quoted(name))}"
        case .file(let path): "{file: \(quoted(path))}"
        case .command(let words): "{command: [\(words.map(quoted).joined(separator: ", "))]}"
        case .keyring(let name): "{keyring: \(quoted(name))}"
        }
    }

    /// Plain where no reader of YAML could take it for anything but this text, else as JSON writes it.
    static func quoted(_ text: String) -> String {
        let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        let isPlain =
            text.utf8.first.map(isLetter) == true && !words.contains(text.lowercased())
            && text.utf8.allSatisfy { byte in
                isLetter(byte) || (0x30...0x39).contains(byte) || [0x2D, 0x2E, 0x2F, 0x5F].contains(byte)
            }
        return isPlain ? text : JSONValue.string(text).serialize()
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}

extension SecretSource {
    /// What `flowrun.yaml` says of a place that the command line names; `nil` for what no file can say.
    ///
    /// - Parameter stored: A path as the file has to write it.
    init?(_ place: ClientOptions.SecretPlace, stored: (String) -> String) {
        switch place {
        case .file(let path): self = .file(stored(path))
        case .environment(let name): self = .environment(name)
        case .standardInput: return nil
        }
    }
}
