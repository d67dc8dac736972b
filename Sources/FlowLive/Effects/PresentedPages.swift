internal import FlowEngine
internal import OAuthProtocol

/// What an address is shown for.
struct Showing {
    let errand: BrowserErrand
    /// Whether somebody waits for where the browser ends.
    let isAwaited: Bool
    /// Milliseconds since 1970.
    let deadline: Int64
    /// Whether the address bears a secret of lasting worth.
    var isSecret = false
}

/// Showing an address by the program that embeds the engine, in place of the system's browser.
extension LiveEffects {
    func show(
        _ url: String, _ presenter: any BrowserPresenter, _ showing: Showing, _ events: any EffectEvents
    ) async -> BrowserShowing {
        let opening = showing.isAwaited ? redirect.current : nil
        let page = BrowserPage(
            url: url, redirectURI: opening?.redirectURI,
            errand: showing.errand == .logout ? .signOut : .signIn)
        let presented = await BoundedWork.value(until: showing.deadline) {
            let presented = await presenter.present(page)
            // What it shows now is for nobody.
            if Task.isCancelled { await presenter.dismiss() }
            return presented
        }
        guard let presented else {
            Task { await presenter.dismiss() }
            return BrowserShowing(refusal: "the program did not show the address in time")
        }
        switch presented {
        case .shown(let program): return BrowserShowing(program: RemoteText.sanitize(program, limit: 100))
        case .session(let answer):
            if let opening {
                redirect.add(
                    PresentedAnswer(
                        presenter, redirectURI: opening.redirectURI, inbox: opening.inbox,
                        ignored: { events.report(.callbackIgnored(reason: $0)) }, answer: answer))
            } else {
                await leave(open: presenter, showing, answer)
            }
            return BrowserShowing(program: "the program", bringsAnswer: true)
        case .unavailable(let reason):
            let words = RemoteText.sanitize(reason)
            return BrowserShowing(refusal: "the program does not show the address: \(words)")
        }
    }

    /// Keeps a page in view whose answer nobody reads: at a sign-out until the person has left it, since the provider may
    /// ask there; else, where the person enters a code, until the run ends.
    private func leave(
        open presenter: any BrowserPresenter, _ showing: Showing,
        _ answer: @escaping @Sendable () async -> BrowserAnswer
    ) async {
        switch showing.errand {
        case .logout:
            _ = await BoundedWork.value(until: showing.deadline) { await answer() }
            await presenter.dismissInTime()
        case .signIn:
            let source = PresentedAnswer(
                presenter, redirectURI: "", inbox: CallbackInbox(), ignored: { _ in }, answer: answer)
            if redirect.current == nil {
                redirect.replace(
                    by: .init(inbox: CallbackInbox(), redirectURI: "", errand: .signIn, sources: [source]))
            } else {
                redirect.add(source)
            }
        }
    }
}
