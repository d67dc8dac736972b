import FlowLanguage
import Testing
import YAMLText

@Suite("Routes")
struct RouteResolutionTests {
    private let ends = """
          exact: { result: failure }
          class: { result: failure }
          any: { result: failure }
          default_exact: { result: failure }
          default_class: { result: failure }
          default_any: { result: failure }
        """

    private func restore(_ next: String, defaults: String) throws -> FlowProgram {
        let text = FlowText.flow(
            "  restore: { next: { ok: done, any.choice: done, \(next) } }", start: "restore",
            extra: "defaults: { next: { \(defaults) } }", ends: ends)
        let compilation = FlowText.compile(text)
        #expect(compilation.diagnostics.allSatisfy { $0.code == "FL031" })
        return try #require(compilation.program)
    }

    private static let allDefaults = "corrupt: default_exact, any.data: default_class, any: default_any"

    @Test(
        "an outcome goes by the nearest line: exact, class, any, then the same of the defaults",
        arguments: [
            ("corrupt: exact, any.data: class, any: any", "exact", RouteRow.Reason.exact),
            ("any.data: class, any: any", "class", .byClass),
            ("any: any", "any", .any),
            ("any.internal: class", "default_exact", .defaultExact),
        ])
    func order(next: String, target: String, reason: RouteRow.Reason) throws {
        let program = try restore(next, defaults: Self.allDefaults)
        #expect(try program.targets("restore", .corrupt) == [target])
        #expect(try program.route("restore", .corrupt).reason == reason)
    }

    @Test("defaults are searched in the same order")
    func defaults() throws {
        let byClass = try restore(
            "store_failed: exact", defaults: "any.data: default_class, any: default_any")
        #expect(try byClass.targets("restore", .corrupt) == ["default_class"])
        #expect(try byClass.route("restore", .corrupt).reason == .defaultClass)
        let any = try restore("store_failed: exact", defaults: "any: default_any")
        #expect(try any.targets("restore", .corrupt) == ["default_any"])
        #expect(try any.route("restore", .corrupt).reason == .defaultAny)
    }

    @Test("any covers neither success nor choice outcomes, of a step or of the defaults")
    func wildcard() {
        let text = FlowText.flow(
            "  restore: { next: { any: failed } }", start: "restore",
            extra: "defaults: { next: { any: failed } }")
        let missing = FlowText.compile(text).diagnostics.filter { $0.code == "FL025" }
        #expect(missing.count == 5)
    }

    @Test("any.choice covers choice outcomes, also in the defaults")
    func choice() throws {
        let text = FlowText.flow(
            "  restore: { next: done }", start: "restore",
            extra: "defaults: { next: { any.choice: done, any: failed } }")
        let program = try FlowText.program(text)
        #expect(try program.targets("restore", .expired) == ["done"])
        #expect(try program.route("restore", .expired).reason == .defaultClass)
    }

    @Test("next with a list is about every success outcome")
    func sugar() throws {
        let text = FlowText.flow(
            "  work: { do: choose, next: [ { if: run.dry_run, to: failed }, done ] }", start: "work")
        #expect(try FlowText.program(text).targets("work", .ok) == ["failed", "done"])
    }

    @Test("if, assert and visits bring outcomes of their own")
    func ownOutcomes() throws {
        let plain = try FlowText.program(FlowText.flow("  work: { do: set, next: done }", start: "work"))
        #expect(plain.steps[0].routes.count == 1)
        let keys = "do: set, if: run.dry_run, assert: run.dry_run, visits: 2"
        let text = FlowText.flow(
            "  work: { \(keys), next: { ok: done, skipped: done, any: failed } }", start: "work")
        let program = try FlowText.program(text)
        #expect(try program.targets("work", .skipped) == ["done"])
        #expect(try program.route("work", .assertionFailed).outcomeClass == .data)
        #expect(try program.route("work", .exhausted).outcomeClass == .limit)
    }

    @Test("outcomes of one line share its edges and so its budget")
    func sharedBudget() throws {
        let text = FlowText.flow(
            "  clear: { next: { ok: done, any: [ { to: clear, max: 2 }, failed ] } }", start: "clear")
        let program = try FlowText.program(text)
        #expect(program.edges.count == 3)
        #expect(try program.edges[program.route("clear", .storeFailed).edges].map(\.maximum) == [2, nil])
    }

    @Test("failed and cancelled exist in every flow")
    func implicitEnds() throws {
        let program = try FlowText.program(FlowText.login)
        #expect(program.ends[program.failedEnd].name == "failed")
        #expect(program.ends[program.failedEnd].result == .failure)
        #expect(program.ends[program.cancelledEnd].result == .cancelled)
    }
}
