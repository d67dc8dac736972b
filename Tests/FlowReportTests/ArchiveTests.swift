import FlowEngine
import FlowReport
import JOSE
import Testing

@Suite("HTTP archives")
struct ArchiveTests {
    private static func log(_ events: [TraceEvent]) throws -> JSONObject {
        let text = Report.render(events, .har)
        return try #require(try JSON.parse(Array(text.utf8)).objectValue?["log"]?.objectValue)
    }

    private static func objects(_ value: JSONValue?) throws -> [JSONObject] {
        try #require(value?.arrayValue).map { try #require($0.objectValue) }
    }

    /// The members that the format demands, by the object they are in.
    private static let demanded: [(path: [String], members: [String])] = [
        ([], ["startedDateTime", "time", "request", "response", "cache", "timings"]),
        (
            ["request"],
            [
                "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize",
                "bodySize",
            ]
        ),
        (
            ["response"],
            [
                "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL",
                "headersSize", "bodySize",
            ]
        ),
        (["response", "content"], ["size", "mimeType"]), (["timings"], ["send", "wait", "receive"]),
    ]

    @Test("every entry has what HAR 1.2 demands", arguments: Recorded.names)
    func structure(name: String) throws {
        let log = try Self.log(Recorded.events(name))
        #expect(log["version"] == "1.2")
        #expect(log["creator"]?.objectValue?["name"] == "flowrun")
        let pages = try Self.objects(log["pages"])
        let ids = pages.compactMap { $0["id"]?.stringValue }
        #expect(Set(ids).count == pages.count)
        for page in pages {
            #expect(page["startedDateTime"]?.stringValue?.hasSuffix("Z") == true)
            #expect(page["title"]?.stringValue?.isEmpty == false)
            #expect(page["pageTimings"]?.objectValue != nil)
        }
        for entry in try Self.objects(log["entries"]) {
            #expect(ids.contains(try #require(entry["pageref"]?.stringValue)))
            for (path, members) in Self.demanded {
                var object = entry
                for name in path { object = try #require(object[name]?.objectValue) }
                for member in members { #expect(object[member] != nil, "\(path) \(member)") }
            }
        }
    }

    @Test("the body of a request is there once, as text", arguments: Recorded.names)
    func body(name: String) throws {
        for entry in try Self.objects(Self.log(Recorded.events(name))["entries"]) {
            guard let body = entry["request"]?.objectValue?["postData"]?.objectValue else { continue }
            #expect(body["params"] == nil && body["text"] != nil)
        }
    }

    @Test("the parts of the time make up the whole", arguments: Recorded.names)
    func times(name: String) throws {
        for entry in try Self.objects(Self.log(Recorded.events(name))["entries"]) {
            let timings = try #require(entry["timings"]?.objectValue)
            let parts = ["blocked", "dns", "connect", "send", "wait", "receive"].compactMap {
                timings[$0]?.intValue
            }
            #expect(parts.filter { $0 >= 0 }.reduce(0, +) == entry["time"]?.intValue)
        }
    }

    @Test("resolving, connecting and securing are parts of their own, and connecting includes securing")
    func phases() throws {
        let response = TracedResponse(
            status: 200, contentType: nil, bytes: 0, members: [], duration: 214,
            phases: ExchangePhases(resolved: 1, connected: 2, secured: 9, answered: 200))
        let request = TracedRequest(
            purpose: "userinfo", method: "GET", endpoint: "https://p.example/me", query: [], fields: [],
            body: [], bodyFormat: "none")
        let bodies: [TraceEvent.Body] = [
            RoundTripTests.bodies[0],
            .stepStart(StepStart(kind: "userinfo", visit: 1, place: "", summary: "")), .request(request),
            .response(response),
        ]
        let events = bodies.map { TraceEvent(sequence: 1, time: 0, step: "userinfo", body: $0) }
        let entry = try #require(try Self.objects(Self.log(events)["entries"]).first)
        #expect(
            entry["timings"]?.serialize()
                == #"{"blocked":-1,"dns":1,"connect":8,"ssl":7,"send":0,"wait":191,"receive":14}"#)
    }

    @Test("URLs hold no character that a URL may not hold", arguments: Recorded.names)
    func urls(name: String) throws {
        for entry in try Self.objects(Self.log(Recorded.events(name))["entries"]) {
            let url = try #require(entry["request"]?.objectValue?["url"]?.stringValue)
            #expect(url.utf8.allSatisfy { (0x21...0x7E).contains($0) })
            #expect(url.hasPrefix("http"))
        }
    }

    @Test("what only the browser sends is marked; nothing of a dry run has an answer")
    func synthetic() throws {
        let live = try Self.objects(Self.log(Recorded.events("login"))["entries"])
        let purposes = live.filter { $0["_synthetic"] == true }.map {
            $0["_flowrun"]?.objectValue?["purpose"]
        }
        #expect(purposes == ["authorization", nil])
        for entry in try Self.objects(Self.log(Recorded.events("plan"))["entries"]) {
            let response = try #require(entry["response"]?.objectValue)
            #expect(response["status"] == 0)
            #expect(response["comment"] == "not sent")
        }
    }

    @Test("a request that failed has no status and says why")
    func failure() throws {
        let entries = try Self.objects(Self.log(RoundTripTests.events)["entries"])
        let failed = entries.filter { $0["response"]?.objectValue?["status"] == 0 }
        let response = try #require(failed.last?["response"]?.objectValue)
        #expect(response["_error"] == "tls")
        #expect(response["comment"] == "m (the request may have arrived)")
    }
}
