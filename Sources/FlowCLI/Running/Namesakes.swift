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

    /// Those of another issuer or client.
    func others(_ effects: LiveEffects) async -> [SessionSummary] {
        await all(effects).filter { !isOwn($0) }
    }

    private func all(_ effects: LiveEffects) async -> [SessionSummary] {
        await effects.storedSessions().filter {
            $0.label.provider == provider.descriptor.id && $0.label.profile == profile && $0.label.key == nil
        }
    }

    private func isOwn(_ session: SessionSummary) -> Bool {
        session.issuer == provider.sessionIssuer && session.clientID == provider.registration.clientID
    }

    /// What helps where only others are stored; `nil` where there are none.
    static func hint(_ others: [SessionSummary]) -> String? {
        guard !others.isEmpty else { return nil }
        let places = others.map { "\($0.issuer ?? "an unknown issuer") as client \($0.clientID)" }
        return "a session is stored at \(places.joined(separator: ", ")): "
            + "give the --set, --client-id or --environment that it was signed in with"
    }
}
