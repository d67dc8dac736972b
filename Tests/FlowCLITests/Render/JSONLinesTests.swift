import FlowReport
@testable import FlowCLI
import FlowEngine
import JOSE
import Testing

@Suite("JSON Lines")
struct JSONLinesTests {
    private func lines(_ run: SampleRun, reveals: Bool = false) throws -> [JSONObject] {
        let text = RenderGolden.text(run, JSONLinesTrace(revealsActionURL: reveals))
        return try text.split(separator: "\n").map { line in
            try #require(try JSON.parse(Array(line.utf8)).objectValue)
        }
    }

    @Test("every event is one line of valid JSON, numbered without gaps, and run.end is the last")
    func shape() throws {
        let run = SampleRun.signIn()
        let lines = try lines(run)
        #expect(lines.count == run.events.count)
        #expect(lines.map { $0["seq"] } == (1...run.events.count).map { .int(Int64($0)) })
        #expect(lines.allSatisfy { $0["v"] == .int(1) && $0["run"]?.stringValue == "01JRUN" })
        #expect(lines.first?["type"]?.stringValue == "run.start")
        #expect(lines.last?["type"]?.stringValue == "run.end")
        #expect(lines.last?["human_ms"] == .int(13_000))
        #expect(lines.last?["network_ms"] == .int(214))
    }

    @Test("the line that a crash leaves says how far the run had come")
    func ending() throws {
        var run = SampleRun()
        run.start()
        run.enter("authorize")
        run.leave(to: "exchange")
        run.enter("exchange")
        run.add(.retry(outcome: "network", attempt: 2, delay: 500, reason: "backoff"), after: 300)
        run.add(.note("waits"), after: 2_000)
        var trace = JSONLinesTrace(revealsActionURL: false)
        let before = trace.lines(run.events)
        let ending = trace.ending(after: try #require(run.events.last))
        for rest in [ending.crash, ending.stop] {
            let events = try TraceReader.read(before + ending.start + rest)
            guard case .runEnd(let end)? = events.last?.body else {
                Issue.record("no run.end")
                continue
            }
            #expect(end.duration == 2_300)
            #expect(end.transitions == 1)
            #expect(end.retries == 1)
        }
    }

    @Test("a secret is an object of kind, length and fingerprint")
    func secret() throws {
        let response = try #require(try lines(.signIn()).first { $0["type"]?.stringValue == "http.response" })
        let expected: JSONValue = .object([
            "n": "access_token", "secret": true, "kind": "access_token", "len": 218, "fp": "77ab",
        ])
        #expect(response["body"]?.arrayValue?.first == expected)
    }

    @Test("any text comes back as it was, and what a terminal would obey stands as an escape")
    func texts() throws {
        let scalars = [0..<0x0700, 0x2000..<0x2100, 0xFDF0..<0x1_0010].joined().compactMap(
            Unicode.Scalar.init)
        for scalar in scalars {
            for text in ["\(scalar)", "é\(scalar)a→\(scalar)"] {
                var writer = JSONLineWriter()
                writer.element { $0.member("text", text) }
                let member = try JSON.parse(writer.bytes).objectValue?["text"]
                #expect(member?.stringValue?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
                let isWritten = String(decoding: writer.bytes, as: UTF8.self).unicodeScalars.contains(scalar)
                let isDangerous =
                    scalar.properties.generalCategory == .control
                    || ["\u{2028}", "\u{2029}"].contains(scalar) || scalar.properties.isBidiControl
                #expect(isWritten != isDangerous || scalar == "\\", "\(scalar.value)")
            }
        }
    }

    @Test("the URL that a person must open is whole on a live pipe only", arguments: [false, true])
    func actionURL(reveals: Bool) throws {
        let action = try #require(
            try lines(.signIn(), reveals: reveals).first { $0["type"]?.stringValue == "user.action_required" }
        )
        let whole = "https://login.example/authorize?response_type=code&state=hidden-state"
        #expect(action["url"]?.stringValue == (reveals ? whole : nil))
        #expect(action["base"]?.stringValue == "https://login.example/authorize")
    }

    @Test("a failure has its code, what explains it and what helps")
    func failure() throws {
        let object = FailureJSON.object(try RenderGolden.report(.refusal()))
        #expect(object["code"]?.stringValue == "invalid_grant")
        #expect(object["causes"]?.arrayValue?.isEmpty == false)
        #expect(object["fix"]?.arrayValue?.isEmpty == false)
    }
}
