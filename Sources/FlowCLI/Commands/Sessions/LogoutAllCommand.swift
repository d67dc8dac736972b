internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import JOSE
internal import OAuthProtocol

/// `logout --all`: the flow `logout` for every stored session, one after the other.
///
/// A session that the flow does not reach is deleted here all the same: its provider may be gone, or known by other names.
struct LogoutAllCommand: Sendable {
    let context: CommandContext
    let request: LogoutAllRequest

    /// What became of a session.
    private struct Farewell {
        var provider = ""
        var profile = ""
        var key: String?
        var isRevoked = false
        var isSignedOut = false
        /// Whether the provider should have revoked tokens and has not.
        var isRefused = false
        /// Why the provider was not asked, or not all of it.
        var reason: String?
        /// Why it is still stored; `nil` when it is not.
        var obstacle: String?
    }

    func run() async throws(Problem) -> Int {
        let store = request.run.live.store
        let sessions = store == .none ? nil : try StoredSessions.open(context.surroundings, store)
        var farewells: [Farewell] = []
        var stopped: Int?
        for row in try await sessions?.rows() ?? [] {
            guard let sessions, stopped == nil, isWanted(row) else { continue }
            let (farewell, stop) = await leave(row, sessions)
            farewells.append(farewell)
            stopped = stop
        }
        if farewells.isEmpty, let provider = request.provider { try checkName(provider) }
        switch request.run.form {
        case .json: context.write(Self.json(farewells).serialize() + "\n")
        case .text: context.write(text(farewells))
        }
        return stopped ?? status(farewells).rawValue
    }

    private func status(_ farewells: [Farewell]) -> ExitStatus {
        if farewells.contains(where: { $0.obstacle != nil }) { return .local }
        let isOwed = farewells.contains { !$0.isRevoked && ($0.isRefused || $0.reason != nil) }
        return request.revokes && isOwed ? .provider : .ok
    }

    /// A misspelt name is no provider where nobody is signed in.
    private func checkName(_ provider: String) throws(Problem) {
        do throws(LibraryProblem) {
            _ = try context.library.path(.provider, provider)
        } catch {
            throw Problem(error)
        }
    }

    private func isWanted(_ row: StoredSessions.Row) -> Bool {
        guard case .success(let session) = row.content else {
            return request.provider == nil && request.profile == nil
        }
        return request.provider.map { $0 == session.label.provider } ?? true
            && request.profile.map { $0 == session.label.profile } ?? true
    }

    // MARK: One session

    /// - Returns: What became of it, and the status of a command that was stopped meanwhile.
    private func leave(
        _ row: StoredSessions.Row, _ sessions: StoredSessions
    ) async -> (Farewell, stop: Int?) {
        var farewell = Farewell()
        switch row.content {
        case .failure(let error): farewell.reason = "it cannot be read: \(error.words)"
        case .success(let session):
            farewell.provider = session.label.provider
            farewell.profile = session.label.profile
            farewell.key = session.label.key
            if let stop = await ask(session, &farewell) { return (farewell, stop) }
        }
        do throws(StoreError) {
            let isLeft = try await sessions.store.load(key: row.key) != nil
            if isLeft {
                farewell.reason =
                    farewell.reason ?? "issuer or client are not those that are registered now"
                (farewell.isRevoked, farewell.isSignedOut) = (false, false)
                try await sessions.store.delete(key: row.key)
            }
            TokenFile.delete(of: farewell.provider, farewell.profile, context)
        } catch {
            farewell.obstacle = error.words
        }
        return (farewell, nil)
    }

    /// Runs the flow for the session.
    private func ask(_ session: SessionSummary, _ farewell: inout Farewell) async -> Int? {
        guard session.label.key == nil else {
            farewell.reason = "a flow keeps it under a name of its own"
            return nil
        }
        var run = request.run
        run.providers = [ProviderChoice(name: session.label.provider)]
        run.profile = session.label.profile
        run.client.take(session.label)
        do throws(Problem) {
            let (command, prepared) = try prepare(run, session)
            if request.isTold {
                context.note("signing out of \(session.label.provider), profile \(session.label.profile)")
            }
            let result = try await command.live(prepared, command.plan(prepared)).run()
            _ = await result.report.complete(result.failure)
            if result.status > 128 { return result.status }
            let outcome = result.outcome
            for case (let name, .bool(true)) in outcome.end.outputs {
                if name == "revoked" { farewell.isRevoked = true }
                if name == "signed_out" { farewell.isSignedOut = true }
            }
            farewell.isRefused = result.status == ExitStatus.provider.rawValue
            if !outcome.isSuccess { farewell.reason = outcome.end.error?.message ?? outcome.end.message }
        } catch {
            farewell.reason = error.message
        }
        return nil
    }

    /// The run as the registrations have it; where they name no client it is that of the session.
    private func prepare(
        _ run: RunRequest, _ session: SessionSummary
    ) throws(Problem) -> (RunCommand, RunCommand.Prepared) {
        let command = RunCommand(context: context, request: run)
        do throws(Problem) {
            return (command, try command.prepare())
        } catch {
            guard run.client.clientID == nil else { throw error }
            var run = run
            run.client.clientID = session.clientID
            let command = RunCommand(context: context, request: run)
            guard let prepared = try? command.prepare() else { throw error }
            return (command, prepared)
        }
    }

    // MARK: What is said

    private func text(_ farewells: [Farewell]) -> String {
        let options = RenderOptions(context.common, context.surroundings.output, context.surroundings)
        var page = Page(options)
        if farewells.isEmpty {
            let whose = request.provider.map { " at \($0)" } ?? ""
            page.line(Styled("no session is stored\(whose)"))
        }
        for farewell in farewells {
            let sign =
                farewell.obstacle != nil
                ? Styled("\(Symbol.failed) ", .bad)
                : farewell.reason != nil || request.revokes && !farewell.isRevoked
                    ? Styled("\(Symbol.warning) ", .warning) : Styled("\(Symbol.passed) ", .good)
            var line = sign + Styled(farewell.provider.isEmpty ? "a session" : farewell.provider, .strong)
            if !["", "default"].contains(farewell.profile) { line.add("  profile \(farewell.profile)") }
            if let key = farewell.key { line.add("  \(RemoteText.sanitize(key))") }
            line.add("  " + words(farewell))
            page.line(line, hanging: 2)
        }
        return page.take()
    }

    private func words(_ farewell: Farewell) -> String {
        if let obstacle = farewell.obstacle { return "could not be deleted: \(obstacle)" }
        if let reason = farewell.reason {
            return "deleted here only: \(RemoteText.sanitize(reason))"
        }
        var words = ["deleted here"]
        if request.revokes { words.append(farewell.isRevoked ? "tokens revoked" : "tokens not revoked") }
        if farewell.isSignedOut { words.append("signed out at the provider") }
        return words.joined(separator: ", ")
    }

    private static func json(_ farewells: [Farewell]) -> JSONValue {
        let rows = farewells.map { farewell -> JSONValue in
            var row: JSONObject = [
                "provider": .string(farewell.provider), "profile": .string(farewell.profile),
                "deleted": .bool(farewell.obstacle == nil), "revoked": .bool(farewell.isRevoked),
                "signed_out": .bool(farewell.isSignedOut),
            ]
            row["key"] = farewell.key.map { .string($0) }
            row["reason"] = (farewell.obstacle ?? farewell.reason).map { .string($0) }
            return .object(row)
        }
        return .object(["sessions": .array(rows)])
    }
}
