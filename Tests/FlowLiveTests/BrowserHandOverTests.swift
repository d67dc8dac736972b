import OAuthProtocol
import Testing

@testable import FlowLive

@Suite("BrowserHandOver")
struct BrowserHandOverTests {
    private let target = "https://op.example/logout?id_token_hint=CANARY"

    private func port(_ page: BrowserHandOver) throws -> UInt16 {
        try UInt16(EndpointURL(page.url, allowLoopbackHTTP: true).port)
    }

    private func path(_ page: BrowserHandOver) throws -> String {
        try EndpointURL(page.url, allowLoopbackHTTP: true).path
    }

    private func request(
        _ page: BrowserHandOver, _ line: String, _ fields: String = "", host: String? = nil
    ) async throws -> Answer {
        let port = try port(page)
        return Answer(
            await rawExchange(
                port,
                "\(line) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n\(fields)Connection: close\r\n\r\n"
            ))
    }

    @Test("the browser is sent on once, and nobody learns where from its address [rule 49]")
    func once() async throws {
        let page = try BrowserHandOver.open(to: target)
        let line = "GET \(try path(page))"
        #expect(!page.url.contains("CANARY"))
        #expect(try path(page).count >= 22)
        let first = try await request(page, line)
        #expect(first.status == 303)
        #expect(first.field("Location") == target)
        #expect(first.field("Cache-Control") == "no-store")
        #expect(first.field("Referrer-Policy") == "no-referrer")
        #expect(await page.isTaken(withinMilliseconds: 600_000))
        let seen = Collected<Int>()
        page.whenTaken { seen.append(1) }
        #expect(seen.all == [1])
        let second = try await request(page, line)
        #expect(second.status == 404)
        #expect(!second.text.contains("CANARY"))
        page.close()
    }

    @Test("what is no browser's request for the page leaves it for the browser")
    func others() async throws {
        let page = try BrowserHandOver.open(to: target)
        let path = try path(page)
        var answers = [
            try await request(page, "GET /"), try await request(page, "GET \(path)a"),
            try await request(page, "GET \(path)?a=b"), try await request(page, "HEAD \(path)"),
            try await request(page, "POST \(path)", "Content-Length: 0\r\n"),
            try await request(page, "GET \(path)", host: "evil.example"),
        ]
        #expect(answers.map(\.status) == [404, 404, 404, 405, 405, 404])
        answers.append(try await request(page, "GET \(path)", "Sec-Purpose: prefetch\r\n"))
        #expect(answers.last?.status == 204)
        for answer in answers { #expect(!answer.text.contains("CANARY")) }
        #expect(await !page.isTaken(withinMilliseconds: 0))
        let seen = Collected<Int>()
        page.whenTaken { seen.append(1) }
        #expect(seen.all == [])
        #expect(try await request(page, "GET \(path)").status == 303)
        await seen.wait(for: 1)
        #expect(seen.all == [1])
    }

    @Test("what lasts longer than its request is a secret of the URL, what belongs to this run is none")
    func secrets() {
        func isSecret(_ value: ParameterValue) -> Bool {
            RequestPlan(
                method: .get, endpoint: "https://op.example/a",
                query: [RequestParameter("x", value, .specification)]
            ).hasSecretURL
        }
        for kind in [Secret.Kind.idToken, .accessToken, .refreshToken, .clientSecret, .other] {
            #expect(isSecret(.secret(Secret("v", kind: kind))))
        }
        for kind in [Secret.Kind.state, .nonce, .requestObject, .requestURI] {
            #expect(!isSecret(.secret(Secret("v", kind: kind))))
        }
        #expect(!isSecret(.text("login")))
    }
}
