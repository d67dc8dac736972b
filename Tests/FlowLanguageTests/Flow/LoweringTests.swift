import FlowLanguage
import Testing
import YAMLText

@Suite("Programs")
struct LoweringTests {
    @Test("slots lie in the order: common, inputs, variables, providers, step fields, token sets")
    func slots() throws {
        let text = FlowText.flow(
            "  clear: { next: { ok: done, any: failed } }", start: "clear",
            extra: "inputs: { a: optional string }\nvars: { b: optional int }")
        let program = try FlowText.program(text)
        let common = CommonSlot.allCases.map(\.row.path)
        let provider = ProviderMember.allCases.map { "provider.\($0.rawValue)" }
        let fields = KindTable.spec(of: .clear).errorFields.map { "steps.clear.\($0.name)" }
        let members = TokenSetRow.members.map { "tokens.main.\($0.name)" }
        let paths: [String] = common + ["inputs.a", "vars.b"] + provider + fields + members
        #expect(program.slots.map(\.path) == paths)
        #expect(program.inputs[0].slot == common.count)
        #expect(program.variables[0].slot == common.count + 1)
        #expect(program.steps[0].fieldBase == common.count + 2 + provider.count)
        #expect(
            program.tokenSets == [TokenSetRow(name: "main", slotBase: program.slots.count - members.count)])
    }

    @Test("a class in retry stands for the replay-safe outcomes of the kind")
    func retry() throws {
        let retry = "retry: { outcomes: [any.transient], attempts: 3 }"
        let program = try FlowText.program(
            FlowText.login.replacing("defaults: { ", with: "defaults: { \(retry), "))
        let authorize = try #require(program.step("authorize").retry)
        #expect(authorize.outcomes == [.network, .unanswered, .serverError, .rateLimited])
        let exchange = try #require(program.step("exchange").retry)
        #expect(exchange.outcomes == [.network, .rateLimited])
        #expect(exchange.attempts == 3)
        #expect(try program.step("callback").retry == nil)
    }

    @Test("an attempt has 20 seconds, a person five minutes, unless the flow says otherwise")
    func timeouts() throws {
        let program = try FlowText.program(FlowText.login)
        #expect(try program.step("exchange").timeout == 20_000)
        #expect(try program.step("callback").timeout == 300_000)
        let text = FlowText.login.replacing("defaults: { ", with: "defaults: { timeout: 7s, ")
            .replacing("callback: { ", with: "callback: { timeout: 1m, ")
        let other = try FlowText.program(text)
        #expect(try other.step("exchange").timeout == 7_000)
        #expect(try other.step("callback").timeout == 60_000)
    }

    @Test("token sets and sources are resolved also where they are left out")
    func impliedArguments() throws {
        let program = try FlowText.program(FlowText.login)
        guard case .step(let authorize) = try program.step("callback").argument("from"),
            case .step(let callback) = try program.step("exchange").argument("from"),
            case .tokenSet(let set) = try program.step("verify").argument("use")
        else {
            Issue.record("an implied argument is missing")
            return
        }
        #expect(program.steps[authorize].name == "authorize")
        #expect(program.steps[callback].name == "callback")
        #expect(program.tokenSets[set].name == "main")
        #expect(try program.step("authorize").argument("scopes") == nil)
    }

    @Test("hooks nest: the flow's come first before a step and last after it")
    func hookOrder() throws {
        let inline = "hooks: { before: [ { \(emit("c")) } ], after: [ { \(emit("d")) } ] }"
        let text = FlowText.flow(
            "  work: { do: set, \(inline), next: done }", start: "work",
            extra: "hooks: [ { at: step.before, \(emit("a")) }, { at: step.after, \(emit("b")) } ]")
        let program = try FlowText.program(text)
        func events(_ hooks: [Int]) -> [String] {
            hooks.map { index in
                if case .emit(let event, _) = program.hooks[index].action { event } else { "" }
            }
        }
        #expect(events(program.steps[0].beforeHooks) == ["a", "c"])
        #expect(events(program.steps[0].afterHooks) == ["d", "b"])
    }

    private func emit(_ event: String) -> String { "emit: { event: \(event) }" }

    @Test("filters decide at which steps and outcomes a hook fires")
    func hookFilters() throws {
        let hook =
            "id: seen, at: step.after, kinds: [exchange, callback], outcomes: [ok, any.security], on_failure: continue, native: { name: seen }"
        let text = FlowText.login.replacing("flow: example", with: "flow: example\nhooks: [ { \(hook) } ]")
        let program = try FlowText.program(text)
        #expect(program.steps.map(\.afterHooks.count) == [0, 1, 1, 0])
        #expect(
            program.hooks[0].outcomes == [
                .ok, .stateMismatch, .issuerMismatch, .signatureInvalid, .replayed, .insecure,
            ])
        #expect(program.hooks[0].onFailure == .continue)
        #expect(program.hooks[0].timeout == 1_000)
    }

    @Test("the digest knows what a flow does, not how it is written")
    func digest() throws {
        let digest = try FlowText.program(FlowText.login).digest
        #expect(digest.utf8.count == 64)
        let comments = FlowText.login.replacing(
            "flow: example", with: "# a sign-in\nflow: 'example'   # its name"
        )
        .replacing(
            "callback: { next: exchange }", with: "callback:\n    next:\n      ok: exchange\n    note: waits")
        #expect(try FlowText.program(comments).digest == digest)
        let other = FlowText.login.replacing("callback: { next", with: "callback: { timeout: 1m, next")
        #expect(try FlowText.program(other).digest != digest)
        let guarded = FlowText.login.replacing("headless: failed", with: "headless: done")
        #expect(try FlowText.program(guarded).digest != digest)
    }

    @Test("embedded tests keep what they assume and expect")
    func embeddedTests() throws {
        let test =
            "{ name: busy, assume: [clear@2=store_failed], expect: { end: failed, visits: { clear: 2 } } }"
        let text =
            FlowText.flow("  clear: { next: { ok: done, any: failed } }", start: "clear")
            + "\ntests: [ \(test) ]"
        let found = try #require(FlowText.program(text).tests.first)
        #expect(found.assumptions == [Assumption(step: "clear", visit: 2, answer: .outcome("store_failed"))])
        #expect(found.end == "failed")
        #expect(found.visits.map(\.step) == ["clear"] && found.visits.map(\.count) == [2])
    }

    @Test("a program is made only when nothing is wrong; warnings do not count")
    func errors() {
        let text = FlowText.flow("  work: { do: set, next: doen }", start: "work")
        #expect(FlowText.compile(text).program == nil)
        let warned = FlowText.flow(
            "  work: { do: set, next: done }", start: "work", ends: "  rest: { result: failure }")
        #expect(FlowText.codes(warned) == ["FL031"])
        #expect(FlowText.compile(warned).program != nil)
    }

    @Test("a long chain of steps is compiled without deep recursion")
    func longChain() throws {
        let steps =
            (0..<600).map { "  s\($0): { do: set, next: s\($0 + 1) }" } + ["  s600: { do: set, next: done }"]
        let text = FlowText.flow(steps.joined(separator: "\n"), start: "s0")
        #expect(try FlowText.program(text).steps.count == 601)
    }
}
