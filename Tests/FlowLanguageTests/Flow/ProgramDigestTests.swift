import FlowLanguage
import Testing
import YAMLText

/// What tells one program from another: a run that was put aside goes on with the same one only.
@Suite("Digests of programs")
struct ProgramDigestTests {
    private static let outer = """
        language: flow/1
        flow: outer
        version: 1
        limits: { deadline: 10m, transitions: 50, visits: 9, hook_time: 20s }
        inputs:
          tenant: { type: string, default: acme, env: TENANT, pattern: "[a-z]+", max: 40 }
          kind: { type: string, values: [a, b], default: a }
          count: { type: int, default: 3, min: 1 }
        outputs: { user: optional string }
        vars: { log: { type: string, init: x } }
        calls:
          find:
            args: { id: string }
            out: { user: string }
            outcomes: [found, unknown]
            exec: { argv: [./find, fast], env: [LANG] }
        hooks:
          - { id: audit, at: step.before, steps: [ask], emit: { event: asked } }
          - { id: look, at: step.after, outcomes: [ok], reads: [vars.log], writes: [vars.log], timeout: 2s, retry: { attempts: 2 }, on_failure: continue, exec: { argv: [./look], env: [HOME] } }
          - { id: may, at: step.before, steps: [fetch], may: [skip, { goto: [failed] }], simulate: { decision: skip }, native: { name: n } }
          - { id: tell, at: flow.end, http: { url: "https://h.example/", auth: { hmac_sha256: KEY, bearer: TOKEN }, headers: { X-A: a } } }
        defaults: { next: { any: failed } }
        start: restore
        steps:
          restore: { next: { ok: ask, any.choice: failed } }
          ask:
            do: call
            with: { port: find, args: { id: "${inputs.tenant}" } }
            deadline: 30s
            visits: 5
            save: { vars.log: "${vars.log}!" }
            assert: { that: "vars.log != 'y'", message: no }
            next: { found: [{ if: "inputs.count > 1", to: run, max: 3 }, { to: done }], unknown: failed, exhausted: failed, assertion_failed: failed }
          fetch:
            do: http
            outcomes: { gone: data }
            with: { url: "https://p.example/api", expect: { 404: gone }, classify: [{ if: "status == 410", outcome: gone }], out: { found: { at: /id, type: string } } }
            retry: { outcomes: [network], attempts: 3, backoff: { initial: 1s, factor: 2, max: 4s, jitter: none }, retry_after: { max: 9s } }
            next: { ok: done, skipped: done, any: failed }
          run: { do: subflow, with: { flow: inner, inputs: { level: 5 } }, next: { done: fetch, any: failed } }
        ends:
          done: { result: success, outputs: { user: "${inputs.kind}" } }
          failed: { result: failure, exit: 4, error: broken, message: "it is ${vars.log}" }
        """

    private static let inner = """
        language: flow/1
        flow: inner
        limits: { deadline: 5m }
        inputs: { level: { type: int, default: 3, max: 9 } }
        vars: { seen: { type: string, init: no } }
        start: set
        steps:
          set: { save: { vars.seen: yes }, next: done }
        ends:
          done: { result: success }
          failed: { result: failure }
        """

    private static func digest(outer: String = outer, inner: String = inner) throws -> String {
        let compilation = FlowCompiler.compile(
            SourceFile(path: "outer.flow.yaml", text: outer),
            sources: FlowSources(
                flow: { id, _ in id == "inner" ? SourceFile(path: "inner.flow.yaml", text: inner) : nil },
                imported: { _, _ in nil }))
        let report = DiagnosticGolden.lines(compilation.diagnostics)
        return try #require(compilation.program, "\(report)").digest
    }

    private static func changed(_ text: String, _ change: (String, String)) throws -> String {
        try #require(text.contains(change.0), "\(change.0)")
        return text.replacing(change.0, with: change.1)
    }

