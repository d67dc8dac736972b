import OAuthProtocol
import Synchronization
import Testing

@testable import FlowEngine
@testable import FlowLive

/// Where the answer of a browser may come back, and who is shown the address that leads there.
@Suite("RedirectDesk")
struct RedirectDeskTests {
    private let directory = TemporaryDirectory()
    private let state = Secret("S1", kind: .state)

    private final class Notices: EffectEvents {
        private let kept = Mutex<[String]>([])
        var all: [String] { kept.withLock { $0 } }

        func report(_ notice: EffectNotice) {
            let words =
                switch notice {
                case .actionRequired(let notice): "sign in: \(notice.url)"
                case .logoutRequired(let notice): "sign out: \(notice.url)"
                case .callbackIgnored(let reason): "ignored: \(reason)"
                case .waiting(let what, _): "waiting: \(what)"
                case .warning(let words): "warning: \(words)"
                default: "\(notice)"
                }
            kept.withLock { $0.append(words) }
        }
    }

    private func effects(_ change: (inout LiveConfiguration) -> Void = { _ in }) throws -> LiveEffects {
        var configuration = LiveConfiguration(
            storeDirectory: directory.path + "/store", stateDirectory: directory.path + "/state",
            opensBrowser: false)
        change(&configuration)
        return try LiveEffects(configuration)
    }

    private func plan(
        _ fixed: String? = nil, host: String = "127.0.0.1", isAgain: Bool = false
    ) -> RedirectPlan {
        RedirectPlan(
            host: host, ports: nil, path: "/cb", fixed: fixed, providerName: "P", isAgain: isAgain)
    }

    private func presentation(
        _ means: Presentation.Means = .browser, errand: BrowserErrand = .signIn, isPresented: Bool = false,
        isTold: Bool = false
    ) -> Presentation {
        let url = "https://p.example/a"
        return Presentation(
            url: url, means: means, state: errand == .signIn ? state : nil, expiresAt: .max,
            plan: RequestPlan(method: .get, endpoint: url), errand: errand, isPresented: isPresented,
            isTold: isTold)
    }

    private func words(_ event: InputEvent) -> String {
        switch event {
        case .redirectOpened(let uri): "opened \(uri)"
        case .redirectFailed(let reason): "failed: \(reason)"
        case .presented(let how): "shown: \(how)"
        case .headless(let reason): "headless: \(reason)"
        case .callback(let parameters, let channel):
            "\(channel): " + parameters.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        case .callbackTimedOut(let refused): "timed out after \(refused)"
        case .callbackCancelled: "given up"
        case .suspended: "suspended"
        default: "\(event)"
        }
    }

    private static let cannotListen =
        "failed: only http redirect URIs on the loopback address can be listened on, not "

    @Test(
        "a redirect that cannot be listened on needs another way for its answer",
        arguments: ["https://app.example/cb", "https://127.0.0.1:4711/cb", "http://app.example:80/cb"])
    func notListenedTo(_ uri: String) async throws {
        let lines: @Sendable () -> AsyncStream<Secret> = { AsyncStream { $0.finish() } }
        for (isOpened, change) in [
            (false, { _ in }), (true, { $0.pastedLines = lines }), (false, { $0.suspendsRuns = true }),
            (false, { $0.isInteractive = false }), (false, { $0.answer = state }),
            (true, { ($0.isInteractive, $0.suspendsRuns) = (false, true) }),
        ] as [(Bool, (inout LiveConfiguration) -> Void)] {
            let effects = try effects(change)
            let event = await effects.openRedirect(plan(uri), Notices())
            #expect(words(event) == (isOpened ? "opened \(uri)" : Self.cannotListen + uri))
            await effects.shutDown()
        }
    }

    @Test("a scheme of an app brings its answer itself, and an answer that is here needs no listener")
    func otherWays() async throws {
        let interactive = try effects()
        let app = "com.example.app:/cb"
        #expect(words(await interactive.openRedirect(plan(app), Notices())) == "opened \(app)")
        #expect(words(await interactive.openRedirect(plan(":/cb"), Notices())) == Self.cannotListen + ":/cb")
        await interactive.shutDown()
        let answered = try effects { $0.answer = state }
        for uri in ["https://app.example/cb", "http://127.0.0.1:1/cb"] {
            let event = await answered.openRedirect(plan(uri, isAgain: true), Notices())
            #expect(words(event) == "opened \(uri)")
            #expect(answered.redirect.current?.port == nil)
        }
        await answered.shutDown()
    }

    @Test("a listener has the name that the provider wants, and a run that goes on the same port again")
    func listener() async throws {
        let effects = try effects()
        for host in ["127.0.0.1", "localhost"] {
            _ = await effects.openRedirect(plan(host: host), Notices())
            let opening = try #require(effects.redirect.current)
            let port = try #require(opening.port)
            #expect(opening.redirectURI == "http://\(host):\(port)/cb")
        }
        await effects.shutDown()
    }

