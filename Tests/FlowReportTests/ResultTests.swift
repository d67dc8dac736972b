import FlowEngine
import FlowReport
import Testing

@Suite("Reports for build servers")
struct ResultTests {
    private static func count(_ part: String, in text: String) -> Int { text.ranges(of: part).count }

    @Test("a success has no failure, whatever its steps ran into", arguments: ["login", "retried", "device"])
    func success(name: String) throws {
        let junit = try Recorded.report(name, .junit)
        #expect(!junit.contains("<failure"))
        #expect(junit.contains("failures=\"0\""))
        let tap = try Recorded.report(name, .tap)
        #expect(!tap.contains("not ok"))
    }

    @Test("a failure is that of one step, with why and what helps", arguments: ["refused", "forged"])
    func failure(name: String) throws {
        let junit = try Recorded.report(name, .junit)
        #expect(Self.count("<failure", in: junit) == 1)
        #expect(junit.contains("fix: "))
        let tap = try Recorded.report(name, .tap)
        #expect(Self.count("\nnot ok ", in: tap) == 1)
        #expect(tap.contains("  fixes:\n    - \""))
        #expect(tap.contains("  exit: \"\(name == "forged" ? "7 (security)" : "5 (denied)")\"\n"))
    }

    @Test("the plan of test points fits their number", arguments: Recorded.names)
    func plan(name: String) throws {
        let lines = try Recorded.report(name, .tap).split(separator: "\n")
        let points = lines.filter { $0.hasPrefix("ok ") || $0.hasPrefix("not ok ") }
        #expect(lines[1] == "1..\(points.count)")
        for (index, point) in points.enumerated() { #expect(point.contains("ok \(index + 1) - ")) }
    }

    @Test("a trace that breaks off is no success, and fails in the step that it breaks off in")
    func brokenOff() throws {
        let all = try Recorded.events("login")
        for (kind, test) in [("callback", "callback"), (nil, "run")] {
            let events = Array(
                all.prefix { event in
                    guard case .stepEnd = event.body else { return kind != nil || event.step == nil }
                    return kind == nil || event.step != kind
                })
            let junit = Report.render(events, .junit)
            #expect(junit.contains("failures=\"1\""))
            #expect(Self.count("<failure", in: junit) == 1)
            let tap = Report.render(events, .tap)
            #expect(Self.count("\nnot ok ", in: tap) == 1)
            #expect(tap.contains(" - \(test)\n  ---\n  message: \"the trace breaks off here"), "\(tap)")
        }
    }

    @Test("a run that fails before its first step bears the failure itself")
    func noStep() {
        let events = [
            TraceEvent(
                sequence: 1, time: 0, step: nil,
                body: .runStart(
                    RunStart(
                        run: "r", flow: "f", version: 1, digest: "", provider: "p", isDryRun: false,
                        inputs: []))),
            TraceEvent(
                sequence: 2, time: 5, step: nil,
                body: .runEnd(
                    RunEnd(
                        end: "(engine)", result: "failure", message: nil, errorCode: "hook_failed",
                        failureClass: .denied, exit: 11, transitions: 0, retries: 0, duration: 5, outputs: [])
                )),
        ]
        #expect(Report.render(events, .tap).contains("1..1\n"))
        #expect(Report.render(events, .tap).contains("not ok 1 - run\n"))
        let junit = Report.render(events, .junit)
        #expect(junit.contains("tests=\"1\" failures=\"1\""))
        #expect(junit.contains("<testcase name=\"run\""))
    }
}
