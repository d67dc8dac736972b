internal import FlowEngine
internal import FlowLive
internal import OAuthProtocol

/// `credential …`: hands the session's token to another program, in that program's own protocol.
///
/// Standard output has the protocol and nothing else; whatever goes wrong is one line on standard error.
struct CredentialCommand: Sendable {
    let context: CommandContext
    let request: CredentialRequest

    func run() async throws(Problem) -> Int {
        do throws(Problem) {
            return try await answer()
        } catch {
            context.show(error.diagnostics, error.sources)
            context.surroundings.complain(error.oneLine)
            return error.status.rawValue
        }
    }

    private func answer() async throws(Problem) -> Int {
        switch request.helper {
        case .kubectl: try await ExecCredential(context: context, request: request).answer()
        case .git: try await GitCredential(context: context, request: request).answer()
        case .docker: return try await DockerCredential(context: context, request: request).answer()
        case .netrc: try await NetrcCredential(context: context, request: request).answer()
        case .awsFile: try await TokenFile(context: context, request: request).answer()
        case .githubActions: try await JobToken(context: context, request: request).answer()
        }
        return ExitStatus.ok.rawValue
    }
}

extension CredentialRequest {
    /// Who a host knows the token by, where it wants a user name; most look at the token alone.
    static let standardUser = "oauth2"
    /// Far more than any of these programs sends.
    static let longestQuestion = 1 << 16

    func question(_ surroundings: Surroundings) throws(Problem) -> String {
        do throws(FileProblem) {
            return String(
                decoding: try surroundings.input.readAll(limit: Self.longestQuestion), as: UTF8.self)
        } catch {
            throw Problem(error, .usage)
        }
    }
}

extension Problem {
    /// For those who read one line.
    var oneLine: String { ([message] + hints.prefix(1)).joined(separator: "; ") }
}

/// A stored access token that its server refused.
struct RefusedToken: Sendable {
    let context: CommandContext
    let session: RunRequest
    let provider: BoundProvider

    /// Has the next question renew the access token; the session itself stays.
    ///
    /// - Parameter token: What was refused; a session that has another one is left alone. `nil` for whatever it has.
    func forget(_ token: String?) async throws(Problem) {
        guard session.live.store != .none, session.live.savesSessions,
            let sessions = try StoredSessions.open(context.surroundings, session.live.store, mayAsk: false)
        else { return }
        do throws(StoreError) {
            for key in try await keys(sessions.store) { try await forget(token, sessions.store, key) }
        } catch {
            if case .conflict = error { return }
            throw Problem(.local, error.words)
        }
    }

    private func forget(
        _ token: String?, _ store: SQLiteSessionStore, _ key: String
    ) async throws(StoreError) {
        // Another process may store a newer session meanwhile, whose token nobody has refused.
        guard let row = try await store.load(key: key),
            let bytes = SessionRecord.withoutAccessToken(row.bytes, ifItIs: token, isInDoubt: row.isInDoubt)
        else { return }
        _ = try await store.save(key: key, bytes: bytes, expecting: .generation(row.generation))
    }

    /// The row of the session; of the client's own tokens those that it has for any scopes and services.
    private func keys(_ store: SQLiteSessionStore) async throws(StoreError) -> [String] {
        guard session.isClientsOwn else { return [provider.sessionKey(profile: session.profile).digest] }
        return try await store.contents().compactMap { row in
            // What cannot be read holds nothing that could be refused.
            guard let found = try? row.summary.get(), found.label.isClients,
                found.label.profile == session.profile, found.place == provider.sessionIssuer,
                found.clientID == provider.registration.clientID
            else { return nil }
            return row.key
        }
    }
}
