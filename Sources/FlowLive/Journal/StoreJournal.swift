internal import FlowEngine
internal import JOSE
internal import Synchronization

/// The journal of one run, kept in the session store.
///
/// Whoever writes it holds the run's lock, so that one process at a time goes on with a run; the kernel releases it
/// with the process. The count of records is a second guard: a process that was overtaken can write nothing.
final class StoreJournal: RunJournal {
    private struct State {
        var run: String?
        var count = 0
        var lock: FileLock?
    }

    private let shelf: SessionShelf
    private let lockDirectory: String
    private let state: Mutex<State>

    /// The journal of a run that begins.
    init(_ shelf: SessionShelf, lockDirectory: String) {
        self.shelf = shelf
        self.lockDirectory = lockDirectory
        state = Mutex(State())
    }

    /// The journal of a run that goes on.
    init(_ shelf: SessionShelf, lockDirectory: String, run: String, count: Int, lock: FileLock) {
        self.shelf = shelf
        self.lockDirectory = lockDirectory
        state = Mutex(State(run: run, count: count, lock: lock))
    }

    func append(_ entries: [JournalEntry], _ standing: RunStanding) async throws(JournalFailure) {
        let (run, count) = state.withLock { ($0.run, $0.count) }
        guard let run = run ?? entries.first?.facts["run"]?.stringValue else {
            throw JournalFailure("the first record names no run")
        }
        if count == 0 { try await begin(run) }
        do throws(StoreError) {
            try await shelf.opened().append(entries, to: run, after: count, standing, now: WallClock.now())
        } catch {
            if case .conflict = error { throw JournalFailure("another process goes on with this run") }
            throw JournalFailure(error.words)
        }
        let ended = state.withLock { state in
            state.count = count + entries.count
            guard case .ended = standing else { return nil as FileLock? }
            defer { state.lock = nil }
            return state.lock
        }
        ended?.retire()
    }

    private func begin(_ run: String) async throws(JournalFailure) {
        guard state.withLock({ $0.lock == nil }) else { return }
        do throws(LockError) {
            let lock = try await RunLock.acquire(run, in: lockDirectory)
            state.withLock {
                $0.run = run
                $0.lock = lock
            }
        } catch {
            throw JournalFailure("the lock of the run cannot be taken: \(error.words)")
        }
    }
}

/// The right to go on with a run.
package enum RunLock {
    private static func key(_ run: String) -> String { "run:\(run)" }

    /// Whether a process is at it; one that was killed is not.
    package static func isHeld(_ run: String, in directory: String) -> Bool {
        LockSurvey.isHeld(FileLock.path(key(run), directory))
    }

    /// - Throws: `timeout` when another process has it.
    static func acquire(_ run: String, in directory: String) async throws(LockError) -> FileLock {
        try await FileLock.acquire(key: key(run), in: directory, waitingAtMost: 0)
    }
}

extension LockError {
    /// The error as a person reads it.
    package var words: String {
        switch self {
        case .timeout(let holder, let age):
            (holder.map { "process \($0)" } ?? "another process")
                + " holds it" + (age.map { ", for \($0 / 1000) s" } ?? "")
        case .cancelled: "cancelled"
        // Locks have a folder of their own.
        case .store(.unavailable(let path, let reason)): "\(path): \(reason)"
        case .store(let error): error.words
        }
    }
}
