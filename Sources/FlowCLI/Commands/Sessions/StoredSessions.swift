internal import FlowEngine
internal import FlowLive

/// Opens the store of sessions for a command that looks at all of it.
struct StoredSessions: Sendable {
    let directory: String
    let store: SQLiteSessionStore
    /// Where processes that renew a session hold its lock; `nil` where there is no such place.
    private let locks: String?

    /// A row that could be read, or why it could not.
    struct Row: Sendable {
        let key: String
        let content: Result<SessionSummary, StoreError>

        /// Orders provider by provider, the usual profile first; what cannot be read comes last.
        fileprivate var rank: [String] {
            guard case .success(let session) = content else { return ["unreadable", key] }
            let (provider, profile) = (session.label.provider, session.label.profile)
            return ["readable", provider, profile == "default" ? "" : profile, key]
        }
    }

    /// Where the store is, whether or not it is there.
    static func directory(_ surroundings: Surroundings) throws(Problem) -> String {
        guard let data = UserDirectories(surroundings).data else {
            throw .noPlace(for: "sessions", surroundings, instead: "set XDG_DATA_HOME")
        }
        return FilePath.join(data, "store")
    }

    /// - Returns: `nil` when there is no store yet; looking at one makes none.
    ///
    /// - Parameter mayAsk: Whether a person may be asked for the passphrase.
    static func open(
        _ surroundings: Surroundings, _ choice: StoreChoice, mayAsk: Bool = true
    ) throws(Problem) -> StoredSessions? {
        let directory = try directory(surroundings)
        do throws(FileProblem) {
            if try FileAccess.isMissing(FilePath.join(directory, "sessions.db")) { return nil }
        } catch {
            throw Problem(
                .local, "the store of sessions cannot be reached: \(error.description)",
                hints: ["compare owner and mode of the folders above it with this user"])
        }
        return try make(surroundings, choice, directory, mayAsk: mayAsk)
    }

    /// Opens the store, made when it is not there.
    static func make(
        _ surroundings: Surroundings, _ choice: StoreChoice, _ directory: String, mayAsk: Bool = true
    ) throws(Problem) -> StoredSessions {
        let setup = StoreSetup(surroundings: surroundings, mayAsk: mayAsk)
        do throws(StoreError) {
            let store = try SQLiteSessionStore(directory: directory, protection: setup.protection(choice))
            return StoredSessions(
                directory: directory, store: store,
                locks: UserDirectories(surroundings).state.map { FilePath.join($0, "locks") })
        } catch {
            throw Problem(error)
        }
    }

    func rows() async throws(Problem) -> [Row] {
        let rows: [Row]
        do throws(StoreError) {
            rows = try await store.contents(isBeingRenewed: isBeingRenewed).map(Row.init)
        } catch {
            throw Problem(error)
        }
        // Their keys are hashes, in no order that a person could see.
        return rows.sorted { $0.rank.lexicographicallyPrecedes($1.rank) }
    }

    /// Whether a run has begun something and the process that was at it is gone.
    func isInterrupted(_ run: StoredRun) -> Bool {
        guard let locks, ["working", "spending"].contains(run.standing) else { return false }
        return !RunLock.isHeld(run.id, in: locks)
    }

    /// Whether a process is at it: then what it has sent will have an answer.
    private func isBeingRenewed(_ key: String) async -> Bool {
        guard let locks else { return false }
        do throws(LockError) {
            try await FileLock.acquire(key: key, in: locks, waitingAtMost: 0).release()
            return false
        } catch {
            // Where no lock can be held, nobody holds it.
            if case .timeout = error { return true }
            return false
        }
    }
}
