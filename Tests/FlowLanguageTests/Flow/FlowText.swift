import FlowLanguage
import Testing
import YAMLText

/// Flow files for tests: the parts a test is about, the rest as small as it can be.
enum FlowText {
    /// A flow of these steps that starts with the first; `done` succeeds.
    static func flow(_ steps: String, start: String, extra: String = "", ends: String = "") -> String {
        """
        language: flow/1
        flow: example
        \(extra)
        start: \(start)
        steps:
        \(steps)
        ends:
          done: { result: success }
        \(ends)
        """
    }

    /// A whole sign-in in which all that can go wrong leads to `failed`.
    static let login = flow(
        """
          authorize: { next: { ok: callback, headless: failed } }
          callback: { next: exchange }
          exchange: { next: verify }
          verify: { do: verify_id_token, next: { ok: done, absent: done } }
        """, start: "authorize", extra: "defaults: { next: { any: failed } }")

    static func compile(_ text: String) -> FlowCompilation {
        FlowCompiler.compile(SourceFile(path: "example.flow.yaml", text: text))
    }

    /// The program of a flow in which nothing is wrong.
    static func program(_ text: String) throws -> FlowProgram {
        let compilation = compile(text)
        #expect(DiagnosticGolden.lines(compilation.diagnostics) == "")
        return try #require(compilation.program)
    }

    static func codes(_ text: String) -> [String] {
        compile(text).diagnostics.map(\.code)
    }
}

extension FlowProgram {
    func step(_ name: String) throws -> StepRow {
        try #require(steps.first { $0.name == name })
    }

    func route(_ step: String, _ outcome: FlowLanguage.Outcome) throws -> RouteRow {
        let index = try self.step(step).routes[Int(outcome.rawValue)]
        try #require(index != RouteRow.none)
        return routes[Int(index)]
    }

    /// The names that the edges of an outcome lead to, in order.
    func targets(_ step: String, _ outcome: FlowLanguage.Outcome) throws -> [String] {
        try edges[route(step, outcome).edges].map { edge in
            switch edge.target {
            case .step(let index): steps[index].name
            case .end(let index): ends[index].name
            }
        }
    }
}
