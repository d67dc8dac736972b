import OAuthProtocol
import Testing

@testable import FlowLive

@Suite("A pasted answer")
struct PastedAnswerTests {
    private static let redirect = "http://127.0.0.1:4711/callback"

    private func read(
        _ text: String, redirectURI: String = redirect, dialect: CallbackDialect = CallbackDialect(),
        demand: StateDemand = .always
    ) -> [String]? {
        let expectation = CallbackExpectation(state: "S1", dialect: dialect, demand: demand)
        return switch PastedAnswer.read(text, redirectURI: redirectURI, expectation) {
        case .parameters(let parameters): parameters.map { "\($0.name)=\($0.value)" }
        case .nothing: []
        case .unusable: nil
        }
    }

    private func problem(_ text: String) -> String? {
        let expectation = CallbackExpectation(state: "S1", dialect: CallbackDialect(), demand: .always)
        return switch PastedAnswer.read(text, redirectURI: Self.redirect, expectation) {
        case .unusable(let words): words
        case .nothing, .parameters: nil
        }
    }

    @Test(
        "the whole address, the address without its scheme, and the part behind the question mark are the same answer",
        arguments: [
            "http://127.0.0.1:4711/callback?code=a%2Fb&state=S1",
            "127.0.0.1:4711/callback?code=a%2Fb&state=S1", "?code=a%2Fb&state=S1", "code=a%2Fb&state=S1",
            "  \"http://127.0.0.1:4711/callback?code=a%2Fb&state=S1\"\r",
            "<http://127.0.0.1:4711/callback?code=a%2Fb&state=S1#_=_>",
            "\u{1B}[200~http://127.0.0.1:4711/callback?code=a%2Fb&state=S1\u{1B}[201~",
            "HTTP://127.0.0.1:4711/callback?code=a%2Fb&state=S1",
        ])
    func forms(_ text: String) {
        #expect(read(text) == ["code=a/b", "state=S1"])
    }

    @Test("a redirect with parameters of its own is known by what is before them")
    func ownParameters() {
        let uri = "https://app.example/back?app=1"
        #expect(
            read("https://app.example/back?app=1&code=a&state=S1", redirectURI: uri)
                == ["app=1", "code=a", "state=S1"])
        #expect(read("https://app.example/other?app=1&code=a&state=S1", redirectURI: uri) == nil)
    }

    @Test("an error is an answer too")
    func error() {
        #expect(read("error=access_denied&state=S1") == ["error=access_denied", "state=S1"])
    }

    @Test("a redirect to a scheme of an app is compared as it is written")
    func privateScheme() {
        let uri = "com.example.app:/oauth"
        #expect(read("com.example.app:/oauth?code=a&state=S1", redirectURI: uri) == ["code=a", "state=S1"])
        #expect(read("com.example.other:/oauth?code=a&state=S1", redirectURI: uri) == nil)
    }

    @Test(
        "an address of something else is no answer, whatever it bears",
        arguments: [
            "https://op.example/authorize?client_id=c&state=S1&code=x",
            "http://127.0.0.1:4711/other?code=a&state=S1",
            "http://127.0.0.1:4712/callback?code=a&state=S1",
            "https://127.0.0.1:4711/callback?code=a&state=S1",
            "http://127.0.0.1.evil.example:4711/callback?code=a&state=S1",
        ])
    func otherAddress(_ text: String) {
        #expect(
            problem(text)
                == "the pasted address is not the one of the redirect, which begins with http://127.0.0.1:4711/callback"
        )
    }

    @Test(
        "a code alone is refused with words",
        arguments: ["4/0AbCd", "abc==", "http://127.0.0.1:4711/callback", "yes"])
    func bareCode(_ text: String) {
        #expect(
            problem(text)
                == "the pasted text has no code and no state: paste the whole address that the browser ended at"
        )
    }

    @Test("a code alone is the answer of a provider that knows no state")
    func withoutState() {
        #expect(read("4/0AbCd", demand: .never) == ["code=4/0AbCd"])
        #expect(read("code=4%2F0", demand: .never) == ["code=4/0"])
        #expect(read(Self.redirect, demand: .never) == nil)
        #expect(read("a=b&c=d", demand: .never) == nil)
    }

    @Test("a provider's own names are read as the listener reads them")
    func dialect() {
        var dialect = CallbackDialect()
        dialect.rename = ["auth_code": "code"]
        #expect(read("auth_code=a&state=S1", dialect: dialect) == ["auth_code=a", "state=S1"])
    }

    @Test("an empty line is nothing", arguments: ["", "  ", "\r"])
    func nothing(_ text: String) {
        #expect(read(text) == [])
    }

    @Test("a text with a broken escape, or in no UTF-8, is read as far as it can be, as at the listener")
    func broken() {
        #expect(read("code=%zz&state=S1") == ["code=%zz", "state=S1"])
        #expect(
            read("error=invalid_scope&error_description=caf%E9+au+lait&state=S1")
                == ["error=invalid_scope", "error_description=caf\u{FFFD} au lait", "state=S1"])
    }
}

