import FlowLanguage
import Testing
import YAMLText

@Suite("Data flow")
struct DataFlowTests {
    private let variables = "vars: { who: string, copy: string }"

    @Test("a variable that every path sets may be read")
    func everyPath() {
        let steps = """
              work: { do: choose, next: [ { if: run.dry_run, to: left }, right ] }
              left: { do: set, save: { vars.who: a }, next: both }
              right: { do: set, next: { ok: { to: both, save: { vars.who: b } } } }
              both: { do: set, save: { vars.copy: "${vars.who}" }, next: done }
            """
        #expect(FlowText.codes(FlowText.flow(steps, start: "work", extra: variables)) == [])
    }

    @Test("a loop that comes back before the variable is set is a path too")
    func loops() {
        let steps = """
              work: { do: choose, next: [ { if: run.dry_run, to: both }, set ] }
              set: { save: { vars.who: a }, next: [ { to: work, max: 1 }, both ] }
              both: { do: set, save: { vars.copy: "${vars.who}" }, next: done }
            """
        #expect(FlowText.codes(FlowText.flow(steps, start: "work", extra: variables)) == ["FL047"])
    }

    @Test(
        "?? and has make a value that may be missing usable",
        arguments: [
            "save: { vars.copy: \"${vars.who ?? 'nobody'}\" }, next: done",
            "if: has(vars.who), save: { vars.copy: \"${vars.who}\" }, next: { ok: done, skipped: done }",
            "next: { ok: [ { if: has(vars.who), to: done, save: { vars.copy: \"${vars.who}\" } }, failed ] }",
        ])
    func guards(step: String) {
        let text = FlowText.flow("  work: { do: set, \(step) }", start: "work", extra: variables)
        #expect(FlowText.codes(text) == [])
    }

    @Test("an edge knows the outcome it belongs to")
    func outcome() {
        let next = "absent: done, ok: { to: done, save: { vars.who: \"${out.subject}\" } }"
        let text = FlowText.login.replacing("{ ok: done, absent: done }", with: "{ \(next) }")
            .replacing("flow: example", with: "flow: example\n\(variables)")
        #expect(FlowText.codes(text) == [])
    }

    @Test("a hook that aborts on failure sets for sure; one that continues does not")
    func hooks() {
        let hook =
            "id: who, at: step.after, steps: [work], writes: [vars.who], native: { name: who }, simulate: {}"
        let steps = """
              work: { do: set, next: read }
              read: { do: set, save: { vars.copy: "${vars.who}" }, next: done }
            """
        func codes(_ policy: String) -> [String] {
            let extra = "\(variables)\nhooks: [ { \(hook)\(policy) } ]"
            return FlowText.codes(FlowText.flow(steps, start: "work", extra: extra))
        }
        #expect(codes("") == [])
        #expect(codes(", on_failure: continue") == ["FL080"])
        #expect(codes(", if: run.dry_run") == ["FL047"])
    }

    @Test("restore leaves its fields behind on every outcome that loads a session")
    func restore() {
        let steps = """
              restore: { next: { ok: keep, expired: keep, unrefreshable: keep, insufficient: keep, absent: done } }
              keep: { do: set, save: { vars.ready: "${steps.restore.refreshable}" }, next: done }
            """
        let extra = "vars: { ready: bool }\ndefaults: { next: { any: failed } }"
        #expect(FlowText.codes(FlowText.flow(steps, start: "restore", extra: extra)) == [])
    }

    @Test(
        "a hook before a step has set nothing where the step was passed over",
        arguments: [
            ("next: { ok: read }", "read", []),
            ("if: run.dry_run, next: { ok: read, skipped: failed }", "read", []),
            ("if: run.dry_run, next: { ok: read, skipped: read }", "read", ["FL047"]),
            ("visits: 1, next: { ok: read, exhausted: read }", "read", ["FL047"]),
        ])
    func passedOver(keys: String, next: String, codes: [String]) {
        let steps = """
              work: { do: set, \(keys) }
              read: { do: set, save: { vars.copy: "${vars.who}" }, next: done }
            """
        let hook = "id: who, at: step.before, steps: [work], set: { vars.who: a }"
        let extra = "\(variables)\ndefaults: { next: { any: failed } }\nhooks: [ { \(hook) } ]"
        #expect(FlowText.codes(FlowText.flow(steps, start: "work", extra: extra)) == codes)
    }

    @Test("what a hook at the start of the flow sets is set everywhere, what one elsewhere sets is not")
    func startHook() {
        let steps = "  read: { do: set, save: { vars.copy: \"${vars.who}\" }, next: done }"
        let codes = { (point: String) in
            FlowText.codes(
                FlowText.flow(
                    steps, start: "read",
                    extra: "\(variables)\nhooks: [ { id: who, at: \(point), set: { vars.who: a } } ]"))
        }
        #expect(codes("flow.start") == [])
        #expect(codes("step.after") == ["FL047"])
    }

    @Test("the engine may end a flow as failed or cancelled before anything is set")
    func earlyEnds() {
        let steps = "  work: { do: set, save: { vars.who: a }, next: done }"
        let codes = { (end: String) in
            FlowText.codes(
                FlowText.flow(
                    steps, start: "work", extra: variables,
                    ends: "  \(end): { result: failure, message: \"${vars.who}\" }"))
        }
        #expect(codes("failed") == ["FL047"])
        #expect(codes("cancelled") == ["FL047"])
    }

    @Test("a simulated hook writes no more than a real one may")
    func simulatedWrites() {
        let codes = { (path: String) in
            FlowText.codes(
                FlowText.flow(
                    "  set: { next: done }", start: "set",
                    extra: """
                        vars: { a: { type: string, init: x }, b: { type: string, init: x } }
                        hooks:
                          - id: h
                            at: step.after
                            writes: [vars.a]
                            native: { name: h }
                            simulate: { set: { \(path): y } }
                        """))
        }
        #expect(codes("vars.a") == [])
        #expect(codes("vars.b") == ["FL085"])
    }
}
