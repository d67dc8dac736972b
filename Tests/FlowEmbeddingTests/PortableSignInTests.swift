import FlowEngine
import FlowFiles
import FlowLanguage
import FlowTesting
import Foundation
import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLive

/// Routes of several instances of a web server, each with a runner of its own.
@Suite("Signing in visitors at any instance of a web server")
struct PortableSignInTests {
    private static let keys = [Secret("the-key-of-all-instances-0123456789", kind: .other)]

    private let folder = FileManager.default.temporaryDirectory.path + "/flowtickets-\(UUID())"
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
    }

    private func instance(
        _ flow: SourceFile? = nil, keys: [Secret] = Self.keys, store: String = "store", issuer: String? = nil,
        client: String = Sandbox.clientID, redirectURI: String = "http://127.0.0.1:9/callback"
    ) throws -> PortableSignIn {
        let library = FlowLibrary.shipped
        let runner = try FlowRunner(
            flow: flow ?? library.flow("login"), provider: library.provider("sandbox"),
            client: ClientRegistration(clientID: client),
            variables: ["issuer": issuer ?? sandbox.issuer],
            configuration: LiveConfiguration(
                storeDirectory: "\(folder)/\(store)", stateDirectory: folder + "/state"))
        return try PortableSignIn(runner, redirectURI: redirectURI, keys: keys)
    }

    private func sent(_ turn: PortableSignIn.Turn) throws -> (url: String, ticket: SignInTicket) {
        guard case .redirect(let url, let ticket) = turn else { throw TestFailure("\(turn)") }
        return (url, ticket)
    }

    private func ended(_ turn: PortableSignIn.Turn) throws -> FlowResult {
        guard case .ended(let result) = turn else { throw TestFailure("the browser is sent on") }
        return result
    }

    @Test("what one instance began another one ends, and each knows the session")
    func anyInstance() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (url, ticket) = try sent(await instance().begin(profile: "ada"))
        #expect(url.hasPrefix(sandbox.issuer + "/authorize?"))
        let now = WallClock.now()
        #expect(ticket.expiresAt > now && ticket.expiresAt <= now + 15 * 60_000)
        let landing = try await VisitorBrowser.followed(url)
        let result = try ended(await instance().answer(with: landing, to: ticket.text))
        #expect(result.tokens?.subject == "sandbox-user-1")
        #expect(try ended(await instance().begin(profile: "ada")).tokens?.subject == "sandbox-user-1")
        _ = try sent(await instance().begin(profile: "bob"))
        sandbox.stop()
    }

    @Test("while the visitor is away nothing is kept but the ticket, which shows nothing")
    func nothingKept() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (url, ticket) = try sent(await instance().begin(profile: "ada"))
        let store = try SQLiteSessionStore(directory: folder + "/store")
        #expect(try await store.runs().isEmpty)
        #expect(try await store.contents().isEmpty)
        let state = try #require(URLComponents(string: url)?.queryItems?.first { $0.name == "state" }?.value)
        let opened = Base64URL.decode(ticket.text).map { String(decoding: $0, as: UTF8.self) }
        for text in [ticket.text, try #require(opened), "\(ticket)", String(reflecting: ticket)] {
            #expect(!text.contains(state) && !text.contains("code_verifier") && !text.contains("records"))
        }
        sandbox.stop()
    }

    @Test("a ticket is for the answer of its own sign-in, and one that nobody sealed is refused")
    func wrong() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let instance = try instance()
        let (url, ticket) = try sent(await instance.begin(profile: "ada"))
        let (_, other) = try sent(await instance.begin(profile: "eve"))
        let landing = try await VisitorBrowser.followed(url)
        let mixed = try ended(await instance.answer(with: landing, to: other.text))
        #expect(mixed.failure?.code == "state_mismatch")
        var cut = ticket.text
        cut.removeLast(8)
        for text in ["", "x", cut, ticket.text.replacing("A", with: "B", maxReplacements: 1) + "AAAA"] {
            await #expect { try await instance.answer(with: landing, to: text) } throws: {
                ($0 as? SignInFailure)?.code == "ticket_invalid"
            }
        }
        #expect(try ended(await instance.answer(with: landing, to: ticket.text)).isSuccess)
        // The provider does not take the code again, and the flow has the visitor sign in anew.
        let (again, _) = try sent(await instance.answer(with: landing, to: ticket.text))
        #expect(again != url)
        sandbox.stop()
    }

    @Test("an old key opens what it has sealed, and a new one seals")
    func keys() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let new = Secret("the-next-key-of-all-instances-01234", kind: .other)
        let (url, ticket) = try sent(await instance().begin(profile: "ada"))
        let landing = try await VisitorBrowser.followed(url)
        await #expect(throws: SignInFailure.self) {
            try await instance(keys: [new]).answer(with: landing, to: ticket.text)
        }
        let both = try instance(keys: [new] + Self.keys)
        let (_, newer) = try sent(await both.begin(profile: "bob"))
        await #expect(throws: SignInFailure.self) {
            try await instance().answer(with: landing, to: newer.text)
        }
        #expect(try ended(await both.answer(with: landing, to: ticket.text)).isSuccess)
        for keys in [[], [Secret("short", kind: .other)]] {
            #expect { try instance(keys: keys) } throws: {
                let failure = $0 as? SignInFailure
                return failure?.code == "setup_failed"
                    && failure?.text.headline == "no ticket can be sealed with these keys"
            }
        }
        sandbox.stop()
    }

    @Test(
        "a redirect URI that nobody can come back to is refused before a visitor comes",
        arguments: ["", "no address", "http://app.example/callback", "https://app.example/callback#x"])
    func redirectURIs(uri: String) throws {
        let failure = try #require(throws: SignInFailure.self) { try instance(redirectURI: uri) }
        #expect(failure.code == "setup_failed")
        #expect(failure.failureClass == .configuration)
        #expect(failure.text.headline == "no sign-in can come back to that redirect URI")
        #expect(failure.detail?.hasPrefix("it ") == true)
        sandbox.stop()
    }

    @Test("a ticket of another flow or client is refused, and good where it belongs")
    func otherFlow() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (url, ticket) = try sent(await instance().begin(profile: "ada"))
        let flow = try FlowLibrary.shipped.flow("login")
        let changed = SourceFile(
            path: flow.path, text: flow.text.replacing("transitions: 60", with: "transitions: 50"))
        let landing = try await VisitorBrowser.followed(url)
        for (other, detail) in [
            (try instance(changed), "the run was begun with another flow than this one"),
            (
                try instance(client: "other"),
                "the run was begun by flowrun-sandbox at \(sandbox.issuer), and now it would be other at \(sandbox.issuer)"
            ),
        ] {
            await #expect { try await other.answer(with: landing, to: ticket.text) } throws: {
                let failure = $0 as? SignInFailure
                return failure?.code == "ticket_invalid" && failure?.failureClass == .session
                    && failure?.detail == detail
            }
        }
        #expect(try ended(await instance().answer(with: landing, to: ticket.text)).isSuccess)
        sandbox.stop()
    }

    @Test(
        "a run that has used up a stored session before it waits goes on with and without that store",
        arguments: ["store", "elsewhere"])
    func spent(store: String) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let worn = try Sandbox(faults: ["access:expires=30", "token:invalid_grant@2"])
        let first = try sent(await instance(issuer: worn.issuer).begin(profile: "ada"))
        let signedIn = try await instance(issuer: worn.issuer)
            .answer(with: try await VisitorBrowser.followed(first.url), to: first.ticket.text)
        #expect(try ended(signedIn).isSuccess)
        // The token is too short-lived for the flow, and the refresh is refused.
        let second = try sent(await instance(issuer: worn.issuer).begin(profile: "ada"))
        let other = try instance(store: store, issuer: worn.issuer)
        let result = try ended(
            await other.answer(with: try await VisitorBrowser.followed(second.url), to: second.ticket.text))
        #expect(result.tokens?.subject == "sandbox-user-1")
        let database = try SQLiteSessionStore(directory: "\(folder)/\(store)")
        #expect(try await database.contents().count == 1)
        #expect(try await database.runs().allSatisfy { $0.standing == "ended" })
        worn.stop()
        sandbox.stop()
    }

    @Test("a trace of failures tells nothing of a run that waits, and all of one that fails later")
    func traces() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let instance = try instance()
        let first = EventRecorder()
        let (url, ticket) = try sent(
            await instance.begin(profile: "ada", sinks: [first], tracing: .failure))
        #expect(first.events.isEmpty)
        let second = EventRecorder()
        let landing = try await VisitorBrowser.followed(url).replacing("state=", with: "state=x")
        let result = try ended(
            await instance.answer(with: landing, to: ticket.text, sinks: [second], tracing: .failure))
        #expect(!result.isSuccess)
        #expect(second.events.path.starts(with: ["restore"]))
        #expect(second.events.path.last == "callback")
        sandbox.stop()
    }
}
