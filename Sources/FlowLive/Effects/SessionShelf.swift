internal import FlowEngine
internal import OAuthProtocol
internal import Synchronization

/// Stored sessions and their locks, in the engine's words; the database is opened when it is first needed.
final class SessionShelf: Sendable {
    let configuration: LiveConfiguration
    /// Keeps journals, and the sessions where the program has no store of its own.
    private let disk: DiskStore
    private let store: any SessionStore
    private let locks = Mutex<[SessionKey: FileLock]>([:])
    /// Sessions whose lock somebody else in this process holds for these effects.
    private let lent: Set<SessionKey>

    init(_ configuration: LiveConfiguration, lent: Set<SessionKey>, disk: DiskStore) {
        self.configuration = configuration
        self.lent = lent
        self.disk = configuration.store as? DiskStore ?? disk
        store = configuration.store ?? self.disk
    }

    var lockDirectory: String { configuration.stateDirectory + "/locks" }

    /// The database; a failure is tried again with the next question.
    func opened() async throws(StoreError) -> SQLiteSessionStore { try await disk.opened() }

    /// Why the database was not opened the last time.
    var obstacle: StoreError? { disk.obstacle }

    /// What went wrong with the store or its locks the last time.
    var trouble: StoreError? { disk.trouble }

    /// Opens the store before anybody is asked for anything.
    ///
    /// - Returns: What is wrong with it; `nil` when sessions can be kept there.
    func probe() async -> String? {
        guard configuration.savesSessions, store is DiskStore else { return nil }
        do throws(StoreError) {
            return try await opened().obstacleToSaving?.words
        } catch {
            return error.words
        }
    }

    /// Why nothing can be saved in the database; `nil` where something can, or where it cannot be opened at all.
    func obstacleToSaving() async -> StoreError? {
        guard configuration.savesSessions, store is DiskStore else { return nil }
        return await (try? opened())?.obstacleToSaving
    }

    /// Everything in the database that can be read; nothing where the program has a store of its own.
    func summaries() async throws(StoreError) -> [SessionSummary] {
        guard configuration.savesSessions, store is DiskStore else { return [] }
        // What cannot be read says nothing of whose it is.
        return try await opened().contents().compactMap { try? $0.summary.get() }
    }

    /// - Parameter deadline: How long a store of the program is waited for; the database has bounds of its own.
    func load(_ key: SessionKey, until deadline: Int64) async -> InputEvent {
        guard configuration.savesSessions else { return .noSession }
        do throws(SessionStoreError) {
            let row = try await store.ask(until: deadline) { store throws(SessionStoreError) in
                try await store.load(key.digest)
            }
            guard let row else { return .noSession }
            return .session(
                StoredSession(bytes: row.bytes, generation: row.generation, isInDoubt: row.isInDoubt))
        } catch {
            if Task.isCancelled { return .cancelled() }
            switch error {
            case .damaged: return .sessionCorrupt(reason: error.words)
            // Nothing was expected of what is there, so there is nothing that it could conflict with.
            case .conflict, .unavailable: return .storeFailed(reason: error.words)
            }
        }
    }

    func save(
        _ key: SessionKey, _ bytes: [UInt8], _ condition: SaveCondition, until deadline: Int64,
        _ events: any EffectEvents
    ) async -> InputEvent {
        guard configuration.savesSessions else {
            events.report(.note("not kept: this run stores nothing"))
            return .saved(generation: 0)
        }
        let expectation: StoreExpectation =
            switch condition {
            case .absent: .absent
            case .generation(let generation): .generation(generation)
            case .always: .any
            }
        do throws(SessionStoreError) {
            let end = max(deadline, WallClock.now() + configuration.storePatience)
            let generation = try await store.ask(until: end, isEssential: true) {
                store throws(SessionStoreError) in
                try await store.save(bytes, key.digest, expecting: expectation)
            }
            return .saved(generation: generation)
        } catch {
            switch error {
            case .conflict: return await savedBefore(key, bytes) ?? .conflict
            // What cannot be read where something is to be written is the store's failure.
            case .damaged, .unavailable: return .storeFailed(reason: error.words)
            }
        }
    }

