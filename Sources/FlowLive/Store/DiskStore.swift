internal import Synchronization

/// The sealed database as a store of sessions; it is opened when it is first needed.
final class DiskStore: SessionStore {
    private let directory: String
    private let protection: StoreProtection
    private let state = Mutex(State.closed)
    private let lastObstacle = Mutex<StoreError?>(nil)
    private let lastTrouble = Mutex<StoreError?>(nil)

    private typealias Opened = Result<SQLiteSessionStore, StoreError>

    private enum State {
        case closed
        case opening([CheckedContinuation<Opened, Never>])
        case open(SQLiteSessionStore)
    }

    init(directory: String, protection: StoreProtection) {
        self.directory = directory
        self.protection = protection
    }

    convenience init(_ configuration: LiveConfiguration) {
        self.init(directory: configuration.storeDirectory, protection: configuration.protection)
    }

    /// The database; a failure is tried again with the next question.
    func opened() async throws(StoreError) -> SQLiteSessionStore {
        if case .open(let store) = state.withLock({ $0 }) { return store }
        return try await withCheckedContinuation { ask($0) }.get()
    }

    private func ask(_ waiter: CheckedContinuation<Opened, Never>) {
        let (store, isFirst) = state.withLock { state -> (SQLiteSessionStore?, Bool) in
            switch state {
            case .open(let store): return (store, false)
            case .opening(let waiters):
                state = .opening(waiters + [waiter])
                return (nil, false)
            case .closed:
                state = .opening([waiter])
                return (nil, true)
            }
        }
        if let store { return waiter.resume(returning: .success(store)) }
        if isFirst { open() }
    }

    /// On the store's own thread: the keyring may ask a person.
    private func open() {
        guard let thread = SerialThread() else {
            return settle(.failure(.unavailable(path: directory, reason: "no thread is left")))
        }
        thread.run { [self] in
            settle(
                Result { () throws(StoreError) in
                    try SQLiteSessionStore(directory: directory, protection: protection, thread: thread)
                })
        }
    }

    /// Why the database was not opened the last time; `nil` when it was, or nobody has asked for it.
    var obstacle: StoreError? { lastObstacle.withLock { $0 } }

    /// What went wrong the last time, with the database or with what is beside it.
    var trouble: StoreError? { lastTrouble.withLock { $0 } }

    func note(_ error: StoreError) { lastTrouble.withLock { $0 = error } }

    private func noted(_ error: StoreError) -> SessionStoreError {
        note(error)
        return SessionStoreError(error)
    }

    private func settle(_ result: Opened) {
        if case .failure(let error) = result { lastObstacle.withLock { $0 = error } }
        let waiters = state.withLock { state -> [CheckedContinuation<Opened, Never>] in
            defer { state = (try? result.get()).map(State.open) ?? .closed }
            guard case .opening(let waiters) = state else { return [] }
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: result) }
    }

    func load(_ key: String) async throws(SessionStoreError) -> StoredBytes? {
        do throws(StoreError) {
            return try await opened().load(key: key)
        } catch {
            throw noted(error)
        }
    }

    func save(
        _ bytes: [UInt8], _ key: String, expecting: StoreExpectation
    ) async throws(SessionStoreError) -> Int64 {
        do throws(StoreError) {
            return try await opened().save(key: key, bytes: bytes, expecting: expecting)
        } catch {
            throw noted(error)
        }
    }

    func delete(_ key: String) async throws(SessionStoreError) {
        do throws(StoreError) {
            try await opened().delete(key: key)
        } catch {
            throw noted(error)
        }
    }
}

extension SessionStoreError {
    init(_ error: StoreError) {
        switch error {
        case .conflict: self = .conflict
        case .corrupt(let reason): self = .damaged(reason: reason)
        case .unavailable, .permission, .readOnly, .damaged, .diskFull, .busy, .inUse, .locked,
            .wrongPassphrase, .newerSchema:
            self = .unavailable(reason: error.words)
        }
    }
}
