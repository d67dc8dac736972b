import FlowEngine
import FlowReport
import Testing

@Suite("Sequence diagrams in Mermaid")
struct MermaidTests {
    /// The lines that Mermaid's grammar of sequence diagrams knows and that are used here. A text may hold neither what
    /// ends it nor anything but entity codes behind a number sign.
    static func isKnown(_ line: Substring) -> Bool {
        let text = #/(?:[^#;<>&%{}"`\\]|#[0-9]+;)*/#
        if line.wholeMatch(of: #/ {2}%% .*|sequenceDiagram| {2}autonumber/#) != nil { return true }
        let heads = [
            #/ {2}(?:actor|participant) P[0-9]+ as /#, #/ {2}Note over P[0-9]+: /#,
            #/ {2}P[0-9]+(?:->>|-->>|--x)P[0-9]+: /#,
        ]
        return heads.contains { head in
            guard let start = line.prefixMatch(of: head) else { return false }
            return line[start.range.upperBound...].wholeMatch(of: text) != nil
        }
    }

    @Test("every line is one of the language", arguments: Recorded.names)
    func grammar(name: String) throws {
        let lines = try Recorded.report(name, .mermaid).split(separator: "\n")
        #expect(lines.first == "sequenceDiagram")
        for line in lines { #expect(Self.isKnown(line), "\(line)") }
    }

    @Test("a request whose answer never came is a lost message")
    func lost() {
        #expect(Report.render(RoundTripTests.events, .mermaid).contains("--x"))
    }

    @Test("each participant is there once, the person first")
    func participants() throws {
        let text = try Recorded.report("login", .mermaid)
        let lines = text.split(separator: "\n").filter { $0.contains(" as ") }
        #expect(lines.count == 3)
        #expect(lines.first == "  actor P1 as you")
        #expect(lines.dropFirst().first == "  participant P2 as flowrun")
    }
}