    /// What a run that goes on has saved before it was interrupted, and saves again.
    private func savedBefore(_ key: SessionKey, _ bytes: [UInt8]) async -> InputEvent? {
        // A row that cannot be read is not the one that was saved.
        guard configuration.isResuming,
            let row = try? await store.ask(
                until: WallClock.now() + configuration.storePatience, isEssential: true,
                { store throws(SessionStoreError) in try await store.load(key.digest) }),
            row.bytes == bytes
        else { return nil }
        return .saved(generation: row.generation)
    }

    func delete(_ key: SessionKey, until deadline: Int64, _ events: any EffectEvents) async -> InputEvent {
        guard configuration.savesSessions else {
            events.report(.note("not deleted: this run leaves what is stored as it is"))
            return .done
        }
        do throws(SessionStoreError) {
            try await store.ask(until: deadline) { store throws(SessionStoreError) in
                try await store.delete(key.digest)
            }
            return .done
        } catch {
            return Task.isCancelled ? .cancelled() : .storeFailed(reason: error.words)
        }
    }

    /// Waits for the session's lock; says so when it takes longer than a moment.
    func lock(_ key: SessionKey, until: Int64, _ events: any EffectEvents) async -> InputEvent {
        guard configuration.savesSessions, !lent.contains(key) else { return .locked }
        do throws(LockError) {
            let lock = try await firstTry(key, events, until)
            locks.withLock { $0[key] = lock }
            await recover(key)
            return .locked
        } catch {
            switch error {
            case .timeout(let holder, let age):
                let who = holder.map { "process \($0)" } ?? "an unknown process"
                let since = age.map { ", for \($0 / 1000) s" } ?? ""
                return .lockTimedOut(holder: who + since)
            case .cancelled: return .cancelled()
            case .store(let error):
                disk.note(error)
                return .storeFailed(reason: error.words)
            }
        }
    }

    private func firstTry(
        _ key: SessionKey, _ events: any EffectEvents, _ until: Int64
    ) async throws(LockError) -> FileLock {
        do throws(LockError) {
            return try await FileLock.acquire(key: key.digest, in: lockDirectory, waitingAtMost: 0)
        } catch {
            guard case .timeout(let holder, _) = error, until > WallClock.now() else { throw error }
            let who = holder.map { "process \($0)" } ?? "another process"
            events.report(.waiting(forWhat: "\(who), which renews the same session", until: until))
            return try await FileLock.acquire(
                key: key.digest, in: lockDirectory,
                waitingAtMost: Int(clamping: max(0, until - WallClock.now())))
        }
    }

    func unlock(_ key: SessionKey) {
        locks.withLock { $0.removeValue(forKey: key) }?.release()
    }

    func releaseAll() {
        for lock in locks.withLock({ locks in
            defer { locks = [:] }
            return Array(locks.values)
        }) { lock.release() }
    }
}

extension SessionStoreError {
    /// The error as a person reads it.
    var words: String {
        switch self {
        case .conflict: StoreError.conflict(current: nil).words
        case .damaged(let reason), .unavailable(let reason): RemoteText.sanitize(reason, limit: 1_000)
        }
    }
}

extension StoreError {
    /// The error as a person reads it.
    package var words: String {
        switch self {
        case .unavailable(let path, let reason): "the session store at \(path) cannot be used: \(reason)"
        case .permission(let path, let reason), .readOnly(let path, let reason): "\(path): \(reason)"
        case .corrupt(let reason): reason
        case .damaged(let path, let reason):
            "\(path) is damaged: \(reason); bring it back from a backup, "
                + "or flowrun store reset --yes deletes it with all its sessions"
        case .conflict: "another process stored a newer session"
        case .diskFull(let path): "no space is left for \(path)"
        case .busy(let path): "other processes keep \(path) locked"
        case .inUse(let path, let processes):
            "\(processes.inUse) of the sessions in \(path): wait until that is over, or end it"
        case .wrongPassphrase(let path, let fix):
            "the passphrase does not open the session store at \(path): give the one that it was sealed with "
                + "(\(fix)); where that is lost, flowrun store reset --yes begins anew"
        case .locked(let reason, let fix): "the session store cannot be opened: \(reason); \(fix)"
        case .newerSchema(let found, let supported):
            "the session store was written by a later flowrun (schema \(found), this one knows \(supported))"
        }
    }
}

extension [Int32] {
    /// Who is at work, as the beginning of a sentence.
    fileprivate var inUse: String {
        guard let first else { return "another process makes use" }
        return count == 1
            ? "process \(first) makes use" : "processes \(map(String.init).joined(separator: ", ")) make use"
    }
}
