import FlowLanguage
import FlowTesting
import Testing
import YAMLText

/// A flow that nobody wrote: random steps with random routes, kept when the linter finds no error in it.
struct GeneratedFlow: CustomTestStringConvertible, Sendable {
    let seed: Int
    let text: String
    /// The flow of its `subflow` steps.
    let inner: String
    let program: FlowProgram

    var testDescription: String { "flow \(seed)" }

    static let name = "generated.flow.yaml"

    /// The first flow without an error from a seed on; nearly every second attempt has none.
    static func make(_ seed: Int) throws -> GeneratedFlow {
        for attempt in 0..<200 {
            var dice = Dice(seed * 1_000 + attempt)
            let inner = FlowDraft(&dice, isInner: true).text
            let text = FlowDraft(&dice, isInner: false).text
            if let program = compile(text, inner).program {
                return GeneratedFlow(seed: seed, text: text, inner: inner, program: program)
            }
        }
        throw Unlucky(seed: seed)
    }

    /// The same flows with nothing at any point.
    var withoutHooks: FlowCompilation {
        func bare(_ text: String) -> String {
            let lines = text.split(separator: "\n").filter { $0 != "hooks:" && !$0.hasPrefix("  - {") }
            return lines.joined(separator: "\n") + "\n"
        }
        return Self.compile(bare(text), bare(inner))
    }

    static func compile(_ text: String, _ inner: String) -> FlowCompilation {
        let sources = FlowSources(
            flow: { id, _ in
                id == "inner" ? SourceFile(path: "inner.flow.yaml", text: inner) : nil
            }, imported: { _, _ in nil })
        return FlowCompiler.compile(SourceFile(path: name, text: text), sources: sources)
    }
}

/// No attempt from a seed is a valid flow.
private struct Unlucky: Error {
    let seed: Int
}

/// Writes one flow, step by step.
private struct FlowDraft {
    private struct Step {
        let name: String
        let kind: StepKind
        var with = ""
        /// Outcomes that are no failure and lead on along the main line.
        var goodOutcomes: [String] = []
    }

    private let isInner: Bool
    private var steps: [Step] = []
    private(set) var text = ""

    init(_ dice: inout Dice, isInner: Bool) {
        self.isInner = isInner
        plan(&dice)
        write(&dice)
    }

    // MARK: The main line

    /// Steps that need what the steps before them bring.
    private mutating func plan(_ dice: inout Dice) {
        let isLocal = isInner || dice.chance(30)
        if !isLocal { begin(&dice) }
        for _ in 0..<dice.roll(1...(isInner ? 3 : 5)) {
            if isLocal || dice.chance(45) { addLocal(&dice) } else { addTokenUser(&dice) }
        }
        if !isLocal, dice.chance(30) { add(.clear) }
    }

    private mutating func add(_ kind: StepKind, with: String = "", good: [String] = []) {
        let count = steps.count { $0.kind == kind }
        steps.append(
            Step(
                name: "\(kind.rawValue)_\(count)", kind: kind, with: with,
                goodOutcomes: good.isEmpty ? ["ok"] : good))
    }

    private mutating func begin(_ dice: inout Dice) {
        switch dice.roll(4) {
        case 0:
            add(.authorize, with: dice.chance(30) ? "{ scopes: [openid] }" : "")
            add(.callback)
            add(.exchange)
            add(.verifyIDToken, good: dice.chance(70) ? ["ok", "absent"] : [])
        case 1:
            add(.deviceAuthorize)
            add(.devicePoll)
            add(.verifyIDToken, good: ["ok", "absent"])
        case 2: add(dice.chance(50) ? .clientCredentials : .jwtBearer)
        default: add(.restore, good: dice.chance(50) ? ["ok", "expired"] : [])
        }
    }

    private mutating func addTokenUser(_ dice: inout Dice) {
        switch dice.roll(9) {
        case 0: add(.userinfo, good: dice.chance(30) ? ["ok", "unsupported"] : [])
        case 1:
            add(.refresh, good: dice.chance(30) ? ["ok", "absent"] : [])
            add(.verifyIDToken, good: ["ok", "absent"])
        case 2: add(.introspect, with: dice.chance(40) ? "{ signed: true }" : "")
        case 3: add(.revoke, good: ["ok", "partial", "absent"])
        case 4: add(.tokenExchange, with: "{ audience: [api], into: other }")
        case 5: add(.store, good: ["ok", "conflict"])
        case 6: add(.http, with: "{ url: \"https://api.example/report\", auth: bearer }")
        case 7: add(.logout, with: "{ present: none }", good: ["ok", "unsupported"])
        default:
            add(
                .restore, with: "{ into: kept }",
                good: ["ok", "expired", "absent", "unrefreshable", "insufficient"])
        }
    }

