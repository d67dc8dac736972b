/// An environment that somebody asks for and the descriptor does not have.
///
/// Without it the descriptor would speak to the servers of everybody, so nobody goes on.
package struct UnknownEnvironment: Sendable {
    package let message: String
    package let hint: String
}

extension ProviderDescriptor {
    /// What is wrong with the name of an environment; `nil` where the descriptor has it.
    package func mistake(inEnvironment name: String) -> UnknownEnvironment? {
        guard !environments.contains(name) else { return nil }
        let suggestion = didYouMean(name, among: environments)
        return UnknownEnvironment(
            message: "provider \"\(id)\" has no environment \"\(name)\"\(suggestion)",
            hint: environments.isEmpty
                ? "it has none" : "environments: \(environments.joined(separator: ", "))")
    }
}
