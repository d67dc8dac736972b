internal import FlowEngine
internal import FlowLanguage
internal import YAMLText

/// What the tests of one flow came to.
struct FlowTestReport: Sendable {
    struct Entry: Sendable {
        let test: EmbeddedTest
        /// A line each; empty when the test passes.
        let failures: [String]
    }

    let flow: LoadedFlow
    let entries: [Entry]
    let coverage: FlowCoverage

    var failed: Int { entries.count { !$0.failures.isEmpty } }
}

/// Which outcomes of which steps some test passed through.
struct FlowCoverage: Sendable {
    struct Gap: Sendable {
        let step: String
        let span: SourceSpan
        let outcomes: [String]
    }

    private(set) var total = 0
    private(set) var covered = 0
    /// In the order of the steps.
    private(set) var gaps: [Gap] = []

    init(_ program: FlowProgram, _ passages: Set<EmbeddedTestRun.Passage>) {
        for (index, step) in program.steps.enumerated() {
            let outcomes = step.routes.indices.filter { step.routes[$0] != RouteRow.none }.map {
                program.name(of: Outcome(rawValue: UInt8($0)), at: index)
            }
            let missing = outcomes.filter { !passages.contains(.init(step: step.name, outcome: $0)) }
            total += outcomes.count
            covered += outcomes.count - missing.count
            if !missing.isEmpty { gaps.append(Gap(step: step.name, span: step.span, outcomes: missing)) }
        }
    }

    /// One FL102 for each step that has outcomes without a test.
    func diagnostics(in file: String) -> [Diagnostic] {
        gaps.map { gap in
            Diagnostic(
                code: "FL102", severity: FlowRule.rule(of: "FL102")?.severity ?? .warning, file: file,
                span: gap.span,
                message:
                    "step \"\(gap.step)\": no test passes through \(gap.outcomes.joined(separator: ", "))")
        }
    }
}

/// Rehearses the tests that flows bring along.
///
/// Depends on the files alone: neither registrations nor the environment are looked at.
struct FlowTests: Sendable {
    let context: CommandContext
    /// Of tests that name none.
    let provider: String?
    /// Only tests whose name holds it.
    let filter: String?

    /// Provider of tests whose flow names none.
    private static let usualProvider = "sandbox"

    func run(_ flow: LoadedFlow) async throws(Problem) -> FlowTestReport {
        try checkProviders(flow)
        var entries: [FlowTestReport.Entry] = []
        var passages: Set<EmbeddedTestRun.Passage> = []
        for test in flow.program.tests where filter.map(test.name.contains) ?? true {
            let result = try await result(of: test, flow)
            entries.append(FlowTestReport.Entry(test: test, failures: result.failures))
            passages.formUnion(result.passages)
        }
        return FlowTestReport(
            flow: flow, entries: entries, coverage: FlowCoverage(flow.program, passages))
    }

    /// FL101: a test whose provider there is not tests nothing of the flow.
    private func checkProviders(_ flow: LoadedFlow) throws(Problem) {
        var diagnostics: [Diagnostic] = []
        func check(_ name: String, at span: SourceSpan) {
            guard (try? context.library.path(.provider, name)) == nil else { return }
            let suggestion = ArgumentReader.suggestion(name, context.library.providerNames())
            diagnostics.append(
                Diagnostic(
                    code: "FL101", file: flow.source.path, span: span,
                    message: "the tests name unknown provider \"\(name)\"\(suggestion)",
                    hint: suggestion.isEmpty ? "see: flowrun provider list" : nil))
        }
        let tests = flow.program.tests.filter { test in filter.map(test.name.contains) ?? true }
        for test in tests {
            if let name = test.provider { check(name, at: test.providerSpan ?? test.span) }
        }
        let isReplaced = provider != nil || tests.allSatisfy { $0.provider != nil }
        for (index, slot) in flow.program.providers.enumerated() where index > 0 || !isReplaced {
            if let name = slot.standard { check(name.value, at: name.span) }
        }
        guard !diagnostics.isEmpty else { return }
        throw Problem(
            .config, "\(flow.source.path) has tests that cannot be run", diagnostics: diagnostics.sorted(),
            sources: [flow.source])
    }

    private func result(of test: EmbeddedTest, _ flow: LoadedFlow) async throws(Problem)
        -> EmbeddedTestRun.Result
    {
        let plan: RunPlan
        do throws(Problem) {
            plan = try self.plan(test, flow)
        } catch {
            guard error.diagnostics.isEmpty else { throw error }
            return EmbeddedTestRun.Result(failures: [error.message] + error.hints, passages: [])
        }
        return await EmbeddedTestRun.run(test, plan)
    }

    private func plan(_ test: EmbeddedTest, _ flow: LoadedFlow) throws(Problem) -> RunPlan {
        let surroundings = context.surroundings.withoutEnvironment
        let resolver = RegistrationResolver(
            files: .none, surroundings: surroundings, isRehearsal: true, gate: TrustGate(context: context))
        let chosen = test.provider ?? provider
        let binding = try ProviderBinding(
            flow.program, choices: chosen.map { [ProviderChoice(name: $0)] } ?? [],
            standard: Self.usualProvider,
            client: ClientOptions(), context.library, resolver)
        let synthetic = SyntheticInputs.values(of: flow.program, binding.providers)
        let inputs = zip(flow.program.inputs, synthetic).map { input, value in
            test.inputs.last { $0.name == input.name }?.value ?? value
        }
        return RunPlan(
            program: flow.program, providers: binding.providers, inputs: inputs,
            assumptions: test.assumptions,
            isRehearsal: true, directory: FilePath.parent(of: flow.source.path), given: test.given)
    }
}
