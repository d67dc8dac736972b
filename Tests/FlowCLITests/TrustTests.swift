import Glibc
import JOSE
import Testing

@testable import FlowCLI

/// A flow file is data: what it names is run only after somebody has looked at it.
@Suite("Trust in the programs of a flow")
struct TrustTests {
    private static let flow = """
        language: flow/1
        flow: hooked
        vars: { word: { type: string, init: none } }
        outputs: { word: string }
        hooks:
          - id: say
            at: step.before
            exec: { argv: [./say] }
            writes: [vars.word]
            simulate: { set: { vars.word: simulated } }
        start: set
        steps:
          set: { next: done }
        ends:
          done: { result: success, outputs: { word: "${vars.word}" } }

        """
    private static let program = "#!/bin/sh\necho '{\"set\":{\"vars.word\":\"said\"}}'\n"

    private static let provider = """
        provider: p
        protocol: oidc
        issuer: https://p.example
        client: { token_endpoint_auth_method: none }

        """

    private let place: Workplace

    init() throws {
        place = try Workplace(["hooked.flow.yaml": Self.flow, "providers/p.yaml": Self.provider])
        try place.write("say", Self.program, permissions: 0o700)
    }

    private func run(_ more: String = "") async -> Workplace.Result {
        await place.run("run hooked.flow.yaml -p p --client-id c --no-input \(more)")
    }

    @Test("a program is not run before the flow is trusted; the failure says how")
    func unknown() async {
        let result = await run()
        #expect(result.status == 3)
        #expect(result.error.contains("hook say: ./say"))
        #expect(result.error.contains("flowrun trust hooked.flow.yaml"))
        #expect(result.output == "")
    }

    @Test("a dry run starts nothing and asks for no trust")
    func rehearsal() async {
        let result = await place.run("plan hooked.flow.yaml -p p --client-id c")
        #expect(result.status == 0, "\(result.error)")
    }

    @Test(
        "a trusted flow runs, until its file or its program changes", arguments: ["say", "hooked.flow.yaml"])
    func changed(file: String) async throws {
        #expect(await place.run("trust hooked.flow.yaml").status == 0)
        let good = await run()
        #expect(good.status == 0, "\(good.error)")
        #expect(good.output.contains("said"))
        let isProgram = file == "say"
        try place.write(
            file, (isProgram ? Self.program : Self.flow) + "# changed\n",
            permissions: isProgram ? 0o700 : 0o600)
        let bad = await run()
        #expect(bad.status == 3)
        #expect(bad.error.contains("was trusted, but \(file) changed since"))
        #expect(await place.run("trust").output.contains("changed: \(file)"))
    }

    @Test("a program without a path is the one that PATH had, with the bytes that it had")
    func searched() async throws {
        try place.write("hooked.flow.yaml", Self.flow.replacing("[./say]", with: "[say]"))
        try place.write("bin/say", Self.program, permissions: 0o700)
        func run(_ path: String) async -> Workplace.Result {
            await place.run(
                "run hooked.flow.yaml -p p --client-id c --no-input", environment: ["PATH": path])
        }
        let path = "\(place.path)/bin:/usr/bin:/bin"
        #expect(await place.run("trust hooked.flow.yaml", environment: ["PATH": path]).status == 0)
        let good = await run(path)
        #expect(good.status == 0, "\(good.error)")
        try place.write("first/say", Self.program, permissions: 0o700)
        let other = await run("\(place.path)/first:\(path)")
        #expect(other.status == 3)
        #expect(other.error.contains("program say changed since"))
        #expect(await run(path).status == 0)
        try place.write("bin/say", Self.program + "# changed\n", permissions: 0o700)
        let bad = await run(path)
        #expect(bad.status == 3)
        #expect(bad.error.contains("bin/say changed since"))
    }

    @Test(
        "a program that is not there, or may not be run, is trusted by nobody, and lint says where it is named",
        arguments: [
            ("./gone", "missing"), ("./plain", "not executable"), ("sh ./say", "missing"),
            ("./bin", "a folder"), ("./dos", "a script with the line ends of Windows"),
            ("./link", "outside of the flow's folder"),
        ])
    func missing(program: String, problem: String) async throws {
        try place.write("hooked.flow.yaml", Self.flow.replacing("[./say]", with: "[\(program)]"))
        try place.write("plain", Self.program)
        try place.write("bin/tool", Self.program)
        try place.write("dos", "#!/usr/bin/env sh\r\necho '{}'\r\n", permissions: 0o700)
        try #require(symlink("/bin/sh", "\(place.path)/link") == 0)
        let words =
            "hooked.flow.yaml:8:20: error[FL081]: the program \(program) of hook \"say\" is \(problem)"
        let trust = await place.run("trust hooked.flow.yaml")
        #expect(trust.status == 3)
        #expect(trust.error.contains(words), "\(trust.error)")
        #expect(trust.error.contains("hooked.flow.yaml cannot be trusted"))
        #expect(await place.run("trust").output == "")
        let lint = await place.run("lint --format short hooked.flow.yaml")
        #expect(lint.status == 3)
        #expect(lint.output.contains(words), "\(lint.output)")
        let cures = [
            "./gone": "the path begins in the folder", "./plain": "chmod +x makes it so",
            "sh ./say": "there is no shell", "./dos": "end its lines with LF alone",
            "./link": "copy the program itself into the folder",
        ]
        let full = await place.run("lint hooked.flow.yaml").output
        #expect(cures[program].map(full.contains) ?? !full.contains("hint:"), "\(full)")
        let run = await run("--trust")
        #expect(run.status == 3)
        #expect(run.error.contains("the program \(program) of hook \"say\" is \(problem)"))
    }

