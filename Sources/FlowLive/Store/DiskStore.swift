internal import Synchronization

/// The sealed database as a store of sessions; it is opened when it is first needed.
final class DiskStore: SessionStore {
    private let directory: String
    private let protection: StoreProtection
    private let opening = Mutex<Task<Result<SQLiteSessionStore, StoreError>, Never>?>(nil)

    init(directory: String, protection: StoreProtection) {
        self.directory = directory
        self.protection = protection
    }

    /// The database; a failure is tried again with the next question.
    func opened() async throws(StoreError) -> SQLiteSessionStore {
        let (directory, protection) = (directory, protection)
        let task = opening.withLock { task in
            if let task { return task }
            let new = Task { await Self.open(directory, protection) }
            task = new
            return new
        }
        let result = await task.value
        if case .failure = result { opening.withLock { $0 = nil } }
        return try result.get()
    }

    /// On a thread of its own: the keyring may ask a person.
    private static func open(
        _ directory: String, _ protection: StoreProtection
    ) async -> Result<SQLiteSessionStore, StoreError> {
        await withCheckedContinuation { continuation in
            let isStarted = WorkerThread.start {
                continuation.resume(
                    returning: Result { () throws(StoreError) in
                        try SQLiteSessionStore(directory: directory, protection: protection)
                    })
            }
            guard !isStarted else { return }
            continuation.resume(
                returning: .failure(.unavailable(path: directory, reason: "no thread is left")))
        }
    }

    func load(_ key: String) async throws(SessionStoreError) -> StoredBytes? {
        do throws(StoreError) {
            return try await opened().load(key: key)
        } catch {
            throw SessionStoreError(error)
        }
    }

    func save(
        _ bytes: [UInt8], _ key: String, expecting: StoreExpectation
    ) async throws(SessionStoreError) -> Int64 {
        do throws(StoreError) {
            return try await opened().save(key: key, bytes: bytes, expecting: expecting)
        } catch {
            throw SessionStoreError(error)
        }
    }

    func delete(_ key: String) async throws(SessionStoreError) {
        do throws(StoreError) {
            try await opened().delete(key: key)
        } catch {
            throw SessionStoreError(error)
        }
    }
}

extension SessionStoreError {
    init(_ error: StoreError) {
        switch error {
        case .conflict: self = .conflict
        case .corrupt(let reason): self = .damaged(reason: reason)
        case .unavailable, .permission, .damaged, .diskFull, .busy, .locked, .newerSchema:
            self = .unavailable(reason: error.words)
        }
    }
}
