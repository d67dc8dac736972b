import FlowTesting
import Testing
import YAMLText

@testable import FlowLanguage

/// The examples of the reference, among the steps that they name.
@Suite("Examples of kinds")
struct KindExampleTests {
    /// Steps that examples lead to, and what comes before them: an example takes the place of the step of its kind.
    private static let flow = """
        language: flow/1
        flow: example
        inputs: { who: optional string, again: { type: bool, default: false } }
        vars: { email: optional string, team: optional string, account: optional string, profile: json, scopes: list<string> }
        calls:
          account.find: { args: { email: optional string }, out: { id: string }, outcomes: [found, unknown] }
        defaults: { next: { any: failed } }
        start: start
        steps:
          start:
            do: choose
            next:
              - { to: authorize, if: inputs.again }
              - { to: EXAMPLE, if: "has(inputs.who)" }
              - restore
          restore: { next: { ok: done, any.choice: authorize } }
          authorize: { next: { ok: callback, headless: unattended }, visits: 3 }
          callback: { next: exchange }
          exchange: { next: verify }
          verify: { do: verify_id_token, next: { ok: store, absent: store } }
          refresh: { next: { ok: verify, absent: authorize }, visits: 2 }
          device_authorize: { next: device_poll, visits: 4 }
          device_poll: { next: verify }
          fetch: { do: http, with: { url: "${provider.endpoints.api}" }, next: done }
          store: { next: { ok: done, conflict: done } }
          clear: { next: done }
        ends:
          done: { result: success }
          failed: { result: failure }
          denied: { result: failure }
          unattended: { result: failure }
          abandoned: { result: failure }

        """

    private static let inner = """
        language: flow/1
        flow: login
        inputs: { login_hint: optional string }
        defaults: { next: { any: failed } }
        start: token
        steps: { token: { do: client_credentials, next: signed_in } }
        ends: { signed_in: { result: success }, failed: { result: failure } }

        """

    /// What depends on the steps before: the example stands where it would not stand in a flow.
    private static let aboutPlace: Set<String> = [
        "FL030", "FL031", "FL034", "FL040", "FL041", "FL042", "FL047", "FL060", "FL064",
    ]

    @Test("every example compiles in its place, with nothing unknown in it", arguments: StepKind.allCases)
    func compiles(kind: StepKind) throws {
        let example = KindExamples.text(of: kind)
        let name = try #require(example.split(separator: ":").first.map(String.init))
        let lines = Self.flow.replacing("EXAMPLE", with: name).split(
            separator: "\n", omittingEmptySubsequences: false)
        let step = example.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
        let ends = try #require(lines.firstIndex(of: "ends:"))
        let others = lines[..<ends].filter { !$0.hasPrefix("  \(name):") }
        let text = (others + [Substring(step)] + lines[ends...]).joined(separator: "\n")
        let compilation = FlowCompiler.compile(
            SourceFile(path: "example.flow.yaml", text: text),
            sources: FlowSources(
                flow: { id, _ in
                    id == "login" ? SourceFile(path: "login.flow.yaml", text: Self.inner) : nil
                },
                imported: { _, _ in nil }))
        let findings = compilation.diagnostics.filter { !Self.aboutPlace.contains($0.code) }
        #expect(findings.map { "\($0.code) \($0.message)" } == [], "\(text)")
        #expect(example.contains(kind.rawValue))
    }
}
