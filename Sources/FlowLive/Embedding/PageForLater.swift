internal import OAuthProtocol
internal import Synchronization

/// The page of a run that is put aside while its visitor looks at it; with the answer, when they have come back.
final class PageForLater: BrowserPresenter {
    private struct State {
        var answer: Secret?
        var url: String?
    }

    let redirectURI: String?
    private let state: Mutex<State>

    /// - Parameter answer: Where the browser ended at the page that the run was put aside with.
    init(redirectURI: String, answer: Secret?) {
        self.redirectURI = redirectURI
        state = Mutex(State(answer: answer))
    }

    /// What the visitor is to look at now; `nil` where that is nothing.
    var url: String? { state.withLock { $0.url } }

    func present(_ page: BrowserPage) async -> BrowserPresentation {
        guard page.redirectURI != nil else {
            return .unavailable(reason: "nobody is told when the visitor is done there")
        }
        let answer = state.withLock { state in
            defer { state.answer = nil }
            state.url = state.answer == nil ? page.url : nil
            return state.answer
        }
        return .session { answer.map(BrowserAnswer.callback) ?? .closed }
    }

    func dismiss() async {}
}
