internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import JOSE
internal import OAuthProtocol

/// `status`: the stored sessions, without asking anybody.
struct StatusCommand: Sendable {
    let context: CommandContext
    let request: StatusRequest

    func run() async throws(Problem) -> Int {
        let sessions =
            request.store == .none ? nil : try StoredSessions.open(context.surroundings, request.store)
        let rows = try await sessions?.rows() ?? []
        let shown = rows.filter(isWanted)
        if shown.isEmpty, let provider = request.provider { try checkName(provider) }
        let now = WallClock.now()
        switch request.form {
        case .json: context.write(json(shown, now).serialize() + "\n")
        case .text: context.write(try await text(shown, sessions, now))
        }
        guard request.checks else { return ExitStatus.ok.rawValue }
        let areUsable = !shown.isEmpty && shown.allSatisfy { State($0, now, context.library).isUsable }
        return areUsable ? ExitStatus.ok.rawValue : ExitStatus.authRequired.rawValue
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
        guard case .success(let session) = row.content else { return request.provider == nil }
        let isProvider = request.provider.map { $0 == session.label.provider } ?? true
        return isProvider && (request.profile.map { $0 == session.label.profile } ?? true)
    }

    /// What can be done with a session now.
    private enum State: String {
        case valid, renewable, expired, unreadable
        /// The access token is good, and the last of the session: nobody knows whether the refresh token still is.
        case inDoubt = "in_doubt"

        init(_ row: StoredSessions.Row, _ now: Int64, _ library: Library) {
            guard case .success(let session) = row.content else {
                self = .unreadable
                return
            }
            let isGood = session.expiresAt.map { $0 > now } ?? true
            switch SessionRenewal(session, library, now) {
            case .inDoubt: self = isGood ? .inDoubt : .expired
            case .possible, .byClient: self = isGood ? .valid : .renewable
            case .unsupported, .noRefreshToken, .ended: self = isGood ? .valid : .expired
            }
        }

        var isUsable: Bool { self == .valid || self == .renewable }
    }

    // MARK: Text

    private func text(
        _ rows: [StoredSessions.Row], _ sessions: StoredSessions?, _ now: Int64
    ) async throws(Problem) -> String {
        let options = RenderOptions(context.common, context.surroundings.output, context.surroundings)
        var page = Page(options)
        if rows.isEmpty {
            let whose =
                (request.provider.map { " at \($0)" } ?? "")
                + (request.profile.map { " under the profile \($0)" } ?? "")
            let why = request.store == .none ? ": --store none keeps none" : ""
            page.line(Styled("no session is stored\(whose)\(why)"))
            let words =
                [request.provider ?? "PROVIDER"] + (request.profile.map { ["--profile", $0] } ?? [])
            page.line(Styled("sign in: flowrun login \(ShellWords.quoted(words))", .dim))
        }
        let shared = Self.shared(rows)
        for row in rows { write(row, now, namesProfile: shared, &page) }
        if let sessions, !rows.isEmpty {
            let method = await sessions.store.method
            page.line(Styled("kept in \(sessions.directory), sealed by \(method.words)", .dim))
        }
        return page.take()
    }

    /// The providers with sessions of several profiles.
    private static func shared(_ rows: [StoredSessions.Row]) -> Set<String> {
        var profiles: [String: Set<String>] = [:]
        for case .success(let session) in rows.map(\.content) {
            profiles[session.label.provider, default: []].insert(session.label.profile)
        }
        return Set(profiles.filter { $0.value.count > 1 }.keys)
    }

    /// - Parameter shared: The providers whose every session is told by its profile, the usual one too.
    private func write(
        _ row: StoredSessions.Row, _ now: Int64, namesProfile shared: Set<String>, _ page: inout Page
    ) {
        let state = State(row, now, context.library)
        let sign = Self.sign(state)
        switch row.content {
        case .failure(let error):
            page.line(sign + Styled("a session that cannot be read: \(error.words)"), hanging: 2)
        case .success(let session):
            var head = sign + Styled(Self.visible(session.label.provider, "unknown provider"), .strong)
            if session.label.profile != "default" || shared.contains(session.label.provider) {
                head.add("  profile \(Self.visible(session.label.profile))")
            }
            if var key = session.label.key {
                // Of a client's own token: scopes and resources, if any.
                while key.hasSuffix(":") { key.removeLast() }
                head.add("  \(Self.visible(key))")
            }
            page.line(head, hanging: 2)
            let renewal = SessionRenewal(session, context.library, now)
            let end = renewal == .possible ? session.refreshExpiresAt : nil
            let words = renewal.words + (end.map { " for \(Self.remaining($0 - now))" } ?? "")
            page.line(Styled(Self.life(session, words, state, now)), indent: 2)
            page.table(Self.facts(session) + session.held.map { Self.held($0, now) }, indent: 2)
        }
    }

