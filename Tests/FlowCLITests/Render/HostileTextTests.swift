import FlowReport
@testable import FlowCLI
@testable import FlowEngine
import JOSE
import OAuthProtocol
import Testing

@Suite("Hostile texts")
struct HostileTextTests {
    private static let hostile = "a\u{1B}[31m\u{202E}\nb\r\u{9B}2K\u{7}\u{2028}\"\\"

    /// A run in which everything that can be a text is hostile.
    private static var run: SampleRun {
        let evil = hostile
        let parameter = TracedParameter(name: evil, value: .text(evil), source: evil, reference: evil)
        let secret = TracedParameter(
            name: evil, value: .prefixed(evil, kind: evil, length: 1, fingerprint: evil), source: evil,
            reference: evil)
        var run = SampleRun()
        run.start(inputs: [parameter])
        run.enter(evil, evil)
        run.add(
            .request(
                TracedRequest(
                    purpose: evil, method: evil, endpoint: evil, query: [parameter, secret], fields: [secret],
                    body: [parameter], bodyFormat: evil)))
        run.add(
            .response(
                TracedResponse(
                    status: 400, contentType: evil, bytes: 1, members: [parameter, secret], duration: 1)))
        run.add(.transportFailure(cause: evil, delivered: true, message: evil))
        run.add(SampleRun.check(1, evil, evil, .failed(expected: evil, actual: evil)))
        run.add(SampleRun.check(1, evil, evil, .notApplicable(reason: evil)))
        run.add(.note(evil))
        run.add(.warning(evil))
        run.add(
            .security(
                // A check's own words are the program's, whatever an answer says.
                SecurityEvent(
                    .critical, .refused, Check(1, "iss", "RFC 9207 §2.4"), host: evil, evil,
                    evidence: [.init(evil, evil)])))
        run.add(.actionRequired(TracedAction(url: evil, opened: evil, expiresAt: 0)))
        run.add(.waiting(forWhat: evil, until: 1))
        run.add(.callbackIgnored(reason: evil))
        run.add(
            .hook(
                TracedHook(
                    id: evil, point: evil, action: evil, decision: evil, reads: [evil], grants: [evil],
                    wrote: [evil],
                    message: evil)))
        run.add(.retry(outcome: evil, attempt: 2, delay: 1, reason: evil))
        run.add(.saved(variables: [evil]))
        run.leave(
            evil, evil, error: evil, description: evil, to: evil, isEnd: true, reason: evil, edge: evil,
            others: [(evil, evil)])
        run.finish(evil, "failure", message: evil, error: evil, exit: 6, outputs: [parameter])
        return run
    }

    private func isHarmless(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalar == "\n"
            default: true
            }
        }
    }

    @Test("none reaches a terminal or a file as it is [rule 181]")
    func renderers() throws {
        let options = RenderOptions(verbosity: .debug)
        #expect(isHarmless(RenderGolden.text(Self.run, PlanRenderer(options))))
        #expect(isHarmless(RenderGolden.text(Self.run, TextTrace(options, revealsActionURL: true))))
        #expect(isHarmless(RenderGolden.text(Self.run, LiveProgress(options, isTerminal: false))))
        #expect(isHarmless(RenderGolden.text(Self.run, JSONLinesTrace(revealsActionURL: true))))
        let report = try RenderGolden.report(Self.run)
        #expect(isHarmless(FailureForm(options).render(report, sources: [RenderGolden.source])))
        #expect(isHarmless(JSONValue.object(FailureJSON.object(report)).serialize()))
    }

    @Test("none breaks a line of JSON, and each comes back as it was [rule 183]")
    func json() throws {
        let lines = RenderGolden.text(Self.run, JSONLinesTrace(revealsActionURL: true)).split(separator: "\n")
        #expect(lines.count == Self.run.events.count)
        let note = try #require(lines.first { $0.contains("\"type\":\"note\"") })
        #expect(try JSON.parse(Array(note.utf8)).objectValue?["message"]?.stringValue == Self.hostile)
    }
}
