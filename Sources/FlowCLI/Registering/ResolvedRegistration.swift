internal import FlowLanguage
internal import OAuthProtocol

/// What one run knows of a client, with the secret itself.
///
/// Not printable: it may hold the secret.
struct ResolvedRegistration: Sendable {
    var clientID: String
    var secret: Secret?
    var variables: [String: String]
    var scopes: [String]
    var redirectURI: String?
    /// True when nothing was registered and a rehearsal goes on with an invented client.
    var isInvented = false

    /// The values of the descriptor's variables after those of the registration; in a rehearsal its examples serve.
    static func variables(
        _ descriptor: ProviderDescriptor, _ file: Registration?, _ options: ClientOptions, isRehearsal: Bool
    ) throws(Problem) -> [String: String] {
        var values: [String: String] = [:]
        if isRehearsal {
            for variable in descriptor.variables where variable.standard == nil {
                values[variable.name] = variable.example
            }
        }
        let known = descriptor.variables.map(\.name)
        for (name, value) in file?.variables ?? [] {
            guard known.contains(name) else {
                throw unknown(name, known, descriptor.id, .config, "\(file?.file ?? "flowrun.yaml"): ")
            }
            values[name] = value
        }
        for pair in options.variables {
            guard known.contains(pair.name) else {
                throw unknown(pair.name, known, descriptor.id, .usage, "")
            }
            values[pair.name] = pair.text
        }
        return values
    }

    private static func unknown(
        _ name: String, _ known: [String], _ provider: String, _ status: ExitStatus, _ place: String
    ) -> Problem {
        let suggestion = ArgumentReader.suggestion(name, known)
        return Problem(
            status, "\(place)provider \"\(provider)\" has no variable \"\(name)\"\(suggestion)",
            hints: known.isEmpty ? [] : ["variables: \(known.joined(separator: ", "))"])
    }
}
