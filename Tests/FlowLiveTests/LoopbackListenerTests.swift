import OAuthProtocol
import Testing

@testable import FlowLive

@Suite("LoopbackListener")
struct LoopbackListenerTests {
    private let ignored = Collected<IgnoredRequest.Reason>()

    private func open(_ method: CallbackMethod = .query, hold: Int = 10_000) throws -> LoopbackListener {
        let ignored = ignored
        let listener = try LoopbackListener.open(nil, "/callback", method, .address, holdMilliseconds: hold) {
            ignored.append($0.reason)
        }
        listener.inbox.expect(state: "S1")
        return listener
    }

    private func request(
        _ listener: LoopbackListener, _ line: String, _ fields: String = "", host: String? = nil,
        body: String = ""
    ) async -> Answer {
        Answer(
            await rawExchange(
                listener.port,
                "\(line) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(listener.port)")\r\n\(fields)Connection: close\r\n\r\n\(body)"
            ))
    }

    private func accepted(_ listener: LoopbackListener) async -> [[String]]? {
        switch await listener.inbox.next(deadline: WallClock.now() + 600_000) {
        case .answer(let answer): answer.parameters.map { [$0.name, $0.value] }
        case .givenUp, .timeout, .cancelled: nil
        }
    }

    /// Nothing has been accepted.
    private func isWaiting(_ listener: LoopbackListener) async -> Bool {
        switch await listener.inbox.next(deadline: 0) {
        case .timeout: true
        case .answer, .givenUp, .cancelled: false
        }
    }

    @Test("the redirect URI is the address, the port and the path; localhost on demand [rule 34]")
    func redirectURI() throws {
        let listener = try LoopbackListener.open(path: "/cb")
        #expect(listener.redirectURI == "http://127.0.0.1:\(listener.port)/cb")
        let named = try LoopbackListener.open(host: .localhost)
        #expect(named.redirectURI == "http://localhost:\(named.port)/callback")
    }

    @Test(
        "browsers leave out the scheme's own port, and only that [rule 54]",
        arguments: [
            (80, "localhost", 303), (80, "127.0.0.1:80", 303), (80, "evil.example", 400),
            (80, "evil.example:80", 400), (81, "localhost", 400),
        ])
    func ownPort(port: UInt16, host: String, status: Int) async throws {
        let inbox = CallbackInbox()
        inbox.expect(state: "S1")
        let desk = CallbackDesk(
            inbox: inbox, path: "/callback", method: .query, donePath: "/done", holdMilliseconds: 10_000,
            observer: { _ in })
        let server = try HTTPServer(port: 0, refused: { desk.miss($0) }) { desk.receive($0, $1) }
        desk.serve(port: port)
        let answer = Answer(
            await rawExchange(
                server.port,
                "GET /callback?code=a&state=S1 HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"))
        #expect(answer.status == status)
        desk.abandon()
        server.stop()
    }

    @Test("the response with the right state is given, decoded, in order and with its duplicates")
    func response() async throws {
        let listener = try open()
        let answer = await request(listener, "GET /callback?code=a%2Bb+c&state=S1&x=1&x=2")
        #expect(answer.status == 303)
        #expect(answer.field("Location")?.hasPrefix("/done/") == true)
        #expect(await accepted(listener) == [["code", "a+b c"], ["state", "S1"], ["x", "1"], ["x", "2"]])
        #expect(listener.inbox.refused == 0)
        #expect(ignored.all.isEmpty)
    }

    @Test(
        "a callback without exactly the expected state is refused and the waiting goes on [rule 56]",
        arguments: [
            ("code=a&state=S2", IgnoredRequest.Reason.wrongState), ("code=a&state=s1", .wrongState),
            ("error=access_denied&state=S2", .wrongState), ("code=a", .missingState),
            ("error=", .missingState),
            ("error=x", .errorWithoutState), ("error=x&state=", .errorWithoutState),
            ("code=a&state=", .missingState), ("code=a&state=S1&state=S1", .repeatedState),
            ("code=a&state=S1&state=S2", .repeatedState), ("code=a&state=S1%zz", .wrongState),
            ("code=a&state=%ff", .wrongState),
            // {"alg":"RS256"} and {"state":"S1"}, then {"state":"S2"}.
            ("response=eyJhbGciOiJSUzI1NiJ9.eyJzdGF0ZSI6IlMxIn0.AA", .secured),
            ("response=eyJhbGciOiJSUzI1NiJ9.eyJzdGF0ZSI6IlMyIn0.AA", .missingState),
        ])
    func wrongState(_ query: String, _ reason: IgnoredRequest.Reason) async throws {
        let listener = try open()
        let answer = await request(listener, "GET /callback?\(query)")
        #expect(answer.status == 400)
        #expect(ignored.all == [reason])
        #expect(listener.inbox.refused == 1)
        #expect(await isWaiting(listener))
        #expect(await request(listener, "GET /callback?code=b&state=S1").status == 303)
        #expect(await accepted(listener) == [["code", "b"], ["state", "S1"]])
    }

    @Test(
        "a state is asked for where the provider sends one, and one that comes is looked at everywhere",
        arguments: [
            (
                StateDemand.always, "error=x",
                IgnoredRequest.Reason.errorWithoutState as IgnoredRequest.Reason?
            ),
            (.unlessError, "error=x", nil), (.unlessError, "code=a", .missingState),
            (.unlessError, "error=x&state=S2", .wrongState), (.never, "code=a", nil),
            (.never, "code=a&state=S2", .wrongState), (.never, "code=a&state=S1", nil),
        ])
    func demand(demand: StateDemand, query: String, reason: IgnoredRequest.Reason?) {
        let inbox = CallbackInbox()
        inbox.expect(state: "S1", demand: demand)
        #expect(inbox.offer(QueryItems.received(query), through: "loopback") == reason)
        #expect((inbox.answer == nil) == (reason != nil))
        #expect(inbox.refused == (reason == nil ? 0 : 1))
    }

    @Test("an error with the right state is a response")
    func errorResponse() async throws {
        let listener = try open()
        _ = await request(listener, "GET /callback?error=access_denied&state=S1")
        #expect(await accepted(listener) == [["error", "access_denied"], ["state", "S1"]])
    }

    @Test("a text that is no UTF-8 does not hide the state beside it")
    func otherEncoding() async throws {
        let listener = try open()
        _ = await request(listener, "GET /callback?error=access_denied&error_description=d%E9ni%zz&state=S1")
        #expect(
            await accepted(listener) == [
                ["error", "access_denied"], ["error_description", "d\u{FFFD}ni%zz"], ["state", "S1"],
            ])
    }

    @Test("before a state is expected every callback is refused")
    func notExpected() async throws {
        let ignored = ignored
        let listener = try LoopbackListener.open { ignored.append($0.reason) }
        #expect(await request(listener, "GET /callback?code=a&state=S1").status == 400)
        #expect(ignored.all == [.notExpected])
    }

    @Test(
        "another path is not found and the waiting goes on [rule 52]",
        arguments: [
            "/favicon.ico", "/", "/callback/", "/callback%2F", "/Callback", "/callback/../callback",
            "//callback",
            "/done/x",
        ])
    func otherPath(_ path: String) async throws {
        let listener = try open()
        #expect(await request(listener, "GET \(path)?code=a&state=S1").status == 404)
        #expect(ignored.all == [.wrongPath])
        #expect(await isWaiting(listener))
    }

    @Test(
        "only GET consumes a response [rules 53, 70]",
        arguments: ["HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH", "XYZ"])
    func otherMethod(_ method: String) async throws {
        let listener = try open()
        let answer = await request(listener, "\(method) /callback?code=a&state=S1")
        #expect(answer.status == 405)
        #expect(answer.field("Allow") == "GET")
        #expect(!answer.text.lowercased().contains("access-control-"))
        #expect(ignored.all == [.wrongMethod])
        #expect(await isWaiting(listener))
    }

    @Test(
        "a prefetch consumes nothing, and is nobody's answer in another way than the one asked for",
        arguments: [
            "Sec-Purpose: prefetch;prerender", "Purpose: prefetch", "Sec-Purpose: Prerender",
            "X-Moz: prefetch", "X-Purpose: preview",
        ])
    func prefetch(_ field: String) async throws {
        let listener = try open()
        #expect(await request(listener, "GET /callback?code=a&state=S1", "\(field)\r\n").status == 204)
        #expect(ignored.all == [.prefetch])
        #expect(await isWaiting(listener))
        let form = try open(.formPost)
        let answer = await request(form, "GET /callback?code=a&state=S1", "\(field)\r\n")
        #expect(answer.status == 405 && !answer.text.contains("by POST"))
        #expect(ignored.all == [.prefetch, .wrongMethod])
    }

    @Test(
        "another name in Host is refused [rule 54]",
        arguments: ["evil.example", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example"])
    func rebinding(_ host: String) async throws {
        let listener = try open()
        #expect(await request(listener, "GET /callback?code=a&state=S1", host: host).status == 400)
        #expect(ignored.all == [.wrongHost])
        #expect(IgnoredRequest.Reason.wrongHost.isResponse, "whoever waits is told")
        #expect(await request(listener, "GET /favicon.ico", host: host).status == 400)
        #expect(ignored.all == [.wrongHost, .wrongPath])
        #expect(await isWaiting(listener))
    }

    @Test("the loopback address has three names", arguments: ["127.0.0.1", "[::1]", "LOCALHOST"])
    func loopbackNames(_ name: String) async throws {
        let listener = try open()
        #expect(
            await request(listener, "GET /callback?code=a&state=S1", host: "\(name):\(listener.port)").status
                == 303)
    }

    @Test("a form is accepted when asked for, and then only a form [rule 71]")
    func formPost() async throws {
        let listener = try open(.formPost)
        let body = "code=a%20b&state=S1"
        let length = "Content-Length: \(body.utf8.count)\r\n"
        let form = length + "Content-Type: application/x-www-form-urlencoded ; charset=UTF-8\r\n"
        #expect(await request(listener, "GET /callback?code=a&state=S1").field("Allow") == "POST")
        #expect(
            await request(listener, "POST /callback", length + "Content-Type: text/plain\r\n", body: body)
                .status == 400)
        #expect(await request(listener, "POST /callback?code=a&state=S1").status == 400)
        #expect(await isWaiting(listener))
        #expect(await request(listener, "POST /callback", form, body: body).status == 303)
        #expect(await accepted(listener) == [["code", "a b"], ["state", "S1"]])
        #expect(ignored.all == [.queried, .malformed, .malformed])
    }

    private func post(_ listener: LoopbackListener, _ body: String) async -> Answer {
        let length = "Content-Length: \(body.utf8.count)\r\n"
        return await request(
            listener, "POST /callback", length + "Content-Type: application/x-www-form-urlencoded\r\n",
            body: body)
    }

    @Test("an answer that comes in another way is not taken, and browser and run are told so [rule 53]")
    func otherWay() async throws {
        let listener = try open()
        let answer = await post(listener, "code=a&state=S1")
        #expect(answer.status == 405)
        #expect(answer.field("Allow") == "GET")
        #expect(
            answer.text.contains("The provider answered by POST, and this sign-in takes answers by GET only.")
        )
        #expect(ignored.all == [.posted])
        #expect(IgnoredRequest.Reason.posted.isResponse && IgnoredRequest.Reason.queried.isResponse)
        #expect(await isWaiting(listener))
        #expect(await request(listener, "GET /callback?code=a&state=S1").status == 303)
        _ = await post(listener, "code=a&state=S1")
        #expect(ignored.all == [.posted, .wrongMethod])
    }

    @Test("what is no answer to this sign-in is told nothing of how one comes")
    func otherWayOfOthers() async throws {
        let listener = try open()
        for body in ["code=a&state=S2", "code=a", "x=y"] {
            #expect(!(await post(listener, body).text.contains("by GET")))
        }
        #expect(ignored.all == [.wrongMethod, .wrongMethod, .wrongMethod])
    }

    @Test("where either way is right, the first answer counts", arguments: [true, false])
    func eitherWay(isForm: Bool) async throws {
        let listener = try open([.query, .formPost])
        let answer =
            isForm
            ? await post(listener, "code=a&state=S1")
            : await request(listener, "GET /callback?code=a&state=S1")
        #expect(answer.status == 303)
        #expect(await accepted(listener) == [["code", "a"], ["state", "S1"]])
        #expect(await request(listener, "PUT /callback").field("Allow") == "GET, POST")
    }

    @Test("the cookies of other programs on this machine keep no answer away")
    func cookies() async throws {
        let listener = try open()
        let cookies = "Cookie: a=\(String(repeating: "c", count: 150 << 10))\r\n"
        #expect(await request(listener, "GET /callback?code=a&state=S1", cookies).status == 303)
        #expect(await accepted(listener) == [["code", "a"], ["state", "S1"]])
    }

    @Test(
        "an answer that is too large is told; whatever else is, is not",
        arguments: [(true, "/callback"), (true, "/callback?state=S1"), (false, "/favicon.ico")])
    func tooLarge(isCallback: Bool, target: String) async throws {
        let listener = try open()
        let long = String(repeating: "c", count: 600 << 10)
        _ = await rawExchange(listener.port, "GET \(target) HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n")
        #expect(await request(listener, "GET /callback?code=a&state=S1").status == 303)
        #expect(ignored.all == (isCallback ? [.malformed] : []))
        let again = "GET \(target) HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n"
        _ = await rawExchange(listener.port, again)
        #expect(await request(listener, "GET /callback?code=a&state=S1").status == 409)
        #expect(ignored.all == (isCallback ? [.malformed, .alreadyUsed] : [.alreadyUsed]))
    }

    @Test("the last page is for who has brought the answer, by GET")
    func donePage() async throws {
        let inbox = CallbackInbox()
        inbox.expect(state: "S1")
        let ignored = ignored
        let desk = CallbackDesk(
            inbox: inbox, path: "/callback", method: .query, donePath: "/done", holdMilliseconds: 10_000,
            observer: { ignored.append($0.reason) })
        let server = try HTTPServer(port: 0, refused: { desk.miss($0) }) { desk.receive($0, $1) }
        desk.serve(port: server.port)
        desk.conclude(.success(provider: "P"))
        func ask(_ line: String) async -> Answer {
            Answer(
                await rawExchange(
                    server.port,
                    "\(line) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: close\r\n\r\n"))
        }
        #expect(await ask("GET /done").status == 404)
        #expect(inbox.offer([("code", "a"), ("state", "S1")], through: "paste") == nil)
        #expect(await ask("GET /done").status == 404)
        #expect(!desk.hasAnswer)
        let other = try open()
        let done = try #require(await request(other, "GET /callback?code=a&state=S1").field("Location"))
        other.conclude(.success(provider: nil))
        let posted = await request(other, "POST \(done)", "Content-Length: 0\r\n")
        #expect(posted.status == 405 && posted.field("Allow") == "GET")
        #expect(await request(other, "GET \(done)").status == 200)
        #expect(ignored.all == [.wrongPath, .wrongPath, .wrongMethod])
        server.stop()
    }

    @Test("a second hit of the same response is told so and changes nothing")
    func secondHit() async throws {
        let listener = try open()
        _ = await request(listener, "GET /callback?code=a&state=S1")
        let answer = await request(listener, "GET /callback?code=b&state=S1")
        #expect(answer.status == 409)
        #expect(answer.body.contains("Already received"))
        #expect(ignored.all == [.alreadyUsed])
        #expect(await accepted(listener) == [["code", "a"], ["state", "S1"]])
    }

    @Test("many simultaneous hits of one response are accepted once [rule 63]")
    func concurrentHits() async throws {
        let listener = try open()
        let statuses = await withTaskGroup(of: Int.self) { group in
            for number in 0..<16 {
                group.addTask { await request(listener, "GET /callback?code=\(number)&state=S1").status }
            }
            return await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 303 }.count == 1)
        #expect(statuses.filter { $0 == 409 }.count == 15)
    }

    @Test("the last page waits for the verdict and tells it", arguments: [true, false])
    func verdict(_ isSuccess: Bool) async throws {
        let listener = try open()
        let done = try #require(await request(listener, "GET /callback?code=a&state=S1").field("Location"))
        async let page = request(listener, "GET \(done)")
        _ = await accepted(listener)
        listener.conclude(isSuccess ? .success(provider: "A<b>&\"c\"") : .failure(code: "<script>"))
        listener.conclude(.failure(code: "second"))
        await listener.close(grace: 60_000)
        let answer = await page
        #expect(answer.status == 200)
        let expected =
            isSuccess ? "You are signed in to A&lt;b&gt;&amp;&quot;c&quot;" : "<code>&lt;script&gt;</code>"
        #expect(answer.body.contains(expected))
        #expect(!answer.body.contains("second"))
        #expect(!answer.body.contains("http-equiv"))
    }

    @Test(
        "the last page has the provider's name where there is one",
        arguments: [
            (PageVerdict.success(provider: nil), "You are signed in"),
            (.success(provider: ""), "You are signed in"),
            (.success(provider: "P"), "You are signed in to P"),
            (.signedOut(provider: nil), "You are signed out"),
            (.signedOut(provider: ""), "You are signed out"),
            (.signedOut(provider: "P"), "You are signed out of P"),
        ])
    func title(verdict: PageVerdict, title: String) {
        let page = CallbackPage().response(.verdict(verdict), status: 200)
        #expect(String(decoding: page.body, as: UTF8.self).contains("<h1>\(title)</h1>"))
    }

    @Test("a verdict that takes long leaves the browser with a page that asks again")
    func longVerdict() async throws {
        let listener = try open(hold: 20)
        let done = try #require(await request(listener, "GET /callback?code=a&state=S1").field("Location"))
        var answer = Answer("")
        // Where nothing moves for longer than the server keeps a silent connection, a browser asks again.
        for _ in 0..<20 where answer.status == 0 { answer = await request(listener, "GET \(done)") }
        #expect(answer.body.contains("http-equiv=\"refresh\""))
        #expect(answer.body.contains("still being finished"))
        listener.conclude(.success(provider: nil))
        listener.conclude(.failure(code: "second"))
        #expect(await request(listener, "GET \(done)").body.contains("<h1>You are signed in</h1>"))
    }

    @Test("closing without a verdict tells the browser that the sign-in was interrupted")
    func interrupted() async throws {
        let listener = try open()
        let done = try #require(await request(listener, "GET /callback?code=a&state=S1").field("Location"))
        async let page = request(listener, "GET \(done)")
        await listener.close(grace: 60_000)
        #expect(await page.body.contains("<code>interrupted</code>"))
    }

    @Test("closing does not wait for a browser that never came, nor longer than the grace")
    func closing() async throws {
        try await open().close(grace: 600_000)
        // A test that runs beside this one may be given the port meanwhile, so one of several must be free again.
        var reopened = 0
        for _ in 0..<5 {
            let listener = try open()
            _ = await request(listener, "GET /callback?code=a&state=S1")
            await listener.close(grace: 20)
            if let again = try? LoopbackListener.open(port: listener.port), again.port == listener.port {
                reopened += 1
            }
        }
        #expect(reopened > 0)
    }

    @Test("every answer keeps the response out of caches, referrers and other sites [rules 67, 68, 69]")
    func protection() async throws {
        let listener = try open()
        var answers = [await request(listener, "GET /callback?code=CANARY&state=S2")]
        answers.append(await request(listener, "GET /CANARY"))
        answers.append(await request(listener, "HEAD /callback?code=CANARY&state=S1"))
        answers.append(await request(listener, "GET /callback?code=CANARY&state=S1", "Purpose: prefetch\r\n"))
        answers.append(await request(listener, "GET /callback?code=CANARY&state=S1"))
        listener.conclude(.success(provider: "P"))
        answers.append(await request(listener, "GET \(answers.last?.field("Location") ?? "")"))
        for answer in answers {
            #expect(answer.field("Cache-Control") == "no-store")
            #expect(answer.field("Referrer-Policy") == "no-referrer")
            #expect(answer.field("X-Content-Type-Options") == "nosniff")
            #expect(
                answer.field("Content-Security-Policy")?.hasPrefix("default-src 'none'; style-src 'sha256-")
                    == true)
            #expect(answer.field("Connection") == "close")
            #expect(!answer.text.contains("CANARY"))
        }
    }

    @Test("cancelling the waiting task ends the wait")
    func cancellation() async throws {
        let listener = try open()
        let task = Task { await listener.inbox.next(deadline: .max) }
        task.cancel()
        let isCancelled =
            switch await task.value {
            case .cancelled: true
            case .answer, .givenUp, .timeout: false
            }
        #expect(isCancelled)
    }

    @Test("idle and half-open connections do not keep the browser away [rule 65]")
    func preconnects() async throws {
        let listener = try open()
        let sockets = (0..<8).map { _ in Socket(connectingTo: listener.port) }
        sockets[0].send("GET /call")
        #expect(await request(listener, "GET /callback?code=a&state=S1").status == 303)
        withExtendedLifetime(sockets) {}
    }
}

/// One raw HTTP answer, taken apart.
struct Answer {
    let text: String

    init(_ text: String) { self.text = text }

    var status: Int { Int(text.dropFirst(9).prefix(3)) ?? 0 }

    var body: String {
        text.firstRange(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? ""
    }

    func field(_ name: String) -> String? {
        text.split(separator: "\r\n").dropFirst().first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
    }
}
