internal import JOSE
package import OAuthProtocol
import Synchronization

/// What an answer to an authorization request must bear before anything else of it is looked at.
struct CallbackExpectation: Sendable {
    let state: String
    /// How the provider names what it sends back.
    let dialect: CallbackDialect
    /// What opens an answer that is encrypted.
    var seal: SealedResponses?
    /// When an answer must bear `state`.
    let demand: StateDemand

    /// Why these parameters are no answer to this request; `nil` when they are one.
    func fault(in parameters: [(name: String, value: String)]) -> IgnoredRequest.Reason? {
        let states = dialect.states(in: parameters, seal: seal)
        guard let found = states.first, !found.isEmpty else {
            let isError = dialect.standard(parameters).contains { $0.name == "error" && !$0.value.isEmpty }
            guard demand.holds(isError: isError) else { return nil }
            if answersInJWT(parameters) { return .secured }
            return isError ? .errorWithoutState : .missingState
        }
        guard states.count == 1 else { return .repeatedState }
        return ConstantTime.equal(found, state) ? nil : .wrongState
    }

    /// Whether it is the answer to this very request, in a JWT that was not asked for (JARM §2.3).
    private func answersInJWT(_ parameters: [(name: String, value: String)]) -> Bool {
        var secured = CallbackDialect()
        secured.isSecured = true
        guard !dialect.isSecured, let found = secured.states(in: parameters).first else { return false }
        return ConstantTime.equal(found, state)
    }
}

/// An answer that was accepted.
package struct CallbackAnswer: Sendable {
    /// Decoded, in order, duplicates kept.
    package let parameters: [(name: String, value: String)]
    /// The way by which it came, as a flow's `channels` call it: `loopback`, `paste`.
    package let channel: String
}

package enum InboxResult: Sendable {
    case answer(CallbackAnswer)
    /// The person gave up.
    case givenUp
    case timeout
    /// The waiting task was cancelled.
    case cancelled
}

/// Where the answer to one authorization request arrives, whichever way it comes.
///
/// Every way brings what it has here. An answer without the expected `state` is refused and the waiting goes on; of the
/// right ones exactly the first counts. Nothing but the state is checked.
package final class CallbackInbox: Sendable {
    private enum Arrival: Sendable {
        case answer(CallbackAnswer)
        case givenUp
    }

    private struct State {
        var expectation: CallbackExpectation?
        var refused = 0
        var watcher: (@Sendable () -> Void)?
    }

    private let arrival = FirstValue<Arrival>()
    private let state = Mutex(State())

    package init() {}

    /// Sets what an answer must bear; before that, every answer is refused.
    package func expect(
        state text: String, dialect: CallbackDialect = CallbackDialect(), seal: SealedResponses? = nil,
        demand: StateDemand = .always
    ) {
        let expectation = CallbackExpectation(state: text, dialect: dialect, seal: seal, demand: demand)
        state.withLock { $0.expectation = expectation }
    }

    /// What is expected; `nil` before anything is.
    var expectation: CallbackExpectation? { state.withLock(\.expectation) }

    /// Takes an answer.
    ///
    /// - Returns: Why it does not count; `nil` when it is the one.
    func offer(
        _ parameters: [(name: String, value: String)], through channel: String
    ) -> IgnoredRequest.Reason? {
        guard let expectation else { return refuse(.notExpected) }
        if let reason = expectation.fault(in: parameters) { return refuse(reason) }
        let answer = CallbackAnswer(parameters: parameters, channel: channel)
        return arrive(.answer(answer)) ? nil : .alreadyUsed
    }

    /// The answer that counts; `nil` as long as there is none.
    var answer: CallbackAnswer? {
        if case .answer(let answer) = arrival.current { answer } else { nil }
    }

    /// Whether these parameters would be taken as the answer, which is not here yet.
    func awaits(_ parameters: [(name: String, value: String)]) -> Bool {
        guard answer == nil, let expectation else { return false }
        return expectation.fault(in: parameters) == nil
    }

    /// Notes an answer that cannot be taken.
    @discardableResult
    func refuse(_ reason: IgnoredRequest.Reason) -> IgnoredRequest.Reason {
        state.withLock { $0.refused += 1 }
        return reason
    }

    /// Has the wait end with an answer that does not count, for the flow to refuse: no other will come.
    func settle(_ parameters: [(name: String, value: String)], through channel: String) {
        arrive(.answer(CallbackAnswer(parameters: parameters, channel: channel)))
    }

    /// The person will bring no answer; an answer that is here counts all the same.
    func giveUp() { arrive(.givenUp) }

    @discardableResult
    private func arrive(_ new: Arrival) -> Bool {
        let isFirst = arrival.set(new)
        tellWatcher()
        return isFirst
    }

    private func tellWatcher() {
        let watcher = state.withLock { state in
            defer { state.watcher = nil }
            return state.watcher
        }
        watcher?()
    }

    /// Calls `watcher` once, when the answer is there; at once when it is already.
    func whenArrived(_ watcher: @escaping @Sendable () -> Void) {
        state.withLock { $0.watcher = watcher }
        if arrival.current != nil { tellWatcher() }
    }

    /// Answers so far that were refused for their state or their form.
    package var refused: Int { state.withLock(\.refused) }

    /// Waits for the answer, until `deadline` in milliseconds since 1970; one task at a time.
    ///
    /// An answer that has come already is given at once, even when the deadline is past.
    package func next(deadline: Int64) async -> InboxResult {
        let milliseconds = max(0, deadline - WallClock.now())
        switch await arrival.value(withinMilliseconds: Int(clamping: milliseconds)) {
        case .answer(let answer): return .answer(answer)
        case .givenUp: return .givenUp
        case nil: return Task.isCancelled ? .cancelled : .timeout
        }
    }
}

/// A way by which the answer of an authorization may come, beside others; what it brings goes to a `CallbackInbox`.
protocol AnswerSource: Sendable {
    /// Tells the person how it ended where this way can, and takes nothing more.
    func close(_ verdict: PageVerdict?) async
}