    static let changes: [(String, String)] = [
        ("flow: outer", "flow: other"), ("version: 1", "version: 2"), ("deadline: 10m", "deadline: 11m"),
        ("transitions: 50", "transitions: 51"), ("visits: 9", "visits: 8"),
        ("hook_time: 20s", "hook_time: 21s"), ("default: acme", "default: acne"),
        ("env: TENANT", "env: HOME"), ("\"[a-z]+\"", "\"[a-y]+\""), ("max: 40", "max: 41"),
        ("values: [a, b]", "values: [a, c]"), ("min: 1", "min: 2"), ("default: 3, min", "default: 4, min"),
        ("init: x", "init: z"), ("{ id: string }", "{ id: optional string }"),
        ("out: { user: string }", "out: { user: optional string }"), ("[./find, fast]", "[./find, slow]"),
        ("[./find, fast], env: [LANG]", "[./find], env: [fast, LANG]"), ("env: [LANG]", "env: [LC_ALL]"),
        ("event: asked", "event: told"), ("id: audit", "id: auditor"), ("steps: [ask]", "steps: [run]"),
        ("at: step.before, steps: [ask]", "at: step.after, steps: [ask]"), ("outcomes: [ok], ", ""),
        ("reads: [vars.log], ", ""),
        ("timeout: 2s", "timeout: 3s"), ("retry: { attempts: 2 }", "retry: { attempts: 3 }"),
        ("on_failure: continue", "on_failure: abort"), ("[./look]", "[./looks]"),
        ("env: [HOME]", "env: [USER]"), ("https://h.example/", "https://i.example/"),
        ("hmac_sha256: KEY", "hmac_sha256: KEYS"), ("bearer: TOKEN", "bearer: TOKENS"),
        ("X-A: a", "X-A: b"), ("deadline: 30s", "deadline: 31s"), ("visits: 5", "visits: 6"),
        ("${vars.log}!", "${vars.log}?"), ("vars.log != 'y'", "vars.log != 'w'"),
        ("message: no }", "message: nay }"),
        ("inputs.count > 1", "inputs.count > 2"), ("max: 3 }", "max: 4 }"),
        ("{ to: done }", "{ to: failed }"),
        ("404: gone", "405: gone"), ("gone", "away"), ("[network]", "[network, server_error]"),
        ("attempts: 3", "attempts: 4"), ("initial: 1s", "initial: 2s"), ("factor: 2", "factor: 3"),
        ("max: 4s", "max: 5s"), ("jitter: none", "jitter: full"),
        ("retry_after: { max: 9s }", "retry_after: { max: 8s }"),
        ("level: 5", "level: 6"), ("exit: 4", "exit: 5"), ("error: broken", "error: bad"),
        ("it is ${vars.log}", "it was ${vars.log}"), ("[skip, {", "[skip, abort, {"),

        ("decision: skip", "decision: continue"), ("name: n }", "name: m }"),
        ("status == 410", "status == 411"), ("at: /id", "at: /ids"), ("/id, type: string", "/id, type: int"),
        ("${inputs.kind}", "${inputs.tenant}"),
    ]

    @Test("whatever changes what a flow does makes it another program", arguments: changes)
    func change(from: String, to: String) throws {
        #expect(try Self.digest(outer: Self.changed(Self.outer, (from, to))) != Self.digest())
    }

    @Test(
        "so does what changes in a flow that it runs",
        arguments: [
            ("deadline: 5m", "deadline: 6m"), ("default: 3", "default: 4"), ("max: 9", "max: 8"),
            (", max: 9", ""), ("init: no", "init: yet"), ("vars.seen: yes", "vars.seen: maybe"),
        ])
    func inner(from: String, to: String) throws {
        #expect(try Self.digest(inner: Self.changed(Self.inner, (from, to))) != Self.digest())
    }

    @Test("a hook of the flow that it runs is none of its own")
    func hook() throws {
        let tell = "  - { id: say, at: flow.end, emit: { event: ended } }\n"
        let own = try Self.changed(Self.outer, ("defaults:", tell + "defaults:"))
        let other = try Self.changed(Self.inner, ("start: set", "hooks:\n" + tell + "start: set"))
        #expect(try Self.digest(outer: own) != Self.digest(inner: other))
    }
}