    private static func sign(_ state: State) -> Styled {
        switch state {
        case .valid: Styled("\(Symbol.passed) ", .good)
        case .renewable, .inDoubt: Styled("\(Symbol.warning) ", .warning)
        case .expired, .unreadable: Styled("\(Symbol.failed) ", .bad)
        }
    }

    private static func facts(_ session: SessionSummary) -> [[Styled]] {
        let scopes = session.scopes.isEmpty ? nil : session.scopes.joined(separator: " ")
        let options = session.label.options
        let rows = [
            ("subject", session.subject), ("scopes", scopes), ("issuer", session.issuer),
            ("client", session.clientID), ("since", CalendarText.utc(session.obtainedAt)),
            ("options", options.isEmpty ? nil : ShellWords.quoted(options)),
        ]
        return rows.compactMap { name, value in
            value.map { [Styled(name, .dim), Styled(visible($0))] }
        }
    }

    /// An access token beside the one for everything.
    private static func held(_ token: SessionSummary.Held, _ now: Int64) -> [Styled] {
        var parts = token.target.resources
        if let scopes = token.target.scopes { parts.append("scopes \(scopes.joined(separator: " "))") }
        let life =
            switch token.expiresAt {
            case nil: "without an end"
            case .some(let end) where end <= now: "expired"
            case .some(let end): "good for \(remaining(end - now))"
            }
        return [
            Styled("also for", .dim), Styled("\(visible(parts.joined(separator: ", "))): \(life)"),
        ]
    }

    private static func visible(_ text: String, _ standard: String = "") -> String {
        text.isEmpty ? standard : RemoteText.sanitize(text)
    }

    private static func life(
        _ session: SessionSummary, _ renewal: String, _ state: State, _ now: Int64
    ) -> String {
        let anew = state == .inDoubt ? ": sign in again" : ""
        guard let end = session.expiresAt else { return "access token without an end, \(renewal)\(anew)" }
        switch state {
        case .valid, .inDoubt: return "access token good for \(remaining(end - now)), \(renewal)\(anew)"
        case .renewable: return "access token expired, \(renewal)"
        case .expired, .unreadable: return "access token expired, \(renewal): sign in again"
        }
    }

    private static func remaining(_ milliseconds: Int64) -> String {
        let minutes = max(0, milliseconds) / 60_000
        switch minutes {
        case ..<1: return "less than a minute"
        case ..<120: return "\(minutes) min"
        case ..<2_880: return "\(minutes / 60) h \(minutes % 60) min"
        default: return "\(minutes / 1_440) days"
        }
    }

    // MARK: JSON

    private func json(_ rows: [StoredSessions.Row], _ now: Int64) -> JSONValue {
        .object(["sessions": .array(rows.map { .object(object($0, now)) })])
    }

    private func object(_ row: StoredSessions.Row, _ now: Int64) -> JSONObject {
        var object: JSONObject = ["state": .string(State(row, now, context.library).rawValue)]
        switch row.content {
        case .failure(let error): object["reason"] = .string(error.words)
        case .success(let session):
            object["provider"] = .string(session.label.provider)
            object["profile"] = .string(session.label.profile)
            object["key"] = session.label.key.map { .string($0) }
            object["issuer"] = session.issuer.map { .string($0) }
            object["client_id"] = .string(session.clientID)
            object["environment"] = session.label.environment.map { .string($0) }
            object["variables"] = .object(JSONObject(sorting: session.label.variables) { .string($0) })
            object["subject"] = session.subject.map { .string($0) }
            object["scopes"] = .array(session.scopes.map { .string($0) })
            object["token_type"] = .string(session.tokenType)
            object["expires_at"] = session.expiresAt.map { .string(TimeText.format($0)) }
            object["refresh_expires_at"] = session.refreshExpiresAt.map { .string(TimeText.format($0)) }
            object["obtained_at"] = .string(TimeText.format(session.obtainedAt))
            object["refreshable"] = .bool(SessionRenewal(session, context.library, now) == .possible)
            if session.isInDoubt { object["in_doubt"] = true }
            object["narrower_tokens"] = .array(session.held.map { .object(Self.object($0)) })
        }
        return object
    }

    private static func object(_ token: SessionSummary.Held) -> JSONObject {
        var object: JSONObject = ["resources": .array(token.target.resources.map { .string($0) })]
        object["scopes"] = token.target.scopes.map { .array($0.map { .string($0) }) }
        object["expires_at"] = token.expiresAt.map { .string(TimeText.format($0)) }
        return object
    }
}
