internal import FlowLive

/// Lets one process at a time read a file, change it and put it back.
enum FileTurn {
    private static let longestWait = 10_000

    /// - Returns: What ends the turn; `nil` where there is no place to say that one has it.
    /// - Throws: When another process does not finish.
    static func take(_ path: String, _ surroundings: Surroundings) throws(Problem) -> FileLock? {
        guard let state = UserDirectories(surroundings).state else { return nil }
        let name = FileAccess.resolved(path) ?? path
        do throws(LockError) {
            return try FileLock.take(
                key: name, in: FilePath.join(state, "files"), waitingAtMost: longestWait)
        } catch {
            switch error {
            case .timeout(let holder?, _):
                throw Problem(.local, "process \(holder) is changing \(path) and does not finish")
            case .timeout(nil, _), .cancelled:
                throw Problem(.local, "another process is changing \(path) and does not finish")
            case .store(let error):
                // It is no store of sessions.
                let words =
                    if case .unavailable(let place, let reason) = error { "\(place): \(reason)" } else {
                        error.words
                    }
                throw Problem(
                    .local, "\(path) cannot be changed: \(words)",
                    hints: UserDirectories(surroundings).registrationHints)
            }
        }
    }
}