    private mutating func addLocal(_ dice: inout Dice) {
        switch dice.roll(isInner ? 5 : 8) {
        case 0, 1: add(.choose)
        case 2: add(.set)
        case 3: add(.wait, with: dice.chance(50) ? "{ for: 1s }" : "{ event: news }")
        case 4: add(.call, with: "{ port: \(dice.pick(["ask", "tell"])) }", good: [])
        case 5: add(.subflow, with: "{ flow: inner, inputs: { flag: \"${vars.flag}\" } }", good: ["done"])
        case 6: add(dice.chance(60) ? .discover : .register)
        default: add(.http, with: "{ url: \"https://api.example/report\" }")
        }
    }

    // MARK: Texts

    private static let ends = ["done", "failed", "stopped"]

    private mutating func write(_ dice: inout Dice) {
        text = """
            language: flow/1
            flow: \(isInner ? "inner" : "generated")
            inputs:
              flag: { type: bool, default: \(dice.chance(50)) }
              step: { type: int, default: \(dice.roll(1...3)) }
            outputs: { count: int, word: string, flag: bool, maybe: optional string }
            vars:
              count: { type: int, init: 0 }
              word: { type: string, init: a }
              flag: { type: bool, init: \(dice.chance(50)) }
              maybe: { type: optional string, init: null }
            limits: { deadline: 30d, transitions: \(dice.roll(8...80)), visits: \(dice.roll(3...25)) }
            calls:
              ask: { args: {}, out: { reply: string }, outcomes: [granted, refused, unsure] }
              tell: {}
            \(hooks(&dice))defaults:
              next:
            \(defaults(&dice))
            start: \(steps[0].name)
            steps:

            """
        for index in steps.indices { text += step(index, &dice) }
        let outputs =
            "outputs: { count: \"${vars.count}\", word: \"${vars.word}\", flag: \"${vars.flag}\", maybe: \"${vars.maybe}\" }"
        text += """
            ends:
              done: { result: success, \(outputs) }
              failed: { result: failure, \(outputs) }
              stopped: { result: cancelled, \(outputs) }

            """
    }

    private func defaults(_ dice: inout Dice) -> String {
        var lines = ["    any: failed", "    any.choice: failed"]
        if dice.chance(40) { lines.append("    any.denied: stopped") }
        if dice.chance(20) { lines.append("    server_error: stopped") }
        if dice.chance(30) {
            let last = dice.pick(["failed", "stopped"])
            lines.append(
                "    any.transient: [ { to: \(dice.pick(steps).name), max: \(dice.roll(1...2)) }, \(last) ]")
        }
        return lines.joined(separator: "\n")
    }

    /// Hooks whose answers come from outside, with all that they may do.
    private static let asked: [(at: String, keys: String)] = [
        ("flow.start", "writes: [vars.count],"), ("step.before", "may: [args, abort],"),
        ("step.request", "may: [headers, query],"),
        ("step.response", "writes: [vars.count], may: [set, outcome],"),
        ("step.after", "may: [{ goto: [failed, stopped] }],"), ("step.retry", ""), ("step.prompt", ""),
        ("tokens.received", ""), ("session.store", "may: [meta],"), ("flow.error", "writes: [vars.count],"),
        ("flow.end", ""),
    ]

    private func hooks(_ dice: inout Dice) -> String {
        var lines: [String] = []
        let data =
            "{ count: \"${vars.count}\", word: \"${vars.word}\", flag: \"${vars.flag}\", maybe: \"${vars.maybe ?? 'none'}\" }"
        if dice.chance(70) {
            lines.append("{ id: before, at: step.before, emit: { event: seen, data: \(data) } }")
        }
        if dice.chance(30) {
            let condition = dice.chance(50) ? "if: \"\(Self.condition(&dice, 1))\", " : ""
            lines.append(
                "{ id: change, at: \(dice.pick(["step.before", "step.after"])), steps: [\(dice.pick(steps).name)], \(condition)set: { \(Self.save(&dice)) } }"
            )
        }
        if dice.chance(10) {
            lines.append(
                "{ id: watch, at: step.after, steps: [\(dice.pick(steps).name)], assert: { that: \"\(Self.condition(&dice, 1))\" } }"
            )
        }
        if dice.chance(70) {
            lines.append("{ id: after, at: step.after, emit: { event: seen, data: \(data) } }")
        }
        for (index, point) in Self.asked.enumerated() where dice.chance(20) {
            let policy = dice.chance(60) ? "continue" : "abort"
            lines.append(
                "{ id: ask-\(index), at: \(point.at), \(point.keys) on_failure: \(policy), native: { name: ask } }"
            )
        }
        return lines.isEmpty ? "" : "hooks:\n" + lines.map { "  - \($0)\n" }.joined()
    }

