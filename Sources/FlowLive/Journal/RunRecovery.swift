package import FlowEngine
internal import JOSE

/// Why a run cannot be resumed.
package enum ResumeError: Error, Sendable, Hashable {
    case unknown
    case ended
    /// Another process goes on with it; in the words of its lock.
    case busy(String)
    case unreadable(String)

    /// The error as a person reads it.
    package var words: String {
        switch self {
        case .unknown: "no such run is kept"
        case .ended: "the run has ended"
        case .busy(let holder): "another process goes on with the run: \(holder)"
        case .unreadable(let reason): reason
        }
    }
}

/// A run that an earlier process began, and the right to go on with it.
package struct ResumableRun: Sendable {
    package var recorded: RecordedRun
    package let journal: any RunJournal
}

/// Journals of runs, from the outside.
extension LiveEffects {
    /// Keeps the run of these effects safe against crashes; `nil` where nothing is stored.
    package func journal() -> (any RunJournal)? {
        guard configuration.savesSessions else { return nil }
        return StoreJournal(sessions, lockDirectory: sessions.lockDirectory)
    }

    /// Takes the right to go on with a run.
    package func resume(_ run: String) async throws(ResumeError) -> ResumableRun {
        try await sessions.resume(run)
    }

    /// The run that waits for an answer that bears this `state`.
    package func run(waitingFor state: String) async throws(ResumeError) -> String? {
        do throws(StoreError) {
            return try await sessions.opened().run(waitingFor: StateDigest.of(state))
        } catch {
            throw .unreadable(error.words)
        }
    }
}

extension SessionShelf {
    func resume(_ run: String) async throws(ResumeError) -> ResumableRun {
        let lock: FileLock
        do throws(LockError) {
            lock = try await RunLock.acquire(run, in: lockDirectory)
        } catch {
            if case .store = error { throw .unreadable(error.words) }
            throw .busy(error.words)
        }
        let entries: [JournalEntry]
        do throws(StoreError) {
            entries = try await opened().records(of: run)
        } catch {
            throw .unreadable(error.words)
        }
        guard !entries.isEmpty, !entries.contains(where: { $0.kind == .ended }) else {
            lock.retire()
            throw entries.isEmpty ? .unknown : .ended
        }
        do throws(JournalFailure) {
            return ResumableRun(
                recorded: try RecordedRun(entries),
                journal: StoreJournal(
                    self, lockDirectory: lockDirectory, run: run, count: entries.count, lock: lock))
        } catch {
            throw .unreadable(error.reason)
        }
    }

    /// Brings the runs to their end that were interrupted while they renewed this session: a token that only their
    /// journal knows is stored before anybody asks for another.
    ///
    /// The lock of the session is held meanwhile, on behalf of those runs.
    func recover(_ key: SessionKey) async {
        guard let recovery = configuration.recovery,
            // Without the list nothing is lost: the session is then in doubt, and its token is not sent again.
            let runs = try? await opened().unfinishedRuns(of: key.digest)
        else { return }
        for run in runs {
            // One that is alive, or that cannot be read, is not this process's.
            guard let resumable = try? await resume(run) else { continue }
            await recovery(resumable, key)
        }
    }
}
