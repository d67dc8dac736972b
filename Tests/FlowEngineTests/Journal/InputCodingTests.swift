import FlowEngine
import FlowLanguage
import JOSE
import OAuthProtocol
import Testing

/// What a journal keeps is read again by another process, of another version perhaps: the form is fixed.
@Suite("Reports of the world, as a journal keeps them")
struct InputCodingTests {
    private static let trouble = TransportTrouble(
        delivery: .perhapsDelivered, cause: "tls", message: "closed", isRefusal: true)
    private static let origin = DocumentOrigin(
        url: "https://p.example/keys", fetchedAt: 1, freshUntil: 2, entityTag: "\"a\"", lastModified: "b",
        isForced: true)
    private static let answer = HTTPResponse(
        status: 200, fields: [HTTPField("A", "b"), HTTPField("A", "c")], body: [0xFF, 0])

    private static var port: InputEvent {
        var reply = PortReply("found", fields: ["id": .string("a")])
        reply.failure = "none"
        return .port(reply)
    }

    private static var hook: InputEvent {
        var reply = HookReply(.abort(message: "no"), set: ["vars.a": 1])
        reply.remarks = "said"
        reply.status = 3
        return .hook(reply)
    }

    static let kept: [(event: InputEvent, text: String)] = [
        (.start, #"{"is":"start"}"#), (.done, #"{"is":"done"}"#),
        (.callbackCancelled, #"{"is":"callback cancelled"}"#), (.nothingKept, #"{"is":"nothing kept"}"#),
        (.noSession, #"{"is":"no session"}"#), (.conflict, #"{"is":"conflict"}"#),
        (.locked, #"{"is":"locked"}"#), (.woke, #"{"is":"woke"}"#),
        (.eventTimedOut, #"{"is":"event timed out"}"#),
        (.cancelled(delivery: .notDelivered), #"{"is":"cancelled","delivered":false}"#),
        (.cancelled(delivery: .perhapsDelivered), #"{"is":"cancelled","delivered":true}"#),
        (.randomness([1, 2]), #"{"is":"randomness","bytes":"AQI"}"#),
        (.key(Secret("pem", kind: .other)), #"{"is":"key","key":"pem"}"#),
        (
            .answered(answer, ExchangeTiming(total: 5)),
            #"{"is":"answered","answer":{"status":200,"fields":[["A","b"],["A","c"]],"body":"_wA"},"ms":5}"#
        ),
        (
            .answered(HTTPResponse(status: 204), nil),
            #"{"is":"answered","answer":{"status":204,"fields":[],"body":""}}"#
        ),
        (
            .unanswered(trouble),
            #"{"is":"unanswered","delivered":true,"cause":"tls","text":"closed","refusal":true}"#
        ),
        (
            .unanswered(TransportTrouble(delivery: .notDelivered, cause: "dns", message: "m")),
            #"{"is":"unanswered","delivered":false,"cause":"dns","text":"m","refusal":false}"#
        ),
        (.redirectOpened(uri: "a"), #"{"is":"redirect opened","text":"a"}"#),
        (.redirectFailed(reason: "a"), #"{"is":"redirect failed","text":"a"}"#),
        (.presented(how: "a"), #"{"is":"presented","text":"a"}"#),
        (.headless(reason: "a"), #"{"is":"headless","text":"a"}"#),
        (.sessionCorrupt(reason: "a"), #"{"is":"session corrupt","text":"a"}"#),
        (.storeFailed(reason: "a"), #"{"is":"store failed","text":"a"}"#),
        (.lockTimedOut(holder: "a"), #"{"is":"lock timed out","text":"a"}"#),
        (.journalFailed(reason: "a"), #"{"is":"journal failed","text":"a"}"#),
        (
            .callback([("code", "a"), ("code", "b")], channel: "loopback"),
            #"{"is":"callback","channel":"loopback","parameters":[["code","a"],["code","b"]]}"#
        ),
        (.callbackTimedOut(refused: 2), #"{"is":"callback timed out","refused":2}"#),
        (
            .session(StoredSession(bytes: [1], generation: 3, isInDoubt: true)),
            #"{"is":"session","bytes":"AQ","generation":3,"in_doubt":true}"#
        ),
        (.saved(generation: 4), #"{"is":"saved","generation":4}"#),
        (.event(nil), #"{"is":"event"}"#), (.event(["a"]), #"{"is":"event","value":["a"]}"#),
        (port, #"{"is":"port","outcome":"found","failure":"none","fields":{"id":"a"}}"#),
        (
            hook,
            #"{"is":"hook","answer":{"decision":"abort","message":"no","set":{"vars.a":1}},"remarks":"said","status":3}"#
        ),
        (
            .hook(.failed("slow")), #"{"is":"hook","answer":{},"failure":"slow"}"#
        ),
    ]

    @Test("each is written in a form of its own, and read again without loss", arguments: kept)
    func roundTrip(event: InputEvent, text: String) throws {
        #expect(JSONValue.object(InputCoding.encode(event)).serialize() == text)
        let json = try #require(try JSON.parse(text).objectValue)
        let again = try #require(InputCoding.decode(json))
        #expect(JSONValue.object(InputCoding.encode(again)).serialize() == text)
    }

    @Test("a key set is kept with where it came from, and when it is asked for again")
    func keys() throws {
        let keys = try JWKSet.parse(["keys": []])
        let text = JSONValue.object(InputCoding.encode(.keys(keys, Self.origin))).serialize()
        #expect(
            text
                == #"{"is":"keys","document":{"keys":[]},"origin":{"url":"https://p.example/keys","fetched_at":1,"#
                + #""fresh_until":2,"forced":true,"etag":"\"a\"","last_modified":"b"}}"#)
        let json = try #require(try JSON.parse(text).objectValue)
        guard case .keys(_, let origin)? = InputCoding.decode(json) else {
            Issue.record("no key set")
            return
        }
        #expect(origin == Self.origin)
    }

    @Test(
        "what no version has written is read as nothing",
        arguments: [
            "{}", #"{"is":"nobody"}"#, #"{"is":1}"#, #"{"is":"presented"}"#,
            #"{"is":"randomness","bytes":"?"}"#,
            #"{"is":"callback","channel":"a","parameters":[["a","b"],["c"]]}"#,
            #"{"is":"callback","channel":"a","parameters":[["a","b","c"]]}"#,
            #"{"is":"callback","channel":"a","parameters":[["a",1]]}"#,
            #"{"is":"callback","parameters":[]}"#, #"{"is":"callback","channel":"a"}"#,
            #"{"is":"answered","answer":{"status":200,"fields":[["a"]],"body":""}}"#,
            #"{"is":"answered","answer":{"status":200,"fields":[["a","b"],"c"],"body":""}}"#,
            #"{"is":"answered","answer":{"status":200,"fields":[]}}"#,
            #"{"is":"unanswered","delivered":1,"cause":"a","text":"b","refusal":true}"#,
            #"{"is":"unanswered","cause":"a","text":"b","refusal":true}"#,
            #"{"is":"session","bytes":"AQ","generation":3}"#, #"{"is":"callback timed out"}"#,
            #"{"is":"hook"}"#, #"{"is":"hook","answer":{"decision":"perhaps"}}"#, #"{"is":"port"}"#,
            #"{"is":"keys","document":{"keys":[]}}"#,
        ])
    func unreadable(text: String) throws {
        let json = try #require(try JSON.parse(text).objectValue)
        #expect(InputCoding.decode(json).map(\.word) == nil)
    }

    private static let json: JSONObject = ["a": [1, "b"], "c": .null]
    private static let map: [String: Value] = [
        "b": Value.secret(Secret("s", kind: .refreshToken)), "a": Value.list([Value.string("x")]),
    ]
    static let values: [Value] = [
        Value.null, Value.bool(false), Value.string("a"), Value.int(.max), Value.int(.min), Value.number(1.5),
        Value.number(2), Value.number(1e19), Value.number(-1e300), Value.number(.leastNonzeroMagnitude),
        Value.number(-0.0),
        Value.time(1), Value.duration(-2), Value.json(.object(json)), Value.json(.null), Value.list([]),
        Value.list([Value.int(1), Value.null]), Value.map(map),
    ]

    @Test("values of a flow come back as what they were", arguments: values)
    func valueRoundTrip(value: Value) throws {
        let text = ValueCoding.encode(value).serialize()
        #expect(ValueCoding.decode(try JSON.parse(text)) == value, "\(text)")
    }

    @Test(
        "what is no value of a flow is none",
        arguments: [
            "1", "1.5", "{}", #"{"int":"1"}"#, #"{"time":1.5}"#, #"{"secret":"a"}"#,
            #"{"secret":"a","kind":"nobody"}"#, #"[1]"#, #"[null,{}]"#, #"{"map":{"a":1}}"#, #"{"other":1}"#,
        ])
    func noValue(text: String) throws {
        #expect(ValueCoding.decode(try JSON.parse(text)) == nil)
    }
}
