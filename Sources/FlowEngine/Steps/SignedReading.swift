internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Reads what the provider signed: with the secret that it shares with the client, else with its public keys; once more
/// with newer ones where none of those that were kept has signed it.
struct SignedReading<Answer: Sendable>: Sendable {
    enum Progress {
        /// What must be done before it can be read.
        case action(StepAction)
        /// There are no keys.
        case failed(StepResult)
        /// What the reading made of it.
        case read(Result<Answer, ProtocolError>, CheckLog)
    }

    /// - Throws: `failed` with `Checks.key` where the keys do not have the one that is needed, with
    ///   `Checks.signature` where it is another one of that name.
    typealias Reading =
        @Sendable (SignatureKeys, inout Registers, StepScope, inout CheckLog)
        throws(ProtocolError) -> Answer

    private let subject: String
    private let read: Reading
    private var fetch = KeyFetch()

    /// - Parameter subject: What is read, in a note.
    init(_ subject: String, by read: @escaping Reading) {
        self.subject = subject
        self.read = read
    }

    mutating func start(
        _ secret: SharedSecret?, _ registers: inout Registers, _ scope: StepScope
    ) -> Progress {
        guard let secret else { return continued(fetch.start(&registers, scope), &registers, scope) }
        return read(with: .secret(secret), &registers, scope)
    }

    mutating func resume(
        _ event: InputEvent, _ registers: inout Registers, _ scope: StepScope
    ) -> Progress {
        continued(fetch.resume(event, &registers, scope), &registers, scope)
    }

    private mutating func continued(
        _ progress: KeyFetch.Progress, _ registers: inout Registers, _ scope: StepScope
    ) -> Progress {
        switch progress {
        case .action(let action): return .action(action)
        case .failed(let result): return .failed(result)
        case .ready(let keys, let mayRefetch):
            let progress = read(with: .keys(keys), &registers, scope)
            guard mayRefetch, case .read(.failure(.failed(let check, _, _)), _) = progress,
                check == Checks.key || check == Checks.signature
            else { return progress }
            registers.notes.add(
                .note("\(subject) is signed with a key that is not among the kept ones: asking once more"))
            return continued(fetch.refetch(&registers, scope), &registers, scope)
        }
    }

    private func read(
        with keys: SignatureKeys, _ registers: inout Registers, _ scope: StepScope
    ) -> Progress {
        var log = CheckLog()
        do throws(ProtocolError) {
            let answer = try read(keys, &registers, scope, &log)
            return .read(.success(answer), log)
        } catch {
            return .read(.failure(error), log)
        }
    }
}

/// What a signature is verified with: the provider's public keys, or the secret that client and provider share.
enum SignatureKeys: Sendable {
    case keys(JWKSet)
    case secret(SharedSecret)

    func verify(
        _ token: Secret, allowed: [SignatureAlgorithm], log: inout CheckLog
    ) throws(ProtocolError) -> VerifiedJWS {
        switch self {
        case .keys(let keys):
            try IDTokenSignature.verify(token, keys: keys, allowed: allowed, log: &log)
        case .secret(let secret):
            try IDTokenSignature.verify(token, secret: secret, allowed: allowed, log: &log)
        }
    }

    func verify(
        _ token: Secret, _ message: SignedMessage, allowed: [SignatureAlgorithm], log: inout CheckLog
    ) throws(ProtocolError) -> VerifiedJWS {
        switch self {
        case .keys(let keys):
            try MessageSignature.verify(token, message, keys: keys, allowed: allowed, log: &log)
        case .secret(let secret):
            try MessageSignature.verify(token, message, secret: secret, allowed: allowed, log: &log)
        }
    }
}