    @Test("a name that PATH does not have is a warning of lint, and nothing that is trusted or run")
    func notFound() async throws {
        try place.write("hooked.flow.yaml", Self.flow.replacing("[./say]", with: "[say]"))
        let path = ["PATH": "/usr/bin:/bin"]
        let words = "[FL081]: the program say of hook \"say\" is not found in PATH"
        let lint = await place.run("lint --format short hooked.flow.yaml", environment: path)
        #expect(lint.status == 0)
        #expect(lint.output.contains("hooked.flow.yaml:8:20: warning\(words)"), "\(lint.output)")
        let full = await place.run("lint hooked.flow.yaml", environment: path)
        #expect(full.output.contains("hint: one that lies beside the flow is written ./say"))
        for line in ["trust hooked.flow.yaml", "run hooked.flow.yaml -p p --client-id c --no-input --trust"] {
            let result = await place.run(line, environment: path)
            #expect(result.status == 3)
            #expect(result.error.contains("error\(words)"), "\(result.error)")
        }
        let without = await place.run(
            "run hooked.flow.yaml -p p --client-id c --no-input --no-hooks", environment: path)
        #expect(without.status == 0, "\(without.error)")
        // A hook that may fail is one that the run can do without.
        try place.write(
            "hooked.flow.yaml",
            Self.flow.replacing("[./say]", with: "[say]").replacing(
                "writes: [vars.word]", with: "on_failure: continue"
            ).replacing("    simulate: { set: { vars.word: simulated } }\n", with: ""))
        let lenient = await place.run(
            "run hooked.flow.yaml -p p --client-id c --no-input --trust", environment: path)
        #expect(lenient.status == 0, "\(lenient.error)")
        #expect(lenient.error.contains("warning\(words)"), "\(lenient.error)")
    }

    @Test("a program of the system is trusted at its place, whatever an upgrade makes of it")
    func ofSystem() throws {
        try place.write("say", Self.program, permissions: 0o755)
        #expect(FileAccess.resolved("/bin/sh").map(FileAccess.isOfSystem) == true)
        #expect(!FileAccess.isOfSystem("\(place.path)/say"))
    }

    @Test("what is remembered is for this user alone, and can be forgotten")
    func forgotten() async {
        _ = await place.run("trust hooked.flow.yaml")
        #expect(place.permissions(of: "home/.local/state/flowrun/trust.json") == 0o600)
        #expect(await place.run("untrust hooked.flow.yaml").status == 0)
        #expect(await run().status == 3)
        #expect(await place.run("untrust hooked.flow.yaml").status == 2)
    }

    @Test("one file has one name, however somebody came to it")
    func names() async throws {
        try place.write("share/flowrun/keep", "")
        #expect(await place.run("trust ./share/../hooked.flow.yaml").status == 0)
        #expect(await run().status == 0)
        #expect(await place.run("untrust \(place.path)/hooked.flow.yaml").status == 0)
        #expect(await run().status == 3)
    }

