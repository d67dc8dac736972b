import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("Routes")
struct RoutingTests {
    private func restore(_ next: String, defaults: String, _ event: InputEvent, extra: String = "")
        async throws -> StepEnd
    {
        let flow = FlowTexts.flow(
            "  restore: { next: \(next) }", start: "restore", extra: extra,
            defaults: "defaults: { next: \(defaults) }",
            ends: """
                  done: { result: success }
                  other: { result: failure }
                  failed: { result: failure }
                """)
        let run = await Conversation.run(try Compiled.plan(flow), [ScriptedEffect("load session", event)])
        return try #require(run.lastEnd(of: "restore"))
    }

    struct Resolution: Sendable, CustomTestStringConvertible {
        let next: String
        let defaults: String
        let reason: String
        let target: String

        var testDescription: String { "\(next) with defaults \(defaults): \(reason)" }
    }

    /// The order of flow/1 §6 for the outcome `store_failed` [internal].
    static let resolutions = [
        Resolution(
            next: "{ ok: done, store_failed: other, any.internal: failed, any: failed }",
            defaults: "{ any.choice: failed, any: failed }", reason: "exact", target: "other"),
        Resolution(
            next: "{ ok: done, any.internal: other, any: failed }",
            defaults: "{ store_failed: failed, any.choice: failed, any: failed }", reason: "class",
            target: "other"),
        Resolution(
            next: "{ ok: done, any: other }",
            defaults: "{ store_failed: failed, any.choice: failed, any: failed }",
            reason: "any", target: "other"),
        Resolution(
            next: "{ ok: done }",
            defaults: "{ store_failed: other, any.internal: failed, any.choice: failed, any: failed }",
            reason: "default", target: "other"),
        Resolution(
            next: "{ ok: done }", defaults: "{ any.internal: other, any.choice: failed, any: failed }",
            reason: "default class", target: "other"),
        Resolution(
            next: "{ ok: done }", defaults: "{ any.choice: failed, any: other }", reason: "default any",
            target: "other"),
    ]

    @Test("the nearest and most exact rule wins, and the trace says which", arguments: resolutions)
    func resolution(_ given: Resolution) async throws {
        let end = try await restore(given.next, defaults: given.defaults, .storeFailed(reason: "disk full"))
        #expect(end.target == given.target)
        #expect(end.reason == given.reason)
        #expect(end.outcomeClass == "internal")
        #expect(end.targetIsEnd)
    }

    @Test("the trace says where a line was looked for, and what is there", arguments: resolutions)
    func looks(_ given: Resolution) async throws {
        let end = try await restore(given.next, defaults: given.defaults, .storeFailed(reason: "disk full"))
        let lines = try #require(end.resolution?.lines)
        let order = ["exact", "class", "any", "default", "default class", "default any"]
        let places = lines.compactMap { order.firstIndex(of: $0.reason) }
        #expect(places == places.sorted())
        #expect(lines.filter { $0.verdict == .taken }.map(\.reason) == [given.reason])
        let taken = try #require(lines.firstIndex { $0.verdict == .taken })
        #expect(lines[..<taken].allSatisfy { $0.verdict == .absent && $0.place == nil })
        #expect(lines[..<taken].map(\.reason) == Array(order[..<taken]))
        #expect(lines[(taken + 1)...].allSatisfy { $0.verdict == .notReached && $0.place != nil })
    }

