internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import OAuthProtocol

/// Stored sessions of a run's provider and profile: what a person calls by one name.
///
/// A session belongs to an issuer and a client. Who signs in with `--set` and leaves it out afterwards asks for another
/// session than the one that is stored, and has to be told.
struct Namesakes: Sendable {
    private let provider: BoundProvider
    private let profile: String

    /// - Returns: `nil` for a run without a provider.
    init?(_ plan: RunPlan) {
        guard let provider = plan.providers.first else { return nil }
        self.provider = provider
        profile = plan.profile
    }

    /// Whether the run's own session is stored.
    func hasOwn(_ effects: LiveEffects) async -> Bool {
        await all(effects).contains(where: isOwn)
    }

    /// What helps where only those of another issuer or client are stored.
    func hints(_ effects: LiveEffects) async -> [String] {
        await all(effects).filter { !isOwn($0) }.map(hint)
    }

    private func all(_ effects: LiveEffects) async -> [SessionSummary] {
        await effects.storedSessions().filter {
            $0.label.provider == provider.descriptor.id && $0.label.profile == profile && $0.label.key == nil
        }
    }

    private func isOwn(_ session: SessionSummary) -> Bool {
        session.issuer == provider.sessionIssuer && session.clientID == provider.registration.clientID
    }

    /// The options first, so that they stay on one line.
    private func hint(_ session: SessionSummary) -> String {
        let options = options(session)
        let advice =
            options.isEmpty
            ? "the --set, --client-id or --environment of the sign-in" : ShellWords.quoted(options)
        let place = session.issuer ?? "an unknown issuer"
        return "give \(advice)   (a session is stored at \(place), client \(session.clientID))"
    }

    /// The options that lead to the provider as it was at the sign-in.
    private func options(_ session: SessionSummary) -> [String] {
        session.label.options
            + (session.clientID == provider.registration.clientID ? [] : ["--client-id", session.clientID])
    }
}

extension SessionLabel {
    /// The options with which the provider is as it was at the sign-in.
    var options: [String] {
        variables.sorted { $0.key < $1.key }.flatMap { ["--set", "\($0.key)=\($0.value)"] }
            + (environment.map { ["--environment", $0] } ?? [])
    }
}

extension ClientOptions {
    /// Has the provider be as it was at the sign-in, but for what is said otherwise.
    mutating func take(_ label: SessionLabel) {
        environment = environment ?? label.environment
        variables =
            label.variables.sorted { $0.key < $1.key }.map { NamedText(name: $0.key, text: $0.value) }
            + variables
    }
}