    @Test("a port that somebody has is told; a browser that is on its way there has its address pasted")
    func takenPort() async throws {
        let other = try HTTPServer(port: 0) { _, reply in reply.abort() }
        let uri = "http://127.0.0.1:\(other.port)/cb"
        let taken = "port \(other.port) of the loopback address is in use by another program"
        let effects = try effects()
        let notices = Notices()
        #expect(
            words(await effects.openRedirect(plan(uri), notices))
                == "failed: the callback listener cannot start: \(taken)")
        #expect(notices.all == [])
        #expect(words(await effects.openRedirect(plan(uri, isAgain: true), notices)) == "opened \(uri)")
        #expect(notices.all == ["warning: \(taken): the browser cannot come back, its address can be pasted"])
        await effects.shutDown()
        other.stop()
    }

    @Test("an address is shown where somebody sees it, and nowhere else")
    func shown() async throws {
        let unheard =
            "headless: no browser opens here (the program does not want a browser opened), and nothing "
            + "else shows the address to anybody"
        let nobody = "headless: a person must sign in, and nobody can be asked"
        let lines: @Sendable () -> AsyncStream<Secret> = { AsyncStream { $0.finish() } }
        let seen = "sign in: https://p.example/a"
        for (change, presentation, event, notices) in [
            ({ _ in }, presentation(), "shown: terminal", [seen]),
            ({ _ in }, presentation(.emit), "shown: terminal", [seen]),
            ({ _ in }, presentation(.none), "shown: terminal", []),
            ({ _ in }, presentation(isPresented: true), "shown: a hook", []),
            ({ $0.answer = state }, presentation(), "shown: the messages", []),
            ({ $0.isHeard = false }, presentation(), unheard, []),
            ({ $0.isHeard = false }, presentation(.none), "shown: terminal", []),
            ({ $0.isHeard = false }, presentation(isTold: true), "shown: terminal", [seen]),
            ({ ($0.isHeard, $0.pastedLines) = (false, lines) }, presentation(), "shown: terminal", [seen]),
            ({ $0.isInteractive = false }, presentation(), nobody, []),
            (
                { ($0.isInteractive, $0.suspendsRuns) = (false, true) }, presentation(),
                "shown: the messages", [seen]
            ),
            (
                { ($0.isInteractive, $0.suspendsRuns) = (false, true) }, presentation(errand: .logout),
                nobody, []
            ),
            ({ _ in }, presentation(errand: .logout), "shown: terminal", ["sign out: https://p.example/a"]),
        ] as [((inout LiveConfiguration) -> Void, Presentation, String, [String])] {
            let effects = try effects(change)
            let told = Notices()
            _ = await effects.openRedirect(plan(), told)
            #expect(words(await effects.present(presentation, until: .max, told)) == event)
            #expect(told.all == notices, "\(event)")
            await effects.shutDown()
        }
    }

    @Test("what comes to the listener and is no answer is told where it claims to be one")
    func ignored() async throws {
        let effects = try effects()
        let notices = Notices()
        _ = await effects.openRedirect(plan(), notices)
        _ = await effects.present(presentation(.none), until: .max, notices)
        let port = try #require(effects.redirect.current?.port)
        for target in ["/cb?code=a&state=S2", "/favicon.ico", "/cb?code=a&state=S1"] {
            _ = await rawExchange(
                port, "GET \(target) HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n\r\n")
        }
        let wait = CallbackWait(state: state, until: .max, redirectURI: "")
        #expect(words(await effects.awaitCallback(wait, notices)) == "loopback: code=a state=S1")
        #expect(
            notices.all == [
                "ignored: a callback for another attempt arrived", "waiting: your answer in the browser",
            ])
        await effects.shutDown()
    }

    @Test(
        "an answer that is brought counts once it is the right one, and a run is put aside with any other",
        arguments: [
            ("http://127.0.0.1/cb?code=a&state=S1", nil),
            ("http://127.0.0.1/cb?code=a&state=S2", "the address belongs to another attempt"),
            ("http://127.0.0.1/cb?code=a", "the address has no state"),
            ("code=a&state=S1&state=S1", "the address has several states"), (" ", "the address is empty"),
        ])
    func brought(address: String, refusal: String?) async throws {
        let effects = try effects { $0.answer = Secret(address, kind: .other) }
        let notices = Notices()
        _ = await effects.openRedirect(plan("http://127.0.0.1/cb", isAgain: true), notices)
        _ = await effects.present(presentation(), until: .max, notices)
        let wait = CallbackWait(state: state, until: .max, redirectURI: "")
        let event = words(await effects.awaitCallback(wait, notices))
        #expect(event == (refusal == nil ? "resume: code=a state=S1" : "suspended"))
        #expect(notices.all.first { $0.hasPrefix("ignored") } == refusal.map { "ignored: \($0)" })
        await effects.shutDown()
    }

    @Test(
        "what a person pastes is read once, where the flow takes it",
        arguments: [[], ["paste"], ["loopback"]])
    func pasted(channels: [String]) async throws {
        let asked = Collected<Int>()
        let effects = try effects {
            $0.wait = channels == ["loopback"] ? 0 : nil
            $0.pastedLines = {
                asked.append(1)
                return AsyncStream { $0.yield(Secret("code=a&state=S1", kind: .other)) }
            }
        }
        let notices = Notices()
        _ = await effects.openRedirect(plan(), notices)
        _ = await effects.present(presentation(.none), until: .max, notices)
        let wait = CallbackWait(state: state, until: .max, redirectURI: "", channels: channels)
        for _ in 0..<2 {
            #expect(
                words(await effects.awaitCallback(wait, notices))
                    == (channels == ["loopback"] ? "timed out after 0" : "paste: code=a state=S1"))
        }
        #expect(asked.all.count == 1)
        await effects.shutDown()
    }
}
