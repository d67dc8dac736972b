internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Finds the provider's key that requests are encrypted to; once more among newer keys where no kept one will do.
struct RecipientKeyFetch: Sendable {
    enum Progress {
        /// What must be done before it is known.
        case action(StepAction)
        /// There is none.
        case failed(StepResult)
        /// `nil` in a rehearsal, whose provider has no key to decrypt with.
        case found(JWK?)
    }

    private let encryption: RegisteredEncryption
    private var fetch = KeyFetch(absence: nil)

    init(_ encryption: RegisteredEncryption) { self.encryption = encryption }

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> Progress {
        continued(fetch.start(&registers, scope), &registers, scope)
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
            let algorithm = encryption.algorithm
            if let key = keys.keys.first(where: { $0.mayEncrypt(algorithm) }) { return .found(key) }
            if scope.provider.isRehearsal {
                registers.notes.add(.note("the request would be \(Self.words(encryption))"))
                return .found(nil)
            }
            guard mayRefetch else {
                return .failed(
                    .failed(
                        .unsupported, "encryption_key",
                        "the provider publishes no key that \(algorithm.rawValue) encrypts to"))
            }
            registers.notes.add(
                .note("no kept key is one that \(algorithm.rawValue) encrypts to: asking once more"))
            return continued(fetch.refetch(&registers, scope), &registers, scope)
        }
    }

    /// What is done to a request, for notes.
    static func words(_ encryption: RegisteredEncryption) -> String {
        "encrypted to the provider's key: \(encryption.words)"
    }
}
