import FlowLanguage
import FoundationEssentials
import Testing
import YAMLText

@Suite("Golden diagnostics")
struct DiagnosticGoldenTests {
    /// `RECORD_GOLDEN=1` writes what is found and fails, so that a recording is never taken for a pass.
    static let isRecording = ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1"

    @Test(
        "every flow with mistakes gets exactly the diagnostics of its golden file",
        arguments: try DiagnosticGolden.all())
    func diagnostics(golden: DiagnosticGolden) throws {
        if Self.isRecording {
            try golden.record()
            Issue.record("recorded \(golden.name)")
            return
        }
        #expect(golden.found == golden.expected)
    }

    @Test("every golden file is a case, and is about the code that its name begins with")
    func files() throws {
        for file in try DiagnosticGolden.fileNames() { #expect(file.hasSuffix(".case")) }
        for golden in try DiagnosticGolden.all() where golden.name.hasPrefix("FL") {
            #expect(golden.codes.contains(String(golden.name.prefix(5))), "\(golden.name) shows another code")
        }
    }

    @Test("every rule has a golden case, and every code in a case has a rule")
    func coverage() throws {
        let shown = try DiagnosticGolden.all().reduce(into: Set<String>()) { $0.formUnion($1.codes) }
        // FL102 is found by running the tests, above this layer; the command lint --coverage is tested for it.
        let known = Set(FlowRule.all.map(\.code)).subtracting(["FL102"])
        #expect(known.subtracting(shown).sorted() == [])
        #expect(shown.subtracting(known).sorted() == [])
    }
}
