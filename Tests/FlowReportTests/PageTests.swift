import FlowEngine
import FlowReport
import JOSE
import Testing

@Suite("The page of a run")
struct PageTests {
    private static func between(_ start: String, _ end: String, in text: String) throws -> String {
        let first = try #require(text.firstRange(of: start))
        let last = try #require(text[first.upperBound...].firstRange(of: end))
        return String(text[first.upperBound..<last.lowerBound])
    }

    /// Names of the elements and attributes of a page, without its style and script.
    private static func tags(_ page: String) -> [Substring] {
        let style = page.ranges(of: #/<(style|script)>(?s:.)*?</(style|script)>/#)
        var rest = page
        for range in style.reversed() { rest.removeSubrange(range) }
        return rest.matches(of: #/<[a-zA-Z!\/][^>]*>/#).map(\.output).map { Substring($0) }
    }

    @Test("its policy allows its own style and script, and nothing else", arguments: Recorded.names)
    func policy(name: String) throws {
        let page = try Recorded.report(name, .html)
        let policy = try Self.between("Content-Security-Policy\" content=\"", "\"", in: page)
        let digest = { (element: String) in
            let text = try Self.between("<\(element)>", "</\(element)>", in: page)
            return "&#39;sha256-\(Base64.encode(Digest.sha256(text.utf8)))&#39;"
        }
        #expect(
            policy
                == "default-src &#39;none&#39;; style-src \(try digest("style")); script-src \(try digest("script")); "
                + "img-src data:; base-uri &#39;none&#39;; form-action &#39;none&#39;")
    }

    @Test("it asks for nothing from elsewhere", arguments: Recorded.names)
    func selfContained(name: String) throws {
        for tag in Self.tags(try Recorded.report(name, .html)) {
            #expect(!tag.contains(#/ (style|on[a-z]+|src|srcset|ping|action)=/#), "\(tag)")
            if tag.contains("href=\"http") {
                #expect(tag.hasPrefix("<a ") && tag.contains("rel=\"noreferrer\""))
            }
            if tag.hasPrefix("<link ") { #expect(tag.contains("href=\"data:")) }
        }
    }

    @Test("every link inside it leads somewhere, and no id is there twice", arguments: Recorded.names)
    func links(name: String) throws {
        let page = try Recorded.report(name, .html)
        let ids = page.matches(of: #/ id="([^"]*)"/#).map { String($0.1) }
        #expect(Set(ids).count == ids.count)
        for link in page.matches(of: #/href="#([^"]*)"/#) { #expect(ids.contains(String(link.1))) }
    }

    @Test("each parameter stands with where it comes from and the rule that asks for it")
    func provenance() throws {
        let page = try Recorded.report("login", .html)
        let row = try Self.between(
            "<th scope=\"row\">code_<wbr>challenge_<wbr>method</th>", "</tr>", in: page)
        #expect(row.contains("<code>S256</code>"))
        #expect(row.contains("<td>protocol</td>"))
        #expect(
            row.contains("<a href=\"https://www.rfc-editor.org/rfc/rfc7636#section-4.3\" rel=\"noreferrer\">")
        )
    }

    @Test(
        "rules are linked with their sections",
        arguments: [
            (
                "RFC 8628 §3.2 and §3.3.1",
                [
                    "https://www.rfc-editor.org/rfc/rfc8628#section-3.2",
                    "https://www.rfc-editor.org/rfc/rfc8628#section-3.3.1",
                ]
            ),
            ("RFC 9207", ["https://www.rfc-editor.org/rfc/rfc9207"]),
            ("RFC 6749 Appendix B", ["https://www.rfc-editor.org/rfc/rfc6749#appendix-B"]),
            (
                "OIDC Core §3.1.3.7 (13)",
                ["https://openid.net/specs/openid-connect-core-1_0.html#rfc.section.3.1.3.7"]
            ), ("JARM §2.4 (5)", ["https://openid.net/specs/oauth-v2-jarm.html#section-2.4"]),
            ("a file of ours", []), ("RFC x §1", []),
            ("RFC 1 §\"><b>", ["https://www.rfc-editor.org/rfc/rfc1#section-b"]),
        ])
    func references(text: String, urls: [String]) {
        var events = RoundTripTests.events
        events[2] = TraceEvent(
            sequence: 3, time: 0, step: "s",
            body: .stepStart(StepStart(kind: "verify", visit: 1, place: "", summary: "")))
        events[3] = TraceEvent(
            sequence: 4, time: 0, step: "s",
            body: .check(TracedCheck(number: 1, name: "the-check", reference: text, verdict: .passed)))
        let page = Report.render(Array(events.prefix(4)), .html)
        let found = page.matches(of: #/<a href="(https:[^"]*)"/#).map { String($0.1) }
        #expect(found == urls)
    }

    @Test("what was executed is lit, from the first line of the step to its last")
    func source() throws {
        let page = try Recorded.report("login", .html)
        let lines = try Recorded.events("login").compactMap { event -> [String]? in
            if case .flow(let flow) = event.body { flow.lines } else { nil }
        }
        let text = try #require(lines.first)
        let lit = page.matches(of: #/<tr id="line-([0-9]+)" class="lit good">/#).compactMap { Int($0.1) }
        let names = lit.map { text[$0 - 1] }.filter { $0.prefixMatch(of: #/ {2}[a-z]/#) != nil }
        #expect(
            names == [
                "  restore:", "  authorize:", "  callback:", "  exchange:", "  verify:", "  userinfo:",
                "  store:",
            ])
        let last = try #require(lit.last)
        #expect(
            text[last - 1]
                == "      conflict: signed_in                # another process has stored a newer session; both are good"
        )
        // Every line is there once.
        #expect(page.matches(of: #/<tr id="line-/#).count == text.count)
    }

    @Test("a failure is told with why and what helps, and its step is open")
    func failure() throws {
        let page = try Recorded.report("forged", .html)
        let panel = try Self.between("<section id=\"failure\"", "</section>", in: page)
        #expect(panel.contains("the ID token was not issued for this sign-in"))
        #expect(panel.contains("<h3>Why</h3>"))
        #expect(panel.contains("<h3>What helps</h3>"))
        #expect(page.contains("<details class=\"card bad\" id=\"step-5\" open>"))
        #expect(!(try Recorded.report("login", .html)).contains("id=\"failure\""))
    }

    @Test("what a token says is there, and how many secrets are not")
    func tokens() throws {
        let page = try Recorded.report("login", .html)
        #expect(page.contains("What the id_token says"))
        #expect(page.contains("<strong>7 secrets</strong> were kept out"))
        #expect(page.contains("data-print="))
    }

    @Test("a dry run says that it is one")
    func plan() throws {
        let page = try Recorded.report("plan", .html)
        #expect(page.contains("A dry run: nothing was sent, opened or written."))
        #expect(page.contains("<header class=\"plain\">"))
    }

    @Test(
        "a hostile trace adds no element and no attribute",
        arguments: ["forged", "device", "login", "plan", "routed"])
    func hostile(name: String) throws {
        let shape = { (page: String) in
            Set(Self.tags(page).map { $0.replacing(#/"[^"]*"/#, with: "\"\"") })
        }
        let page = Report.render(try HostileTests.events(name), .html)
        let known = try Recorded.names.reduce(into: Set<Substring>()) {
            $0.formUnion(shape(try Recorded.report($1, .html)))
        }
        #expect(shape(page).subtracting(known) == [])
        #expect(page.ranges(of: "<script").count == 1)
        #expect(!page.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{0}" || $0 == "\u{1B}" })
    }
}
