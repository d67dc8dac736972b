import FlowEngine
import FlowLanguage
import FlowSandbox
import Glibc
import JOSE
import OAuthProtocol
import Synchronization
import Testing
import YAMLText

@testable import FlowLive

/// A browser of a program: it follows the redirects of a page, and brings the last address back where that is its own.
final class ProgramBrowser: BrowserPresenter {
    enum Manner: Sendable {
        /// The answer comes to the loopback listener.
        case loopback
        /// The answer comes back with the page.
        case returning
        /// Something else comes back with the page.
        case straying(to: String)
        /// There is nowhere to show a page.
        case blind
        /// The person closes the page.
        case closing
        /// The person does nothing.
        case idle
    }

    let redirectURI: String?
    private let manner: Manner
    private let transport: CurlTransport
    private let counts = Mutex((presented: 0, dismissed: 0))

    init(_ manner: Manner, redirectURI: String? = nil) throws {
        self.manner = manner
        self.redirectURI = redirectURI
        transport = CurlTransport(loop: try CurlLoop())
    }

    deinit { transport.loop.shutDown() }

    var presented: Int { counts.withLock(\.presented) }
    var dismissed: Int { counts.withLock(\.dismissed) }

    /// Waits until a page was shown.
    func isShown() async { while presented == 0 { await Task.yield() } }

    func present(_ page: BrowserPage) async -> BrowserPresentation {
        counts.withLock { $0.presented += 1 }
        switch manner {
        case .loopback:
            Task { await self.follow(page.url, until: nil) }
            return .shown(by: "test")
        case .returning:
            return .session {
                let end = await self.follow(page.url, until: page.redirectURI)
                return end.map { .callback(Secret($0, kind: .code)) } ?? .closed
            }
        case .straying(let end): return .session { .callback(Secret(end, kind: .code)) }
        case .blind: return .unavailable(reason: "no window")
        case .closing: return .session { .closed }
        case .idle:
            return .session {
                // Until the task is cancelled.
                try? await Task.sleep(for: .seconds(3600))
                return .closed
            }
        }
    }

    func dismiss() async { counts.withLock { $0.dismissed += 1 } }

    /// The first address that begins so; the whole way is gone where that is nothing.
    @discardableResult
    private func follow(_ start: String, until end: String?) async -> String? {
        var url = start
        for _ in 0..<10 {
            guard
                case .success(let answer) = await transport.send(
                    HTTPRequest(method: .get, url: url, fields: [])),
                let next = answer.field("Location")
            else { return nil }
            if let end, next.hasPrefix(end) { return next }
            let origin = url.split(separator: "/", omittingEmptySubsequences: false).prefix(3)
            url = next.hasPrefix("/") ? origin.joined(separator: "/") + next : next
        }
        return nil
    }
}
