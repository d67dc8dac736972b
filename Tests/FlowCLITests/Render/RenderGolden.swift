import FlowReport
@testable import FlowCLI
import FlowEngine
import FoundationEssentials
import JOSE
import Testing
import YAMLText

/// One file of `Tests/Golden/render`: what a renderer makes of a sample run.
struct RenderGolden: Sendable, CustomTestStringConvertible {
    let name: String
    let text: @Sendable () -> String

    var testDescription: String { name }

    static let folder = repository("Tests/Golden/render")

    static func repository(_ path: String) -> String {
        let parts = #filePath.split(separator: "/").dropLast(4)
        return "/" + parts.joined(separator: "/") + "/" + path
    }

    static func text(_ run: SampleRun, _ renderer: some TraceRenderer) -> String {
        var renderer = renderer
        return run.events.map { renderer.render($0) }.joined()
    }

    static func report(_ run: SampleRun) throws -> FailureReport {
        var collector = FailureCollector()
        for event in run.events { collector.collect(event) }
        return try #require(collector.finished)
    }

    static let source = SourceFile(
        path: "login.flow.yaml", text: "steps:\n  authorize:\n  callback:\n  exchange: { from: callback }\n")

    static let cases = [
        RenderGolden(name: "plan-80.txt") {
            text(.signIn(isDryRun: true), PlanRenderer(RenderOptions(width: 80)))
        },
        RenderGolden(name: "plan-120.txt") {
            text(.signIn(isDryRun: true), PlanRenderer(RenderOptions(width: 120, verbosity: .verbose)))
        },
        RenderGolden(name: "plan-color-ascii.txt") {
            text(.signIn(isDryRun: true), PlanRenderer(RenderOptions(color: true, ascii: true)))
        },
        RenderGolden(name: "text-verbose.txt") {
            text(.signIn(), TextTrace(RenderOptions(width: 80, verbosity: .verbose), revealsActionURL: true))
        },
        RenderGolden(name: "text-debug.txt") {
            text(.signIn(), TextTrace(RenderOptions(verbosity: .debug), revealsActionURL: false))
        },
        RenderGolden(name: "progress-pipe.txt") {
            text(.signIn(), LiveProgress(RenderOptions(), isTerminal: false))
        },
        RenderGolden(name: "progress-terminal.txt") {
            text(.signIn(), LiveProgress(RenderOptions(color: true, width: 80), isTerminal: true))
        },
        RenderGolden(name: "progress-refusal.txt") {
            text(.refusal(), LiveProgress(RenderOptions(ascii: true), isTerminal: false))
        },
        RenderGolden(name: "trace.jsonl") { text(.signIn(), JSONLinesTrace(revealsActionURL: false)) },
        RenderGolden(name: "failure.txt") {
            // No report shows as a difference.
            let failure = try? report(.refusal(redirectURI: "http://localhost/callback"))
            return failure.map { FailureForm(RenderOptions(width: 90)).render($0, sources: [source]) } ?? ""
        },
        RenderGolden(name: "failure.json") {
            // No report shows as a difference.
            let failure = try? report(.refusal(redirectURI: "http://localhost/callback"))
            return failure.map { JSONValue.object(FailureJSON.object($0)).serialize() + "\n" } ?? ""
        },
    ]
}

@Suite("Golden renderings")
struct RenderGoldenTests {
    @Test("each is byte for byte the recorded one", arguments: RenderGolden.cases)
    func golden(golden: RenderGolden) throws {
        let path = "\(RenderGolden.folder)/\(golden.name)"
        let found = golden.text()
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
            try FileManager.default.createDirectory(
                atPath: RenderGolden.folder, withIntermediateDirectories: true)
            try Data(found.utf8).write(to: URL(filePath: path))
            Issue.record("recorded \(golden.name)")
            return
        }
        let data = try #require(FileManager.default.contents(atPath: path))
        #expect(found == String(decoding: data, as: UTF8.self))
    }

    @Test("no recorded file is without its case")
    func unused() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: RenderGolden.folder)
        #expect(files.sorted() == RenderGolden.cases.map(\.name).sorted())
    }
}
