internal import FlowEngine
internal import OAuthProtocol

/// Takes the answer from a person who pastes the address that the browser ended at.
final class PastedAnswers: AnswerSource {
    private let reading: Task<Void, Never>

    /// Reads from now on, until the lines end or it is closed.
    ///
    /// - Parameters:
    ///   - isWelcome: Whether the flow takes answers that come this way.
    ///   - ignored: Told in words of each text that did not count.
    init(
        _ lines: AsyncStream<Secret>, redirectURI: String, inbox: CallbackInbox, isWelcome: Bool,
        ignored: @escaping @Sendable (String) -> Void
    ) {
        reading = Task {
            for await line in lines {
                guard let expectation = inbox.expectation else { continue }
                switch PastedAnswer.read(line.reveal(), redirectURI: redirectURI, expectation) {
                case .nothing: break
                case _ where !isWelcome: ignored("this flow takes no pasted answers")
                case .unusable(let words):
                    inbox.refuse(.malformed)
                    ignored(words)
                case .parameters(let parameters):
                    if let words = inbox.offer(parameters, through: "paste").flatMap(Self.words) {
                        ignored(words)
                    }
                }
            }
        }
    }

    private static func words(_ reason: IgnoredRequest.Reason) -> String? {
        switch reason {
        case .wrongState: "the pasted address belongs to another attempt"
        case .errorWithoutState:
            "the pasted error has no state; if the provider leaves it out of errors, say authorization: {state: {on_error: "
                + "optional}} in its file"
        case .missingState:
            "the pasted text has no state: paste the whole address that the browser ended at"
        case .secured:
            "the pasted answer is in a signed JWT, and none was asked for: say authorization: {response_mode: jwt} in the "
                + "provider's file"
        case .repeatedState: "the pasted address has several states"
        case .malformed: "the pasted text cannot be read"
        // What is pasted once the answer is there changes nothing.
        case .notExpected, .alreadyUsed, .wrongHost, .wrongPath, .wrongMethod, .prefetch, .posted, .queried:
            nil
        }
    }

    func close(_ verdict: PageVerdict?) async {
        reading.cancel()
        await reading.value
    }
}