    @Test("a line \"any\" that does not cover a choice is told")
    func notCovered() async throws {
        let end = try await restore(
            "{ ok: done, any: other }", defaults: "{ any.choice: failed, any: failed }", .noSession)
        #expect(end.outcome == "absent")
        #expect(
            end.resolution?.lines.map { "\($0.reason): \($0.verdict.rawValue)" } == [
                "exact: absent", "class: absent", "any: not_covered", "default: absent",
                "default class: taken",
            ])
        #expect(end.resolution?.alternatives.map(\.target) == ["failed"])
    }

    @Test("the trace names the routes that were not taken")
    func others() async throws {
        let end = try await restore(
            "{ ok: done, any.choice: other }", defaults: "{ any: failed }", .noSession)
        #expect(end.outcome == "absent")
        #expect(
            end.otherRoutes.map { "\($0.outcome) \($0.target)" } == [
                "ok done", "expired other", "unrefreshable other", "insufficient other", "corrupt failed",
                "store_failed failed",
            ])
    }

    // MARK: Guards, budgets, visits

    private static func counting(_ choose: String, extra: String = "", ends: String = "") -> String {
        FlowTexts.flow(
            "  count: { do: set, save: { vars.num: \"${vars.num + 1}\" }, next: pick }\n  pick: \(choose)",
            start: "count",
            extra:
                "vars: { num: { type: int, init: 0 }, last: { type: string, init: '' } }\noutputs: { num: int, last: string }\n\(extra)",
            defaults: "",
            ends: """
                  done: { result: success, outputs: { num: "${vars.num}", last: "${vars.last}" } }
                  failed: { result: failure }
                \(ends)
                """)
    }

    @Test("the first edge whose guard holds is taken")
    func guards() async throws {
        let flow = Self.counting(
            "{ do: choose, visits: 10, next: { ok: [ { if: vars.num < 3, to: count }, done ], exhausted: failed } }"
        )
        let run = await Conversation.run(try Compiled.plan(flow), [])
        #expect(run.output("num") == .int(3))
        #expect(
            run.events.stepEnds.filter { $0.step == "pick" }.map(\.end.edge) == [
                "edge 1 of 2", "edge 1 of 2", "edge 2 of 2",
            ])
    }

    @Test("how a way was found is told of the first rounds of a loop")
    func rounds() async throws {
        let flow = Self.counting(
            "{ do: choose, visits: 30, next: { ok: [ { if: vars.num < 20, to: count }, done ], exhausted: failed } }",
            extra: "limits: { visits: 100, transitions: 100 }")
        let run = await Conversation.run(try Compiled.plan(flow), [])
        let told = run.events.stepEnds.filter { $0.step == "pick" }.map { $0.end.resolution != nil }
        #expect(told == (1...20).map { $0 <= 16 })
    }

    @Test("what a guard reads of a sensitive value is shown in no form")
    func sensitive() async throws {
        let flow = FlowTexts.flow(
            """
              keep: { do: set, save: { vars.words: "${[inputs.word]}" }, next: pick }
              pick: { do: choose, next: [ { if: "vars.words[0] ?? '' != ''", to: done }, failed ] }
            """, start: "keep",
            extra: "inputs: { word: { type: sensitive } }\nvars: { words: { type: list<string>, init: [] } }",
            defaults: "", ends: "  done: { result: success }\n  failed: { result: failure }")
        let run = await Conversation.run(
            try Compiled.plan(flow, inputs: ["word": .string("open sesame")]), [])
        #expect(run.end == "done")
        let read = try #require(run.lastEnd(of: "pick")?.resolution?.alternatives.first?.values)
        #expect(read.map(\.name) == ["vars.words"])
        #expect(!"\(read)".contains("sesame"), "\(read)")
    }

    @Test("an edge whose budget is used up is passed over")
    func budgets() async throws {
        let flow = Self.counting("{ do: choose, next: [ { to: count, max: 2 }, done ] }")
        let run = await Conversation.run(try Compiled.plan(flow), [])
        #expect(run.output("num") == .int(3))
        let edges = run.events.stepEnds.filter { $0.step == "pick" }.map(\.end.edge)
        #expect(edges == ["edge 1 of 2, 1 of 2 used", "edge 1 of 2, 2 of 2 used", "edge 2 of 2"])
    }

    @Test("an edge may say what it means to take it")
    func edgeSaves() async throws {
        let flow = Self.counting(
            "{ do: choose, next: [ { to: count, max: 1, save: { vars.last: again } }, { to: done, save: { vars.last: over } } ] }"
        )
        let run = await Conversation.run(try Compiled.plan(flow), [])
        #expect(run.output("last") == .string("over"))
        let saved = run.events.compactMap { event -> [String]? in
            if case .saved(let variables) = event.body { variables } else { nil }
        }
        #expect(saved == [["vars.num"], ["vars.last"], ["vars.num"], ["vars.last"]])
    }

    @Test("the entry after the last allowed one is exhausted and does nothing")
    func visits() async throws {
        let flow = Self.counting("{ do: choose, visits: 2, next: { ok: count, exhausted: done } }")
        let run = await Conversation.run(try Compiled.plan(flow), [])
        #expect(run.outcomes(of: "pick") == ["ok", "ok", "exhausted"])
        #expect(run.lastEnd(of: "pick")?.description == "entered 3 times, 2 allowed")
        #expect(run.output("num") == .int(3))
    }

    @Test("limits.visits ends a run that no step bounds")
    func visitLimit() async throws {
        let flow = Self.counting(
            "{ do: choose, next: [ { to: count, max: 1000 }, done ] }",
            extra: "limits: { visits: 5, transitions: 1000 }")
        let run = await Conversation.run(try Compiled.plan(flow), [])
        #expect(run.end == "failed")
        #expect(
            run.outcome.end.error
                == RunFailure(.visits, "step \"count\" was entered more often than limits.visits allows"))
        #expect(run.outcome.exitStatus == 1)
    }

    @Test("limits.transitions ends a run")
    func transitionLimit() async throws {
        let flow = Self.counting(
            "{ do: choose, next: [ { to: count, max: 1000 }, done ] }",
            extra: "limits: { visits: 1000, transitions: 7 }")
        let run = await Conversation.run(try Compiled.plan(flow), [])
        #expect(run.outcome.end.error == RunFailure(.transitions, "the run made more than 7 transitions"))
        #expect(run.outcome.end.transitions == 7)
    }

    // MARK: What a step leaves behind

    @Test("a step whose condition does not hold is skipped, and what it brought before is gone")
    func skipped() async throws {
        let flow = FlowTexts.flow(
            """
              load: { do: restore, if: vars.num < 1, next: { ok: count, skipped: done } }
              count: { do: set, save: { vars.num: "${vars.num + 1}" }, next: again }
              again: { do: choose, next: [ { to: load, max: 1 }, done ] }
            """, start: "load",
            extra: "vars: { num: { type: int, init: 0 } }\noutputs: { who: optional string }",
            ends: """
                  done: { result: success, outputs: { who: "${steps.load.subject ?? null}" } }
                  failed: { result: failure }
                """)
        let run = await Conversation.run(try Compiled.plan(flow), [Scripts.load()])
        #expect(run.outcomes(of: "load") == ["ok", "skipped"])
        #expect(run.output("who") == .null)
    }

    @Test("an assertion that does not hold turns success into assertion_failed, and nothing is saved")
    func assertions() async throws {
        let flow = FlowTexts.flow(
            """
              restore:
                assert: { that: "'files' in out.scopes", message: no files }
                save: { vars.who: "${out.subject ?? 'nobody'}" }
                next: { ok: done, assertion_failed: sad }
            """, start: "restore",
            extra: "vars: { who: { type: string, init: unset } }\noutputs: { who: string }",
            ends: """
                  done: { result: success, outputs: { who: "${vars.who}" } }
                  sad: { result: failure, outputs: { who: "${vars.who}" } }
                  failed: { result: failure }
                """)
        let run = await Conversation.run(try Compiled.plan(flow), [Scripts.load()])
        #expect(run.outcomes(of: "restore") == ["assertion_failed"])
        #expect(run.lastEnd(of: "restore")?.description == "no files")
        #expect(run.output("who") == .string("unset"))
    }

    @Test("run.now is the time at which the step was entered")
    func now() async throws {
        let flow = FlowTexts.flow(
            "  first: { do: restore, next: { ok: second } }\n  second: { do: set, save: { vars.t: \"${run.now}\" }, next: done }",
            start: "first", extra: "vars: { t: { type: time } }\noutputs: { t: time }",
            ends: "  done: { result: success, outputs: { t: \"${vars.t}\" } }\n  failed: { result: failure }")
        let load = Scripts.load()
        let script = [ScriptedEffect("load session", after: 1_500, load.answer)]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.output("t") == .time(ManualClock.start + 1_500))
    }
}
