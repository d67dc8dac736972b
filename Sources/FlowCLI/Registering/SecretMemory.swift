internal import OAuthProtocol
internal import Synchronization

/// Secrets that a command has read already: a program that gives one is run once, and standard input has it but once.
final class SecretMemory: Sendable {
    private struct Place: Hashable {
        let location: SecretLocation
        let kind: Secret.Kind
    }

    private let answers = Mutex<[Place: Result<Secret, Problem>]>([:])

    /// - Parameter read: Reads it anew; what it throws is remembered too.
    func secret(
        in location: SecretLocation, _ kind: Secret.Kind, _ read: () throws(Problem) -> Secret
    ) throws(Problem) -> Secret {
        let place = Place(location: location, kind: kind)
        if let answer = answers.withLock({ $0[place] }) { return try answer.get() }
        let answer = Result { () throws(Problem) in try read() }
        answers.withLock { $0[place] = answer }
        return try answer.get()
    }
}