    @Test("words of several processes at once are all kept")
    func together() async throws {
        let names = (1...8).map { "f\($0).flow.yaml" }
        for name in names { try place.write(name, Self.flow) }
        #expect(await place.run("trust hooked.flow.yaml").status == 0)
        await withTaskGroup(of: Void.self) { group in
            for name in names { group.addTask { _ = await place.run("trust \(name)") } }
            group.addTask { _ = await place.run("untrust hooked.flow.yaml") }
        }
        let listed = await place.run("trust").output
        for name in names { #expect(listed.contains("\(name)  trusted")) }
        #expect(!listed.contains("hooked"))
    }

    @Test("--trust runs it once, --no-hooks runs it without them; no variable does the former")
    func once() async {
        #expect(await run("--trust").output.contains("said"))
        #expect(await run().status == 3)
        let without = await run("--no-hooks")
        #expect(without.output.contains("none"))
        #expect(without.error.contains("hook \"say\" is left out (--no-hooks)"))
        let result = await place.run(
            "run hooked.flow.yaml -p p --client-id c --no-input", environment: ["FLOWRUN_TRUST": "1"])
        #expect(result.status == 3)
    }

    @Test(
        "a program that anybody can replace is not run, by its path or found in PATH",
        arguments: ["./tools/say", "say"])
    func open(word: String) async throws {
        try place.write("tools/say", Self.program, permissions: 0o755)
        chmod("\(place.path)/tools", 0o1777)
        try place.write("hooked.flow.yaml", Self.flow.replacing("[./say]", with: "[\(word)]"))
        let result = await place.run(
            "run hooked.flow.yaml -p p --client-id c --no-input --trust",
            environment: ["PATH": "\(place.path)/tools"])
        #expect(result.status == 3)
        #expect(result.error.contains("the program \(word) of hook \"say\" is writable by others"))
    }

    private static let asking = """
        language: flow/1
        flow: hooked
        hooks:
          - id: report
            at: step.after
            outcomes: [ok]
            http: { url: "http://127.0.0.1:9/hook", auth: { hmac_sha256: HOOK_KEY } }
            may: [abort]
            retry: { attempts: 3 }
            simulate: { decision: abort, message: no }
        start: set
        steps:
          set: { next: done }
        ends:
          done: { result: success }

        """

    @Test("without the key of a hook's server nothing begins, and plan and list show which it is")
    func key() async throws {
        try place.write("hooked.flow.yaml", Self.asking)
        let result = await run("--trust")
        #expect(result.status == 3)
        #expect(
            result.error.contains("hook \"report\" needs the environment variable HOOK_KEY, which is not set")
        )
        #expect(await run("--no-hooks").status == 0)
        let plan = await place.run("plan hooked.flow.yaml -p p --client-id c")
        #expect(plan.output.contains(#/env +HOOK_KEY/#), "\(plan.output)")
        #expect(plan.output.contains("http://127.0.0.1:9/hook"))
        let list = await place.run("hooks list hooked.flow.yaml")
        for words in ["HOOK_KEY", "3 tries", "ok", "\"decision\":\"abort\""] {
            #expect(list.output.contains(words), "\(words): \(list.output)")
        }
        let json = await place.run("hooks list hooked.flow.yaml --json")
        #expect(json.output.contains("\"attempts\": 3"), "\(json.output)")
    }

    @Test("a hook that is left out is told once, however often it would fire")
    func leftOutOnce() async throws {
        try place.write(
            "hooked.flow.yaml",
            Self.flow.replacing(
                "  set: { next: done }", with: "  set: { next: more }\n  more: { do: set, next: done }"))
        let result = await run("--no-hooks")
        #expect(result.error.ranges(of: "left out").count == 1, "\(result.error)")
    }

    @Test("arguments that a shell would take apart are quoted in lists and where a program is trusted")
    func quoted() async throws {
        try place.write(
            "hooked.flow.yaml", Self.flow.replacing("[./say]", with: "[./say, \"a b\", \"it's\", '']"))
        let words = #"./say 'a b' 'it'\''s' ''"#
        let list = await place.run("hooks list hooked.flow.yaml")
        #expect(list.output.contains("exec \(words)"), "\(list.output)")
        let trust = await place.run("trust hooked.flow.yaml")
        #expect((trust.output + trust.error).contains("hook say: \(words)"), "\(trust.error)")
    }

    @Test("hooks are listed in the order in which a run comes to them, whatever the order of the file")
    func firingOrder() async throws {
        let hooks = [
            "end, at: flow.end", "after, at: step.after, steps: [more]",
            "before, at: step.before, steps: [more]", "first, at: step.after, steps: [set]",
            "start, at: flow.start",
        ].map { "  - { id: \($0), emit: { event: seen } }" }
        try place.write(
            "hooked.flow.yaml",
            """
            language: flow/1
            flow: hooked
            hooks:
            \(hooks.joined(separator: "\n"))
            start: set
            steps:
              set: { next: more }
              more: { do: set, next: done }
            ends:
              done: { result: success }

            """)
        let json = await place.run("hooks list hooked.flow.yaml --json")
        let listed = try JSON.parse(Array(json.output.utf8))["hooks"]?.arrayValue ?? []
        #expect(
            listed.compactMap { $0["id"]?.stringValue } == ["start", "first", "before", "after", "end"],
            "\(json.error)")
    }

    @Test("hooks are listed with what they are given and may do")
    func list() async throws {
        let text = await place.run("hooks list hooked.flow.yaml")
        #expect(text.output.contains("say  at step.before of set"))
        #expect(text.output.contains("exec ./say"))
        #expect(text.output.contains("set, abort"))
        #expect(text.output.contains("not trusted"))
        let json = await place.run("hooks list hooked.flow.yaml --json")
        #expect(json.output.contains("\"vars.word\""))
    }
}
