internal import FlowEngine
internal import OAuthProtocol

/// What somebody can do whose token a resource does not take.
struct ResourceAdvice: Sendable {
    /// The command that signs a person in; `nil` for the token of the client itself, which nobody signs in for.
    let signIn: String?
    /// What the token was granted.
    let scopes: [String]

    /// Of an answer that is no success, by its challenge (RFC 6750 §3, RFC 9470 §3).
    ///
    /// - Parameter index: Of the tokens: a server may repeat what it was sent.
    func hints(for answer: HTTPResponse, _ index: SecretIndex) -> [String] {
        let challenge = answer.challenges.first { $0.parameter("error") != nil }
        let word = { (name: String) in challenge?.parameter(name).map(index.replaced) }
        switch challenge?.parameter("error") {
        case "insufficient_scope"?: return demanded(word("scope")) ?? usual(answer, index)
        case "insufficient_user_authentication"?: return stronger(word("acr_values"), word("max_age"))
        default: return usual(answer, index)
        }
    }

    /// The scopes that the token must have; what is no scope goes into no command.
    private func demanded(_ text: String?) -> [String]? {
        let scopes = (text ?? "").split(separator: " ").map(String.init)
        guard !scopes.isEmpty, scopes.allSatisfy(ScopeName.isWellFormed) else { return nil }
        let options = ShellWords.quoted(scopes.flatMap { ["--scope", $0] })
        guard let signIn else { return ["for a token with what it wants: --client-credentials \(options)"] }
        return ["sign in for what it wants: \(signIn) \(options)"]
    }

    private func stronger(_ levels: String?, _ age: String?) -> [String] {
        let demand = [levels.map { "of the level \($0)" }, age.map { "not older than \($0) s" }]
            .compactMap(\.self).joined(separator: ", ")
        return [
            "it wants a sign-in \(demand.isEmpty ? "that is stronger or more recent" : demand) (RFC 9470)",
            "a flow such as step-up asks the person for it: flowrun flow show step-up",
        ]
    }

    /// Where the answer says nothing of use: by its status.
    private func usual(_ answer: HTTPResponse, _ index: SecretIndex) -> [String] {
        let granted = index.replaced(in: scopes.joined(separator: " "))
        switch answer.status {
        case 401:
            guard let signIn else {
                return ["where it takes nothing but the token of a person: leave out --client-credentials"]
            }
            return ["sign in: \(signIn)"]
        case 403 where !scopes.isEmpty: return ["the token has the scopes \(RemoteText.sanitize(granted))"]
        default: return []
        }
    }
}
