import FlowEngine
import FlowReport
import FlowTesting
import Testing

@Suite("Reports of recorded traces")
struct ReportGoldenTests {
    static let formats = ReportFormat.allCases.filter { $0 != .jsonl }

    @Test("every format of every recorded trace is as it was", arguments: Recorded.names, formats)
    func golden(name: String, format: ReportFormat) throws {
        try expectGolden(
            Recorded.report(name, format), named: "\(Recorded.folder)/\(name).\(format.suffix)")
    }

    @Test("a trace that is read and written is the same file", arguments: Recorded.names)
    func roundTrip(name: String) throws {
        #expect(try Recorded.report(name, .jsonl) == Recorded.text(name))
    }

    @Test("no file is left over")
    func unused() throws {
        let names = Recorded.names.flatMap { name in ReportFormat.allCases.map { "\(name).\($0.suffix)" } }
        #expect(try Golden.unused(in: Recorded.folder, suffix: "", used: names) == [])
    }

    @Test("what is no run gives nothing", arguments: ReportFormat.allCases)
    func nothing(format: ReportFormat) {
        #expect(Report.render([], format).isEmpty)
        let note = TraceEvent(sequence: 1, time: 0, step: nil, body: .note("n"))
        #expect(format == .jsonl || Report.render([note], format).isEmpty)
    }

    @Test("a trace that breaks off anywhere has a report", arguments: formats)
    func brokenOff(format: ReportFormat) throws {
        let events = try Recorded.events("refused")
        for count in 1..<events.count {
            #expect(!Report.render(Array(events.prefix(count)), format).isEmpty)
        }
    }
}
