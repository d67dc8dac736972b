import FlowLanguage
import JOSE
import Testing
import YAMLText

@Suite("Flows that use other files")
struct LinkTests {
    private static let common = FlowText.flow(
        "  set: { next: done }", start: "set",
        extra: """
            inputs: { name: string, level: { type: int, default: 3 } }
            outputs: { greeting: string }
            defaults: { retry: { outcomes: [network], attempts: 4 } }
            calls: { find: { args: { id: string }, out: { user: string }, outcomes: [found, unknown] } }
            hooks:
              - { id: audit, at: flow.end, emit: { event: ended } }
            """
    ).replacing(
        "done: { result: success }", with: "done: { result: success, outputs: { greeting: \"hello\" } }")

    private static let sources = FlowSources(
        flow: { id, _ in id == "common" ? SourceFile(path: "common.flow.yaml", text: common) : nil },
        imported: { path, _ in path == "lib/common.flow.yaml" ? SourceFile(path: path, text: common) : nil })

    private func program(_ text: String) throws -> FlowProgram {
        let compilation = FlowCompiler.compile(
            SourceFile(path: "example.flow.yaml", text: text), sources: Self.sources)
        #expect(DiagnosticGolden.lines(compilation.diagnostics) == "")
        return try #require(compilation.program)
    }

    /// Flow `n` runs flow `n - 1` eight times; flow 0 is one step.
    private static let nested = FlowSources(
        flow: { id, _ in
            guard let level = Int(id) else { return nil }
            let steps = (0..<8).map { step in
                let next = step == 7 ? "done" : "s\(step + 1)"
                return
                    "  s\(step): { do: subflow, with: { flow: \"\(level - 1)\" }, next: { done: \(next), any: failed } }"
            }
            let text = level == 0 ? "  set: { next: done }" : steps.joined(separator: "\n")
            return SourceFile(
                path: "\(id).flow.yaml",
                text: FlowText.flow(text, start: level == 0 ? "set" : "s0"))
        }, imported: { _, _ in nil })

    @Test("flows that would be too large with those that they run are refused, however small their files are")
    func size() throws {
        for level in [2, 3, 6] {
            let source = try #require(Self.nested.flow("\(level)", ""))
            let compilation = FlowCompiler.compile(source, sources: Self.nested)
            #expect((compilation.program == nil) == (level > 2))
            let codes = Set(compilation.diagnostics.filter { $0.severity == .error }.map(\.code))
            #expect(codes == (level > 2 ? ["FL022"] : []))
        }
    }

    @Test(
        "a step that runs or calls nothing is told so, and there is no program",
        arguments: [
            ("do: subflow", "6:3: subflow step \"set\" needs \"flow\" in with"),
            ("do: call, with: { args: { a: b } }", "6:3: call step \"set\" needs \"port\" in with"),
            ("do: subflow, with: { flow: [x] }", "6:37: \"flow\" of step \"set\" must be a name, not a list"),
            (
                "do: call, with: { port: { a: b } }",
                "6:34: \"port\" of step \"set\" must be a name, not a mapping"
            ),
        ])
    func nothing(step: String, told: String) {
        let text = FlowText.flow("  set: { \(step), next: { any: failed } }", start: "set")
        let compilation = FlowCompiler.compile(SourceFile(path: "example.flow.yaml", text: text))
        #expect(compilation.program == nil)
        let errors = compilation.diagnostics.filter { $0.severity == .error && $0.code == "FL016" }
        #expect(errors.map { "\($0.span.start): \($0.message)" } == [told])
    }

    @Test("two flows that run each other are told so in both of their files")
    func circle() throws {
        let other = ["a": "b", "b": "a"]
        let sources = FlowSources(
            flow: { id, _ in
                other[id].map { next in
                    let step =
                        "  s: { do: subflow, with: { flow: \(next) }, next: { done: done, any: failed } }"
                    return SourceFile(path: "\(id).flow.yaml", text: FlowText.flow(step, start: "s"))
                }
            }, imported: { _, _ in nil })
        for id in ["a", "b"] {
            let compilation = FlowCompiler.compile(
                try #require(sources.flow(id, "")), sources: sources)
            let loop = [id, other[id] ?? "", id].map { "\($0).flow.yaml" }.joined(separator: " -> ")
            #expect(
                compilation.diagnostics.contains {
                    $0.message == "flows run each other in a circle: \(loop)"
                })
        }
    }

    @Test("an imported file lends its retry policy, its hooks and its ports")
    func parts() throws {
        let program = try program(
            FlowText.flow(
                """
                  discover: { retry: common.retry, next: ask }
                  ask: { do: call, with: { port: common.find, args: { id: x } }, next: { found: done, unknown: failed } }
                """, start: "discover",
                extra: """
                    import: { common: lib/common.flow.yaml }
                    defaults: { next: { any: failed } }
                    hooks: [common.audit]
                    """))
        #expect(try program.step("discover").retry?.attempts == 4)
        #expect(program.hooks.map(\.id) == ["audit"])
        #expect(program.ports.map(\.name) == ["common.find"])
        #expect(try program.step("ask").declaredOutcomes == ["found", "unknown"])
    }

