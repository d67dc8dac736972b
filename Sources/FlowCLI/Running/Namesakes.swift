internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import OAuthProtocol

/// The stored sessions with the provider of a run.
///
/// A session belongs to an issuer, a client and a profile. Who signs in with `--set` or `--profile` and leaves it out
/// afterwards asks for another session than the one that is stored, and has to be told.
struct Namesakes: Sendable {
    private let provider: BoundProvider
    private let profile: String

    /// More hints than that help nobody.
    private static let most = 3

    /// - Returns: `nil` for a run without a provider.
    init?(_ plan: RunPlan) {
        guard let provider = plan.providers.first else { return nil }
        self.provider = provider
        profile = plan.profile
    }

    /// What helps where the run's own session is not stored, and others are.
    ///
    /// - Parameter otherProfiles: Whether those of other profiles count, which are other people's or purposes'.
    func hints(_ effects: LiveEffects, otherProfiles: Bool) async throws(StoreError) -> [String] {
        let sessions = try await all(effects).filter {
            $0.label.key == nil && (otherProfiles || $0.label.profile == profile)
        }
        guard !sessions.contains(where: isOwn) else { return [] }
        let nearest = [true, false].flatMap { isNear in
            sessions.filter { ($0.label.profile == profile) == isNear }.map(hint).sorted()
        }
        return nearest.prefix(Self.most).map(\.self)
    }

    /// Whether the client has a token of its own, under a key of the flow client-credentials.
    func hasClientToken(_ effects: LiveEffects) async throws(StoreError) -> Bool {
        try await all(effects).contains { isOwn($0) && $0.label.isClients }
    }

    private func all(_ effects: LiveEffects) async throws(StoreError) -> [SessionSummary] {
        try await effects.storedSessions().filter {
            $0.label.provider == provider.descriptor.id
        }
    }

    private func isOwn(_ session: SessionSummary) -> Bool {
        session.place == provider.sessionIssuer && session.clientID == provider.registration.clientID
            && session.label.profile == profile
    }

    /// The options first, so that they stay on one line.
    private func hint(_ session: SessionSummary) -> String {
        let options = options(session)
        let advice =
            options.isEmpty
            ? "the --set, --client-id or --environment of the sign-in" : ShellWords.quoted(options)
        let place = session.place ?? "an unknown issuer"
        return "give \(advice)   (a session is stored at \(place), client \(session.clientID))"
    }

    /// The options that lead to the provider as it was at the sign-in.
    private func options(_ session: SessionSummary) -> [String] {
        (session.label.profile == profile ? [] : ["--profile", session.label.profile])
            + (session.place == provider.sessionIssuer ? [] : session.label.options)
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
