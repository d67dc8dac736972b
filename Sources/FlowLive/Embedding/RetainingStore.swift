internal import Synchronization

/// A program's own store that loses no renewed session when a save fails.
///
/// The refresh token that the store still has was given for the new one (RFC 6749 §6); sent again it may end the whole
/// grant (RFC 9700 §4.14.2). So what could not be saved stays in memory, is what a load gives, and is saved as soon as the
/// store lets it. It ends with the process: no other process knows of it.
final class RetainingStore: SessionStore {
    private struct Unsaved {
        /// What is replaced by it.
        var generation: Int64
        let bytes: [UInt8]
    }

    private let store: any SessionStore
    /// By key.
    private let unsaved = Mutex<[String: Unsaved]>([:])

    init(_ store: any SessionStore) { self.store = store }

    func load(_ key: String) async throws(SessionStoreError) -> StoredBytes? {
        guard let kept = unsaved.withLock({ $0[key] }) else { return try await store.load(key) }
        do throws(SessionStoreError) {
            let generation = try await save(kept.bytes, key, expecting: .generation(kept.generation))
            return StoredBytes(generation: generation, bytes: kept.bytes)
        } catch {
            switch error {
            case .conflict: return try await store.load(key)
            case .damaged, .unavailable:
                return StoredBytes(generation: kept.generation, bytes: kept.bytes)
            }
        }
    }

    func save(
        _ bytes: [UInt8], _ key: String, expecting: StoreExpectation
    ) async throws(SessionStoreError) -> Int64 {
        // A save that is not waited for any more is cancelled.
        var result = await withTaskCancellationHandler {
            await attempt(bytes, key, expecting)
        } onCancel: {
            retain(bytes, key, expecting)
        }
        if case .failure(.conflict) = result, await holdsExpected(key, expecting) {
            let words = "the store reports a conflict, and holds the very session that was to be replaced"
            result = .failure(.unavailable(reason: words))
        }
        switch result {
        case .success(let generation): saved(bytes, key, expecting, as: generation)
        case .failure(.conflict): forget(key, expecting)
        case .failure(.damaged), .failure(.unavailable): retain(bytes, key, expecting)
        }
        return try result.get()
    }

    func delete(_ key: String) async throws(SessionStoreError) {
        try await store.delete(key)
        unsaved.withLock { $0[key] = nil }
    }

    private func attempt(
        _ bytes: [UInt8], _ key: String, _ expecting: StoreExpectation
    ) async -> Result<Int64, SessionStoreError> {
        do throws(SessionStoreError) {
            return .success(try await store.save(bytes, key, expecting: expecting))
        } catch {
            return .failure(error)
        }
    }

    /// Whether a conflict is none: nothing newer is there, and what was to be saved would be lost.
    private func holdsExpected(_ key: String, _ expecting: StoreExpectation) async -> Bool {
        guard case .generation(let generation) = expecting else { return false }
        // Of a store that cannot be read the conflict is believed.
        return (try? await store.load(key))??.generation == generation
    }

    /// Keeps what was to replace a session; a new one replaces nothing, and its sign-in has failed.
    private func retain(_ bytes: [UInt8], _ key: String, _ expecting: StoreExpectation) {
        guard case .generation(let generation) = expecting else { return }
        unsaved.withLock { $0[key] = Unsaved(generation: generation, bytes: bytes) }
    }

    private func saved(
        _ bytes: [UInt8], _ key: String, _ expecting: StoreExpectation, as generation: Int64
    ) {
        unsaved.withLock { unsaved in
            if case .generation(let replaced) = expecting, let kept = unsaved[key], kept.bytes != bytes {
                // One that nobody waits for has come through late: what was made of it replaces it.
                if kept.generation == replaced { unsaved[key]?.generation = generation }
            } else {
                unsaved[key] = nil
            }
        }
    }

    /// Somebody has stored another session in place of the same one.
    private func forget(_ key: String, _ expecting: StoreExpectation) {
        unsaved.withLock { unsaved in
            guard case .generation(let generation) = expecting, unsaved[key]?.generation == generation
            else { return }
            unsaved[key] = nil
        }
    }
}
