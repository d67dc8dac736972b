internal import FlowEngine
internal import FlowLanguage
internal import OAuthProtocol

/// What one run knows of a client, with the secrets themselves.
///
/// Not printable: it may hold secrets.
struct ResolvedRegistration: Sendable {
    var clientID: String
    var secret: Secret?
    /// Why secret, private key or assertion could not be read, where that is no reason to stop yet.
    var unread: String?
    /// How the client registered to prove itself; `nil` where its registration does not say.
    var method: ClientAuthenticationMethod?
    /// PEM or JWK; in a rehearsal a text that is neither.
    var privateKey: Secret?
    /// A JWT that somebody else issued for the client.
    var assertion: Secret?
    /// PEM: what the client shows in TLS.
    var certificate: Secret?
    /// PEM: the key of that; `nil` where it is the private key.
    var certificateKey: Secret?
    /// Which of the descriptor's environments holds.
    var environment: String?
    var variables: [String: String]
    /// Values of variables that come from a secret source.
    var secretVariables: [String: Secret] = [:]
    var scopes: [String]
    var redirectURI: String?
    /// True when nothing was registered and a rehearsal goes on with an invented client.
    var isInvented = false
    /// True when the client is registered without the secret that those of the provider have, and a rehearsal shows one.
    var isSecretInvented = false
    /// Where each value was found.
    var found = FoundRegistration()

    /// What each value is and where it is from, and what only a rehearsal has.
    var facts: [RegistrationFact] {
        guard isSecretInvented else { return found.facts }
        return found.facts + [
            RegistrationFact(name: "client_secret", value: "none is registered", source: "invented")
        ]
    }

    /// The values of the descriptor's variables after those of the registration; in a rehearsal its examples serve.
    static func variables(
        _ descriptor: ProviderDescriptor, _ found: FoundRegistration, isRehearsal: Bool
    ) throws(Problem) -> [String: String] {
        var values: [String: String] = [:]
        if isRehearsal {
            for variable in descriptor.variables where variable.standard == nil {
                values[variable.name] = variable.example
            }
        }
        let known = descriptor.variables.map(\.name)
        for (name, value) in found.variables {
            try check(name, value.place, known, descriptor.id)
            if found.hidden.contains(name) { throw literal(name, value.place) }
            values[name] = value.value
        }
        for (name, value) in found.secretVariables {
            try check(name, value.place, known, descriptor.id)
            values[name] = nil
        }
        return values
    }

    /// A secret itself where only its place may stand.
    private static func literal(_ name: String, _ place: RegistrationPlace) -> Problem {
        guard case .file(let path, let line) = place else {
            return Problem(.usage, SecretPlaceText.problem(with: name))
        }
        return Problem(
            .config, "\(path):\(line): the value of variable \"\(name)\" is secret and stands in the file",
            hints: [
                "say where it is: {env: NAME}, {file: PATH}, {command: [PROGRAM, ...]} or {keyring: NAME}"
            ])
    }

    private static func check(
        _ name: String, _ place: RegistrationPlace, _ known: [String], _ provider: String
    ) throws(Problem) {
        guard !known.contains(name) else { return }
        let suggestion = ArgumentReader.suggestion(name, known)
        let hints = known.isEmpty ? [] : ["variables: \(known.joined(separator: ", "))"]
        let message = "provider \"\(provider)\" has no variable \"\(name)\"\(suggestion)"
        if case .file(let path, let line) = place {
            throw Problem(.config, "\(path):\(line): \(message)", hints: hints)
        }
        throw Problem(.usage, message, hints: hints)
    }
}