@Suite("The ways of an answer")
struct AnswerSourceTests {
    private let inbox = CallbackInbox()
    private let ignored = Collected<String>()

    private func pasting(_ isWelcome: Bool = true) -> (PastedAnswers, AsyncStream<Secret>.Continuation) {
        inbox.expect(state: "S1")
        let (lines, continuation) = AsyncStream.makeStream(of: Secret.self)
        let ignored = ignored
        let answers = PastedAnswers(
            lines, redirectURI: "http://127.0.0.1:4711/callback", inbox: inbox, isWelcome: isWelcome,
            ignored: { ignored.append($0) })
        return (answers, continuation)
    }

    private func paste(_ text: String, _ continuation: AsyncStream<Secret>.Continuation) {
        continuation.yield(Secret(text, kind: .code))
    }

    private func channel() async -> String? {
        guard case .answer(let answer) = await inbox.next(deadline: WallClock.now() + 600_000) else {
            return nil
        }
        return answer.channel
    }

    @Test(
        "who watches for the answer hears of it once, also who comes after it, and of nothing that is refused"
    )
    func watched() {
        inbox.expect(state: "S1")
        let heard = Collected<String>()
        inbox.whenArrived { heard.append("early") }
        _ = inbox.offer([("code", "a"), ("state", "S2")], through: "loopback")
        #expect(heard.all.isEmpty)
        for code in ["b", "c"] { _ = inbox.offer([("code", code), ("state", "S1")], through: "loopback") }
        inbox.whenArrived { heard.append("late") }
        #expect(heard.all == ["early", "late"])
    }

    @Test("what is pasted counts once it bears the state, and each text before is refused in words")
    func pasted() async {
        let (answers, lines) = pasting()
        for text in ["code=a&state=S2", "code=a", "hello", "", "code=b&state=S1"] { paste(text, lines) }
        #expect(await channel() == "paste")
        await answers.close(nil)
        #expect(
            ignored.all == [
                "the pasted address belongs to another attempt",
                "the pasted text has no state: paste the whole address that the browser ended at",
                "the pasted text has no code and no state: paste the whole address that the browser ended at",
            ])
        #expect(inbox.refused == 3)
    }

    @Test("a flow that takes no pasted answers says so")
    func unwelcome() async {
        let (answers, lines) = pasting(false)
        paste("code=b&state=S1", lines)
        lines.finish()
        await ignored.wait(for: 1)
        await answers.close(nil)
        #expect(ignored.all == ["this flow takes no pasted answers"])
        #expect(inbox.answer == nil)
    }

    @Test("of several right answers the first counts, and the others change nothing [rule 63]")
    func first() async {
        inbox.expect(state: "S1")
        #expect(inbox.offer([("code", "a"), ("state", "S1")], through: "loopback") == nil)
        #expect(inbox.offer([("code", "b"), ("state", "S1")], through: "paste") == .alreadyUsed)
        inbox.giveUp()
        #expect(await channel() == "loopback")
        #expect(inbox.refused == 0)
    }

    @Test("an answer before anything is expected is refused")
    func early() {
        #expect(inbox.offer([("code", "a"), ("state", "")], through: "paste") == .notExpected)
    }

    @Test("a browser that comes after a pasted answer is told that it was received")
    func late() async throws {
        inbox.expect(state: "S1")
        let listener = try LoopbackListener.open(inbox: inbox)
        #expect(inbox.offer([("code", "a"), ("state", "S1")], through: "paste") == nil)
        let answer = Answer(
            await rawExchange(
                listener.port,
                "GET /callback?code=a&state=S1 HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r\nConnection: close\r\n\r\n"
            ))
        #expect(answer.status == 409)
        // Nobody waits for a page that no browser asks for.
        await listener.close(.success(provider: nil))
    }

    @Test("giving up ends the wait")
    func givenUp() async {
        inbox.expect(state: "S1")
        inbox.giveUp()
        let isOver =
            switch await inbox.next(deadline: .max) {
            case .givenUp: true
            case .answer, .timeout, .cancelled: false
            }
        #expect(isOver)
    }
}
