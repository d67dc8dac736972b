internal import OAuthProtocol

/// Whether the keyring answers.
package enum KeyringProbe {
    package enum Answer: Sendable, Hashable {
        case answers
        /// It may be waiting for a person who unlocks it.
        case silent
        case failed(KeyringError)
    }

    /// Asks for an entry that nobody keeps.
    package static func ask(withinMilliseconds milliseconds: Int) async -> Answer {
        let answer = FirstValue<Answer>()
        let isStarted = WorkerThread.start {
            do throws(KeyringError) {
                _ = try Keyring.lookUp("doctor", kind: .other)
                answer.set(.answers)
            } catch {
                answer.set(.failed(error))
            }
        }
        guard isStarted else { return .silent }
        return await answer.value(withinMilliseconds: milliseconds) ?? .silent
    }
}
