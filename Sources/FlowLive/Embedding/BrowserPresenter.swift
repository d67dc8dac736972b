public import OAuthProtocol

/// How a person gets to see an address of the provider, in place of the system's browser and the loopback listener.
///
/// Where the platform itself brings back the address that the browser ends at, as ASWebAuthenticationSession does, that
/// belongs here too.
public protocol BrowserPresenter: Sendable {
    /// Where the provider sends the browser when the presenter brings the answer back; `nil` has the answer come to the
    /// loopback listener. Runs with one that can be no redirect URI are not begun (`setup_failed`).
    var redirectURI: String? { get }

    /// Shows an address; returns when it is shown, not when the person is done. One that takes longer than the step has
    /// time is cancelled and not waited for.
    func present(_ page: BrowserPage) async -> BrowserPresentation

    /// Takes away what is still shown: the answer is there, or nobody waits for it any more.
    func dismiss() async
}

/// An address to show.
public struct BrowserPage: Sendable, Hashable {
    /// Why a page is shown.
    public enum Errand: Sendable, Hashable {
        case signIn, signOut
    }

    /// To be opened as it is; holds `state`, and at a sign-out the ID token, so it is for no log.
    public let url: String
    /// Where the browser will end; `nil` where nobody waits for that. Then the closure of a session at a sign-out returns
    /// when the person has left the page, which is when it is over.
    public let redirectURI: String?
    /// Whether the person signs in there, or out.
    public let errand: Errand
}

extension BrowserPage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The query holds `state`, and at a sign-out the ID token.
    public var description: String { "‹\(errand): \(Self.place(url))›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }

    /// The address without what is for no log.
    static func place(_ url: String) -> Substring { url.prefix { $0 != "?" && $0 != "#" } }
}

/// What came of showing an address.
public enum BrowserPresentation: Sendable {
    /// A program shows it, and the answer comes to the redirect URI by itself.
    case shown(by: String)
    /// It is shown, and the closure waits for the person; it must end when its task is cancelled.
    case session(@Sendable () async -> BrowserAnswer)
    /// It cannot be shown: the step ends with `headless`.
    case unavailable(reason: String)
}

/// How a page was left that brings its own answer.
public enum BrowserAnswer: Sendable {
    /// The address that the browser ended at, whole.
    case callback(Secret)
    /// The person closed the page.
    case closed
}

/// Waits for the answer that a presenter brings.
final class PresentedAnswer: AnswerSource {
    private let presenter: any BrowserPresenter
    private let waiting: Task<Void, Never>

    init(
        _ presenter: any BrowserPresenter, redirectURI: String, inbox: CallbackInbox,
        ignored: @escaping @Sendable (String) -> Void, answer: @escaping @Sendable () async -> BrowserAnswer
    ) {
        self.presenter = presenter
        waiting = Task {
            guard case .callback(let address) = await answer(), let expectation = inbox.expectation else {
                return inbox.giveUp()
            }
            // It is the only answer that will come: one that does not count ends the wait too, and fails its checks.
            switch PastedAnswer.read(address.reveal(), redirectURI: redirectURI, expectation) {
            case .parameters(let parameters):
                if inbox.offer(parameters, through: "scheme") == nil { return }
                ignored("the answer belongs to another attempt")
                inbox.settle(parameters, through: "scheme")
            case .unusable, .nothing:
                ignored("the browser ended at another address than the redirect")
                inbox.settle([], through: "scheme")
            }
        }
    }

    func close(_ verdict: PageVerdict?) async {
        waiting.cancel()
        await presenter.dismissInTime()
    }
}

extension BrowserPresenter {
    /// How long a page may take to go away, in milliseconds.
    private static var patience: Int64 { 5_000 }

    /// The same as `dismiss`, for a run that ends whatever the program does.
    func dismissInTime() async {
        _ = await BoundedWork.essential(until: WallClock.now() + Self.patience) { await self.dismiss() }
    }
}
