#if canImport(AuthenticationServices)
    public import AuthenticationServices
    public import Foundation
    internal import OAuthProtocol

    /// Shows sign-in pages in the system's own sheet, which shares the browser's cookies and brings the answer back.
    ///
    /// **State of testing:** written from the documentation of ASWebAuthenticationSession. It is type-checked against
    /// declarations written from that documentation, and has never been compiled by Xcode or run.
    ///
    /// ```swift
    /// configuration.presenter = WebAuthenticationPresenter(
    ///     redirectURI: "com.example.app:/oauth", callback: .customScheme("com.example.app"), anchor: window)
    /// ```
    @available(iOS 17.4, macOS 14.4, *)
    @MainActor
    public final class WebAuthenticationPresenter: NSObject, BrowserPresenter {
        /// As it is registered at the provider.
        public nonisolated let redirectURI: String?
        private let callback: ASWebAuthenticationSession.Callback
        private let anchor: ASPresentationAnchor
        private let isEphemeral: Bool
        private var session: ASWebAuthenticationSession?

        /// - Parameters:
        ///   - callback: The part of the redirect URI by which the system recognizes it: its scheme, or host and path of
        ///     an https address that belongs to the app.
        ///   - anchor: The window that the sheet belongs to.
        ///   - isEphemeral: Whether the browser's cookies are left out, so that a person signs in anew each time.
        public init(
            redirectURI: String, callback: ASWebAuthenticationSession.Callback, anchor: ASPresentationAnchor,
            isEphemeral: Bool = false
        ) {
            self.redirectURI = redirectURI
            self.callback = callback
            self.anchor = anchor
            self.isEphemeral = isEphemeral
        }

        public func present(_ page: BrowserPage) async -> BrowserPresentation {
            guard let url = URL(string: page.url) else { return .unavailable(reason: "the address is none") }
            session?.cancel()
            let answer = FirstValue<BrowserAnswer>()
            let new = ASWebAuthenticationSession(url: url, callback: callback) { url, _ in
                // Whatever the error, there is no answer: mostly the person has closed the sheet.
                answer.set(url.map { .callback(Secret($0.absoluteString, kind: .code)) } ?? .closed)
            }
            new.presentationContextProvider = self
            new.prefersEphemeralWebBrowserSession = isEphemeral
            guard new.start() else { return .unavailable(reason: "the system shows no sign-in page now") }
            session = new
            return .session { await answer.value() ?? .closed }
        }

        public func dismiss() async {
            session?.cancel()
            session = nil
        }
    }

    @available(iOS 17.4, macOS 14.4, *)
    extension WebAuthenticationPresenter: ASWebAuthenticationPresentationContextProviding {
        public func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
            anchor
        }
    }
#endif
