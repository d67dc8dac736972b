import FlowLanguage
import FoundationEssentials
import Testing
import YAMLText

@Suite("Shipped flows")
struct ShippedFlowTests {
    private static let folder = DiagnosticGolden.repository("flows")

    static func files() throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return names.filter { $0.hasSuffix(".flow.yaml") }.sorted()
    }

    private func program(_ file: String) throws -> FlowProgram {
        let text = try DiagnosticGolden.text(of: "\(Self.folder)/\(file)")
        let compilation = FlowCompiler.compile(SourceFile(path: file, text: text))
        #expect(DiagnosticGolden.lines(compilation.diagnostics) == "")
        return try #require(compilation.program)
    }

    @Test("each compiles without a warning, under the name of its file", arguments: try files())
    func compiles(file: String) throws {
        #expect(try program(file).name + ".flow.yaml" == file)
    }

    @Test(
        "each outcome that a step routes by name is assumed by one of the flow's tests",
        arguments: try files())
    func coverage(file: String) throws {
        let program = try program(file)
        let assumed = Set(
            program.tests.flatMap(\.assumptions).map { assumption in
                if case .outcome(let outcome) = assumption.answer {
                    "\(assumption.step)=\(outcome)"
                } else {
                    ""
                }
            })
        for step in program.steps {
            for (value, index) in step.routes.enumerated() where index != RouteRow.none {
                let route = program.routes[Int(index)]
                // `ok` is what a dry run assumes by itself (flow/1 §11).
                guard route.reason == .exact, let outcome = FlowLanguage.Outcome(rawValue: UInt8(value)).name,
                    outcome != "ok"
                else { continue }
                let isImplied = (step.kind == .restore && outcome == "absent") || outcome == "skipped"
                #expect(isImplied || assumed.contains("\(step.name)=\(outcome)"))
            }
        }
    }

    @Test("login says what it takes and how it ends")
    func login() throws {
        let program = try program("login.flow.yaml")
        #expect(program.name == "login")
        #expect(program.inputs.map(\.name) == ["scopes", "login_hint"])
        #expect(program.inputs.allSatisfy { $0.type.isOptional || $0.standard != nil })
        #expect(program.outputs.map(\.name) == ["subject", "profile", "expires_at", "scopes"])
        #expect(program.steps.first?.name == "restore")
        #expect(
            program.steps.map(\.kind) == [
                .restore, .refresh, .clear, .authorize, .callback, .exchange, .verifyIDToken, .userinfo,
                .store,
            ])
        let exits = program.ends.map { "\($0.name) \($0.exit.map(String.init) ?? $0.result.rawValue)" }
        #expect(
            exits == [
                "signed_in success", "unattended 4", "denied 5", "blocked 7", "unavailable 8", "overloaded 6",
                "abandoned 10",
                "refused 6", "failed 9", "cancelled cancelled",
            ])
    }
}