    private func step(_ index: Int, _ dice: inout Dice) -> String {
        let step = steps[index]
        var text = "  \(step.name):\n    do: \(step.kind.rawValue)\n"
        if !step.with.isEmpty { text += "    with: \(step.with)\n" }
        var brought: [String] = []
        if dice.chance(12) {
            text += "    if: \"\(Self.condition(&dice, 1))\"\n"
            brought.append("skipped")
        }
        if dice.chance(12) {
            text += "    assert: \"\(Self.condition(&dice, 1))\"\n"
            brought.append("assertion_failed")
        }
        if dice.chance(20) {
            text += "    visits: \(dice.roll(1...4))\n"
            brought.append("exhausted")
        }
        if dice.chance(30) { text += "    save: { \(Self.save(&dice)) }\n" }
        if dice.chance(15), KindTable.spec(of: step.kind).replay == .idempotent {
            text += "    retry: { outcomes: [any.transient], attempts: 2 }\n"
        }
        return text + next(step, index, brought, &dice)
    }

    private func next(_ step: Step, _ index: Int, _ brought: [String], _ dice: inout Dice) -> String {
        let following = index + 1 < steps.count ? steps[index + 1].name : "done"
        var good = step.goodOutcomes
        var others = KindTable.spec(of: step.kind).outcomes.map(\.name) + brought
        if step.kind == .subflow { others = ["failed", "stopped"] }
        if step.kind == .call {
            good = step.with.contains("ask") ? ["granted"] : ["ok"]
            others += step.with.contains("ask") ? ["refused", "unsure"] : []
        }
        if good == ["ok"], dice.chance(30) {
            return "    next: \(edges(following, index, &dice))\n"
        }
        var text = "    next:\n"
        for outcome in good { text += "      \(outcome): \(edges(following, index, &dice))\n" }
        for outcome in others where !good.contains(outcome) {
            let isNeeded = step.kind == .subflow
            guard isNeeded || dice.chance(25) else { continue }
            text += "      \(outcome): \(edges(dice.pick(Array(Self.ends.dropFirst())), index, &dice))\n"
        }
        if dice.chance(10), !others.isEmpty { text += "      any: \(edges("failed", index, &dice))\n" }
        return text
    }

    /// A target, or alternatives with guards and budgets before it.
    private func edges(_ last: String, _ index: Int, _ dice: inout Dice) -> String {
        var edges: [String] = []
        while edges.count < 3, dice.chance(30) {
            let step = dice.roll(steps.count + 1)
            let target = step < steps.count ? steps[step].name : dice.pick(Self.ends)
            var parts = ["to: \(target)"]
            let isBack = step <= index
            if isBack || dice.chance(30) { parts.append("max: \(dice.roll(1...3))") }
            if !isBack || dice.chance(40) { parts.append("if: \"\(Self.condition(&dice, 2))\"") }
            if dice.chance(40) { parts.append("save: { \(Self.save(&dice)) }") }
            edges.append("{ \(parts.joined(separator: ", ")) }")
        }
        if edges.isEmpty {
            return dice.chance(10) ? "{ to: \(last), save: { \(Self.save(&dice)) } }" : last
        }
        return "[ \((edges + [last]).joined(separator: ", ")) ]"
    }

    // MARK: Expressions

    private static func condition(_ dice: inout Dice, _ depth: Int) -> String {
        if depth > 0, dice.chance(40) {
            let (left, right) = (condition(&dice, depth - 1), condition(&dice, depth - 1))
            return dice.pick(["\(left) && \(right)", "(\(left) || \(right)) && run.dry_run", "!(\(left))"])
        }
        let number = dice.roll(4)
        return dice.pick([
            "vars.count < \(number)", "vars.count == \(number)", "vars.count >= inputs.step",
            "vars.word == 'b'",
            "vars.word in ['a', 'b']", "vars.flag", "!vars.flag", "has(vars.maybe)",
            "(vars.maybe ?? 'z') == 'z'", "inputs.flag", "inputs.step > \(number)", "length(vars.word) > 2",
            "starts_with(vars.word, 'a')", "vars.flag != inputs.flag", "contains(vars.word, '-')",
        ])
    }

    private static func save(_ dice: inout Dice) -> String {
        switch dice.roll(4) {
        case 0:
            let values = ["${vars.count + 1}", "${vars.count - inputs.step}", "${length(vars.word)}"]
            return "vars.count: \"\(dice.pick(values))\""
        case 1:
            let values = [
                "${if(vars.flag, 'x', vars.word)}", "n-${vars.count}", "b", "${vars.maybe ?? 'it''s'}",
            ]
            return "vars.word: \"\(dice.pick(values))\""
        case 2:
            let values = ["${!vars.flag}", "${vars.count >= 2}", "${has(vars.maybe) || inputs.flag}"]
            return "vars.flag: \"\(dice.pick(values))\""
        default:
            let values = ["${vars.word}", "${null}", "${vars.maybe ?? upper(vars.word)}"]
            return "vars.maybe: \"\(dice.pick(values))\""
        }
    }
}