    @Test("a sub-flow's steps are rows behind those of the flow, its ends outcomes, its outputs fields")
    func subflow() throws {
        let program = try program(
            FlowText.flow(
                """
                  inner: { do: subflow, with: { flow: common, inputs: { name: Ada } }, save: { vars.said: "${out.greeting}" }, next: done }
                """, start: "inner", extra: "vars: { said: string }"))
        #expect(program.steps.map(\.name) == ["inner", "inner/set"])
        #expect(program.ends.map(\.name).contains("inner/done"))
        #expect(program.steps[1].file == "common.flow.yaml")
        #expect(program.hooks.map(\.id) == ["inner/audit"])
        #expect(program.hooks.map(\.file) == ["common.flow.yaml"])
        let frame = try #require(program.frames.first)
        #expect(frame.steps == 1..<2)
        #expect(frame.inputs.map { $0.code == nil } == [false, true])
    }

    @Test(
        "bounds that make no sense are reported once",
        arguments: [
            ("{ type: int, min: 3, max: 2 }", ["\"min\" 3 is above \"max\" 2: no value is allowed"]),
            (
                "{ type: int, min: 0.5 }",
                ["\"min\" in input \"value\" must be an integer, not the number 0.5"]
            ),
            ("{ type: time, min: 0.5 }", ["\"min\" bounds numbers, texts and lists, not time"]),
            ("{ type: duration, max: 5m }", ["\"max\" bounds numbers, texts and lists, not duration"]),
            ("{ type: number, min: 2, max: 2.0 }", []),
        ])
    func bounds(input: String, messages: [String]) {
        let text = FlowText.flow("  set: { next: done }", start: "set", extra: "inputs: { value: \(input) }")
        #expect(FlowText.compile(text).diagnostics.map(\.message) == messages)
    }

    @Test(
        "the nearest type is named with what is around it",
        arguments: [
            ("strng", "; did you mean \"string\"?"),
            ("optional strin", "; did you mean \"optional string\"?"),
            ("list<itn>", "; did you mean \"list<int>\"?"),
            ("optional list<list<strng>>", "; did you mean \"optional list<list<string>>\"?"),
            ("list<elephant>", ""),
        ])
    func nearestType(type: String, suggestion: String) {
        let text = FlowText.flow(
            "  set: { next: done }", start: "set", extra: "inputs:\n  value: \"\(type)\"")
        #expect(
            FlowText.compile(text).diagnostics.map(\.message) == ["unknown type \"\(type)\"\(suggestion)"])
    }

    @Test(
        "an input's value is held against values, pattern, min, max and fields",
        arguments: [
            ("{ type: string, values: [a, b] }", Value.string("c"), "must be one of a, b"),
            ("{ type: string, pattern: '[a-z]+' }", .string("A"), "must match [a-z]+"),
            ("{ type: int, min: 2, max: 4 }", .int(5), "must be at most 4"),
            ("{ type: number, min: 0.5, max: 1.5 }", .number(0.25), "must be at least 0.5"),
            ("{ type: number, min: 0.5, max: 1.5 }", .int(2), "must be at most 1.5"),
            ("{ type: string, min: 2 }", .string("x"), "must be at least 2 characters long"),
            (
                "{ type: list<string>, max: 1 }", .list([.string("x"), .string("y")]),
                "must be at most 1 long"
            ),
            (
                "{ type: object, fields: { id: int } }", .json(["id": "x"]),
                "has a member \"id\" that is no int"
            ),
            ("{ type: object, fields: { id: int } }", .json([:]), "needs the member \"id\" (int)"),
        ])
    func constraints(input: String, value: Value, problem: String) throws {
        let program = try program(
            FlowText.flow("  set: { next: done }", start: "set", extra: "inputs: { value: \(input) }"))
        #expect(program.inputs[0].constraints?.problem(with: value) == problem)
    }

    @Test("where a failing hook leads, what its step should have left behind may be missing")
    func detour() {
        let steps = """
              discover: { next: { ok: use } }
              use: { do: set, save: { vars.from: "${steps.discover.source}" }, next: done }
            """
        let extra = """
            vars: { from: string }
            defaults: { next: { any: failed } }
            hooks: [ { id: h, at: step.before, steps: [discover], native: { name: h }, on_failure: { goto: use } } ]
            """
        #expect(
            FlowText.codes(
                FlowText.flow(steps, start: "discover", extra: extra, ends: "  failed: { result: failure }"))
                == ["FL047"])
    }
}
