import FlowEngine
import FlowReport
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// A trace is a file, and anybody can write one: its texts may say anything.
@Suite("Hostile texts in a trace")
struct HostileTests {
    static let text = "\"><script>alert(1)</script>'`$(touch x)\\\n;#%{}&\u{202E}\u{0}\u{1B}[31m\u{2028}]]>*/"

    /// Members whose values have a form of their own.
    private static let formed: Set<String> = [
        "v", "t", "type", "expires_at", "until", "result", "severity", "decision", "mode", "delivered",
        "synthetic", "errand", "verdict", "from",
    ]

    private static func hostile(_ value: JSONValue, _ name: String) -> JSONValue {
        switch value {
        case .string(let text) where formed.contains(name): .string(text)
        // A parameter's value has the name of a version.
        case .string: .string(Self.text)
        case .array(let items): .array(items.map { hostile($0, name) })
        case .object(let object):
            .object(
                JSONObject(
                    object.map { key, value in
                        (key, key == "v" && value.stringValue != nil ? .string(text) : hostile(value, key))
                    }))
        case .null, .bool, .int, .bigInteger, .number: value
        }
    }

    /// The same run in which every text is hostile; step names stay apart only by their order.
    static func events(_ name: String) throws -> [TraceEvent] {
        let lines = try Recorded.text(name).split(separator: "\n").map { line in
            hostile(try JSON.parse(Array(line.utf8)), "").serialize()
        }
        return try TraceReader.read(Array(lines.joined(separator: "\n").utf8))
    }

    private static let names = ["forged", "device", "login", "plan", "routed"]

    @Test("JSON stays JSON", arguments: names, [ReportFormat.har, .otlp])
    func json(name: String, format: ReportFormat) throws {
        let text = Report.render(try Self.events(name), format)
        #expect(try JSON.parse(Array(text.utf8)).objectValue?.count == 1)
    }

    @Test("a diagram has no line that the texts make", arguments: names)
    func mermaid(name: String) throws {
        let lines = Report.render(try Self.events(name), .mermaid).split(separator: "\n")
        for line in lines { #expect(MermaidTests.isKnown(line), "\(line)") }
    }

    @Test(
        "a step may stand where its flow has no line",
        arguments: ["9223372036854775807", "1000", "0", "-9223372036854775808"])
    func place(line: String) throws {
        let text = try Recorded.text("login").replacing(#/(login\.flow\.yaml):\d+:/#) { "\($0.1):\(line):" }
        let events = try TraceReader.read(Array(text.utf8))
        for format in ReportFormat.allCases { #expect(!Report.render(events, format).isEmpty) }
        #expect(Report.render(events, .html).contains("class=\"source\""))
    }

    @Test("results have no element and no test point that the texts make", arguments: names)
    func results(name: String) throws {
        let events = try Self.events(name)
        let junit = Report.render(events, .junit)
        #expect(!junit.contains("<script"))
        #expect(!junit.contains("]]>"))
        #expect(junit.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
        let tap = Report.render(events, .tap)
        for line in tap.split(separator: "\n") {
            #expect(line.contains(#/^(TAP version 14|1\.\.|# |ok |not ok | )/#), "\(line)")
            #expect(!line.contains("\u{1B}"))
        }
    }
}
