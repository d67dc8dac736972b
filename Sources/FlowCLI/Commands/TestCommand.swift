internal import FlowEngine
internal import FlowLanguage
internal import YAMLText

/// `test`: the tests that flows bring along, rehearsed.
///
/// Depends on the files alone: neither registrations nor the environment are looked at.
struct TestCommand: Sendable {
    let context: CommandContext
    let request: TestRequest

    /// Provider of tests whose flow names none.
    private static let usualProvider = "sandbox"

    private struct Tally {
        var passed = 0
        var failed = 0
    }

    func run() async throws(Problem) -> Int {
        var tally = Tally()
        for name in try flows() {
            let flow = try context.library.flow(name)
            let tests = flow.program.tests.filter { request.filter.map($0.name.contains) ?? true }
            guard !tests.isEmpty else { continue }
            context.write("\(flow.program.name)  \(flow.source.path)\n")
            for test in tests {
                let failures = try await failures(of: test, flow)
                if failures.isEmpty { tally.passed += 1 } else { tally.failed += 1 }
                context.write(line(test, flow, failures))
            }
        }
        context.write(
            "\(tally.passed + tally.failed) tests, \(tally.passed) passed, \(tally.failed) failed\n")
        return (tally.failed == 0 ? ExitStatus.ok : .assertion).rawValue
    }

    private func flows() throws(Problem) -> [String] {
        if !request.flows.isEmpty { return request.flows }
        let paths = context.library.entries(of: .flow).filter {
            $0.shadowedBy == nil && $0.origin == .project
        }
        guard !paths.isEmpty else {
            throw Problem(.usage, "there are no flows of a project here", hints: ["name the flows to test"])
        }
        return paths.map { $0.path.contains("/") ? $0.path : "./\($0.path)" }
    }

    private func line(_ test: EmbeddedTest, _ flow: LoadedFlow, _ failures: [String]) -> String {
        let options = RenderOptions(context.common, context.surroundings.output, context.surroundings)
        guard !failures.isEmpty else {
            return context.common.verbosity == 0 ? "" : "  \(options.ascii ? "ok" : "✓") \(test.name)\n"
        }
        let place = "\(flow.source.path):\(test.span.start.line)"
        let details = failures.map { "      \($0)\n" }.joined()
        return "  \(options.ascii ? "not ok" : "✗") \(test.name)  (\(place))\n\(details)"
    }

    // MARK: One test

    private func failures(of test: EmbeddedTest, _ flow: LoadedFlow) async throws(Problem) -> [String] {
        let plan: RunPlan
        do throws(Problem) {
            plan = try self.plan(test, flow)
        } catch {
            guard error.diagnostics.isEmpty else { throw error }
            return [error.message] + error.hints
        }
        return await EmbeddedTestRun.failures(of: test, plan)
    }

    private func plan(_ test: EmbeddedTest, _ flow: LoadedFlow) throws(Problem) -> RunPlan {
        let surroundings = context.surroundings.withoutEnvironment
        let resolver = RegistrationResolver(files: .none, surroundings: surroundings, isRehearsal: true)
        let chosen = test.provider ?? request.provider
        let binding = try ProviderBinding(
            flow.program, choices: chosen.map { [(nil, $0)] } ?? [], standard: Self.usualProvider,
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
