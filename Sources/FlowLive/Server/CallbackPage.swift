internal import JOSE
internal import OAuthProtocol

/// What the browser is told at the end.
package enum PageVerdict: Sendable, Hashable {
    /// The sign-in is complete and checked.
    /// - Parameter provider: The provider's display name; shown when it is not empty.
    case success(provider: String?)
    /// The session at the provider is over.
    case signedOut(provider: String?)
    /// It failed.
    /// - Parameter code: Our own or the provider's error code, such as `access_denied`.
    case failure(code: String)
}

/// The pages of the callback listener: one document, static text, no script and no foreign resource.
struct CallbackPage {
    /// Which text is shown.
    enum Content: Equatable {
        case verdict(PageVerdict)
        /// The response came; the program still checks it. The page asks again by itself.
        case finishing
        /// The response of this attempt was received before.
        case alreadyUsed
        /// A response that does not belong to this attempt.
        case otherAttempt
        /// The response of this attempt by a method that it is not taken by; both as `GET`, or `GET, POST`.
        case otherMethod(came: String, taken: String)
        case notFound
        case notAllowed
    }

    /// Allows exactly the one style of the page.
    private let policy: String

    init() {
        let hash = Base64.encode(Digest.sha256(Self.style.utf8))
        policy = """
            default-src 'none'; style-src 'sha256-\(hash)'; base-uri 'none'; form-action 'none'; \
            frame-ancestors 'none'
            """
    }

    func response(_ content: Content, status: Int, _ more: [HTTPField] = []) -> HTTPResponse {
        let fields = [HTTPField("Content-Type", "text/html; charset=utf-8")] + protection + more
        return HTTPResponse(status: status, fields: fields, body: Array(html(content).utf8))
    }

    /// A response without a page.
    func empty(status: Int, _ more: [HTTPField] = []) -> HTTPResponse {
        HTTPResponse(status: status, fields: protection + more)
    }

    private var protection: [HTTPField] {
        [
            HTTPField("Cache-Control", "no-store"),
            HTTPField("Referrer-Policy", "no-referrer"),
            HTTPField("X-Content-Type-Options", "nosniff"),
            HTTPField("Content-Security-Policy", policy),
            HTTPField("Connection", "close"),
        ]
    }

    private func html(_ content: Content) -> String {
        let text = PageText(content)
        let refresh = content == .finishing ? "\n<meta http-equiv=\"refresh\" content=\"1\">" : ""
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <meta name="color-scheme" content="light dark">\(refresh)
            <title>\(text.title)</title>
            <style>\(Self.style)</style>
            </head>
            <body class="\(text.tone.rawValue)">
            <main role="status" aria-live="polite">
            <div class="mark" aria-hidden="true">\(text.tone.mark)</div>
            <h1>\(text.title)</h1>
            \(text.paragraphs.map { "<p>\($0)</p>" }.joined(separator: "\n"))
            </main>
            </body>
            </html>

            """
    }

    private static let style = """
        :root{color-scheme:light dark;--paper:#f5f6f8;--card:#fff;--ink:#16191f;--soft:#5a6270;--line:#e3e6eb;\
        --good:#14804a;--good-bg:#e3f4ea;--bad:#b3261e;--bad-bg:#fbe9e7;--calm:#3556b8;--calm-bg:#e8edfb}
        @media (prefers-color-scheme:dark){:root{--paper:#101217;--card:#181b22;--ink:#eceef2;--soft:#a2aab8;\
        --line:#2a2f3a;--good:#6fd39d;--good-bg:#163325;--bad:#ff9d94;--bad-bg:#3b1d1b;--calm:#9db4ff;\
        --calm-bg:#1e2743}}
        *{box-sizing:border-box}
        body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:1.5rem;\
        background:var(--paper);color:var(--ink);\
        font:1.0625rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
        main{width:100%;max-width:27rem;padding:2.5rem 2rem;text-align:center;background:var(--card);\
        border:1px solid var(--line);border-radius:1rem;box-shadow:0 1px 2px #0000000a,0 12px 32px #0000000f}
        .mark{width:3.5rem;height:3.5rem;margin:0 auto 1.25rem;display:grid;place-items:center;\
        border-radius:50%;color:var(--calm);background:var(--calm-bg)}
        .good .mark{color:var(--good);background:var(--good-bg)}
        .bad .mark{color:var(--bad);background:var(--bad-bg)}
        svg{width:1.75rem;height:1.75rem;fill:none;stroke:currentColor;stroke-width:2.5;stroke-linecap:round;\
        stroke-linejoin:round}
        h1{margin:0 0 .5rem;font-size:1.375rem;line-height:1.3;font-weight:650;letter-spacing:-.01em;\
        text-wrap:balance}
        p{margin:.5rem 0 0;color:var(--soft);text-wrap:pretty;overflow-wrap:anywhere}
        code{padding:.125rem .4rem;border-radius:.375rem;background:var(--paper);color:var(--ink);\
        font:.9375em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
        @media (max-width:24rem){main{padding:2rem 1.25rem}}
        """
}

/// The words of one page, already escaped.
private struct PageText {
    enum Tone: String {
        case good, bad, calm

        var mark: String {
            switch self {
            case .good: Self.icon("M5 12.5l4.5 4.5L19 7.5")
            case .bad: Self.icon("M7 7l10 10M17 7L7 17")
            case .calm: Self.icon("M12 7v5.5l3.5 2")
            }
        }

        private static func icon(_ path: String) -> String {
            "<svg viewBox=\"0 0 24 24\" focusable=\"false\"><path d=\"\(path)\"/></svg>"
        }
    }

    let tone: Tone
    let title: String
    let paragraphs: [String]

    init(_ content: CallbackPage.Content) {
        switch content {
        case .verdict(.success(let provider)):
            let name = provider.map(Self.escaped) ?? ""
            self.init(
                .good, name.isEmpty ? "You are signed in" : "You are signed in to \(name)", [Self.close])
        case .verdict(.signedOut(let provider)):
            let name = provider.map(Self.escaped) ?? ""
            self.init(
                .good, name.isEmpty ? "You are signed out" : "You are signed out of \(name)", [Self.close])
        case .verdict(.failure(let code)):
            self.init(
                .bad, "Sign-in did not finish",
                [
                    "Error: <code>\(Self.escaped(code))</code>",
                    "The terminal says what to do next.", Self.close,
                ])
        case .finishing:
            self.init(.calm, "Almost done", ["The answer was received; sign-in is still being finished."])
        case .alreadyUsed:
            self.init(
                .calm, "Already received",
                ["This sign-in was received before, and nothing was done twice. \(Self.close)"])
        case .otherAttempt:
            self.init(
                .bad, "Not from this sign-in",
                ["This answer belongs to another attempt. Use the newest link from the terminal."])
        case .otherMethod(let came, let taken):
            self.init(
                .bad, "The answer came in another way",
                [
                    "The provider answered by \(came), and this sign-in takes answers by \(taken) only.",
                    "The terminal says what to do next.",
                ])
        case .notFound: self.init(.calm, "Nothing here", ["Only the sign-in itself uses this address."])
        case .notAllowed:
            self.init(.calm, "Not possible here", ["Only the sign-in itself uses this address."])
        }
    }

    private init(_ tone: Tone, _ title: String, _ paragraphs: [String]) {
        self.tone = tone
        self.title = title
        self.paragraphs = paragraphs
    }

    private static let close = "You can close this tab."

    /// Longer names and codes are cut, so that no text of a peer fills the page.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(100) {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default:
                // Control and format characters could turn the text's direction or hide it.
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: continue
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }
}
