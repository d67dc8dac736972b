import FlowEngine
import FlowReport
import JOSE
import Testing

@Suite("Spans")
struct SpanTests {
    private static func spans(_ name: String, parent: TraceParent? = nil) throws -> [JSONObject] {
        var context = ReportContext()
        context.parent = parent
        let text = Report.render(try Recorded.events(name), .otlp, context)
        let resource = try JSON.parse(Array(text.utf8)).objectValue?["resourceSpans"]?.arrayValue?.first
        let scope = resource?.objectValue?["scopeSpans"]?.arrayValue?.first
        let spans = try #require(scope?.objectValue?["spans"]?.arrayValue)
        return try spans.map { try #require($0.objectValue) }
    }

    private static func attribute(_ key: String, of span: JSONObject) -> JSONObject? {
        span["attributes"]?.arrayValue?.first { $0.objectValue?["key"]?.stringValue == key }?
            .objectValue?["value"]?.objectValue
    }

    @Test("spans form one tree, and none ends before it begins", arguments: Recorded.names)
    func tree(name: String) throws {
        let spans = try Self.spans(name)
        let ids = spans.compactMap { $0["spanId"]?.stringValue }
        #expect(Set(ids).count == spans.count)
        #expect(Set(spans.compactMap { $0["traceId"]?.stringValue }).count == 1)
        #expect(spans[0]["parentSpanId"] == nil)
        for span in spans.dropFirst() {
            #expect(ids.contains(try #require(span["parentSpanId"]?.stringValue)))
        }
        for span in spans {
            let times = try ["startTimeUnixNano", "endTimeUnixNano"].map {
                try #require(span[$0]?.stringValue.flatMap { Int64($0) })
            }
            #expect(times[0] <= times[1])
        }
    }

    @Test("a request has the attributes of the conventions, and no secret in its address")
    func request() throws {
        let spans = try Self.spans("login").filter { $0["kind"] == 3 }
        #expect(spans.count == 4)
        let token = try #require(
            spans.first { Self.attribute("flowrun.purpose", of: $0)?["stringValue"] == "token" })
        #expect(token["name"] == "POST")
        #expect(Self.attribute("http.request.method", of: token)?["stringValue"] == "POST")
        #expect(Self.attribute("http.response.status_code", of: token)?["intValue"] == "200")
        #expect(Self.attribute("server.address", of: token)?["stringValue"] == "127.0.0.1")
        #expect(
            Self.attribute("url.full", of: token)?["stringValue"]?.stringValue?.hasSuffix("/token") == true)
    }

    @Test("a failed check is an event and its run an error")
    func failure() throws {
        let spans = try Self.spans("forged")
        #expect(spans[0]["status"]?.objectValue?["code"] == 2)
        let events = spans.flatMap { $0["events"]?.arrayValue ?? [] }.compactMap(\.objectValue)
        let checks = events.filter { $0["name"] == "flowrun.check" }
        #expect(checks.count == 1)
        let check = try #require(checks.first)
        #expect(Self.attribute("flowrun.check.id", of: check)?["stringValue"] == "nonce")
    }

    @Test("a run takes its place below the span that is handed over")
    func parent() throws {
        let parent = try #require(
            TraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
        let spans = try Self.spans("login", parent: parent)
        #expect(spans.allSatisfy { $0["traceId"] == "0af7651916cd43dd8448eb211c80319c" })
        #expect(spans[0]["parentSpanId"] == "b7ad6b7169203331")
        #expect(parent.isSampled)
    }

    @Test(
        "what is no parent is none",
        arguments: [
            "", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
        ])
    func malformed(text: String) { #expect(TraceParent(text) == nil) }

    @Test("a later version may say more")
    func future() {
        #expect(
            TraceParent("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-more")?.isSampled == false)
    }
}
