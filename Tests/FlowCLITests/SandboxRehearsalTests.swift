import JOSE
import Testing

@testable import FlowCLI

@Suite("Rehearsals at the sandbox")
struct SandboxRehearsalTests {
    @Test("the sandbox answers, every check is made, and the same plan is the same bytes")
    func success() async throws {
        let line = "run login -p google --dry-run=sandbox"
        let first = try await Workplace().run(line)
        #expect(first.status == 0)
        #expect(first.output.contains("✓  at_hash"))
        #expect(first.output.contains("end signed_in (success)"))
        #expect(!first.output.contains("made up"))
        #expect(first.error == "no client is registered with google; the plan shows <client-id>\n")
        #expect(try await Workplace().run(line).output == first.output)
    }

    @Test(
        "what goes wrong there ends it with the status of a live run, and is explained",
        arguments: [
            ("token:invalid_client", 6, "invalid_client"), ("token:500", 6, "exchange"),
            ("callback:error=access_denied", 5, "access_denied"),
            ("callback:state=wrong", 7, "a callback for another attempt arrived"),
            ("callback:iss=other", 7, "issuer_mismatch"),
            ("idtoken:signature=bad", 7, "signature"), ("idtoken:nonce=bad", 7, "nonce"),
            ("userinfo:sub=other", 7, "userinfo-sub"), ("token:slow=60s", 8, "timeout"),
            ("token:truncate", 8, "truncated"), ("token:huge", 6, "larger than allowed"),
            ("discovery:issuer=other", 7, "metadata-issuer"), ("jwks:empty", 7, "kid"),
        ])
    func faults(_ fault: String, _ status: Int, _ word: String) async throws {
        let result = try await Workplace().run(
            "run login -p google --client-id a --dry-run=sandbox --fault \(fault)")
        #expect(result.status == status, "\(result.output.suffix(2000)) \(result.error)")
        #expect((result.output + result.error).contains(word), "\(result.output.suffix(2000))")
        #expect(result.error.contains("✗"), "\(result.error)")
    }

    @Test("a flow that tries again gets over what goes wrong once")
    func passing() async throws {
        let result = try await Workplace().run(
            "run login -p google --dry-run=sandbox --fault token:invalid_grant@1")
        #expect(result.status == 0, "\(result.output.suffix(2000))")
        #expect(result.output.contains("exchange again, visit 2"))
    }

    @Test("a stored session is refreshed by the sandbox, which knows its refresh token")
    func stored() async throws {
        let result = try await Workplace().run(
            "run refresh -p google --dry-run=sandbox --assume restore=expired --json")
        #expect(result.status == 0, "\(result.output.suffix(2000))")
        let events = try JSON.parse(Array(result.output.utf8))["events"]?.arrayValue ?? []
        let asked = events.filter { $0["purpose"]?.stringValue == "refresh" }
        #expect(asked.count == 1)
    }

    @Test("an assumption counts there too")
    func assumed() async throws {
        let result = try await Workplace().run(
            "run login -p google --dry-run=sandbox --assume exchange=400:unauthorized_client --why exchange")
        #expect(result.status == 0)
        #expect(result.output.contains("unauthorized_client"))
    }

    @Test("a fault needs the sandbox, and must be one")
    func wrong() async throws {
        let place = try Workplace()
        let plain = await place.run("run login -p google --dry-run --fault token:500")
        #expect(plain.status == 2)
        #expect(plain.error.contains("--fault is for the sandbox: add --dry-run=sandbox"))
        let live = await place.run("run login -p google --fault token:500")
        #expect(live.status == 2)
        let unknown = await place.run("run login -p google --dry-run=sandbox --fault token:invalid_grnt")
        #expect(unknown.status == 2)
        #expect(unknown.error.contains("invalid_grant"))
    }

    @Test("no secret is read, shown or written")
    func secrets() async throws {
        let place = try Workplace()
        let result = await place.run(
            "run login -p google --dry-run=sandbox --report html=t.html --report har=t.har -vv",
            environment: ["GOOGLE_CLIENT_ID": "my-client", "GOOGLE_CLIENT_SECRET": "canary-secret"])
        #expect(result.status == 0)
        let written = try place.read("t.html") + place.read("t.har")
        #expect(written.contains("my-client"))
        #expect(!(result.output + result.error + written).contains("canary-secret"))
    }

    private static let hooked = """
        language: flow/1
        flow: hooked
        vars: { word: { type: string, init: none } }
        outputs: { word: string }
        hooks:
          - id: say
            at: step.before
            steps: [one]
            exec: { argv: [./say] }
            writes: [vars.word]
            simulate: { set: { vars.word: simulated } }
          - id: tell
            at: step.after
            steps: [one]
            http: { url: "https://hooks.example/a", auth: { hmac_sha256: KEY } }
        start: one
        steps:
          one: { do: set, next: done }
        ends:
          done: { result: success, outputs: { word: "${vars.word}" } }

        """

    @Test(
        "programs that are hooks run where that is asked for and they are trusted; what leads elsewhere does not"
    )
    func hooks() async throws {
        let place = try Workplace(["hooked.flow.yaml": Self.hooked])
        try place.write(
            "say", "#!/bin/sh\ncat > told.json\necho '{\"set\":{\"vars.word\":\"said\"}}'\n",
            permissions: 0o700)
        let line = "run hooked.flow.yaml -p google --client-id a --dry-run=sandbox"
        let simulated = await place.run(line)
        #expect(simulated.status == 0, "\(simulated.error)")
        #expect(simulated.output.contains("simulated"))
        let refused = await place.run("\(line) --run-hooks --no-input", environment: ["KEY": "k"])
        #expect(refused.status == 3, "\(refused.error)")
        let run = await place.run("\(line) --run-hooks --trust", environment: ["KEY": "k"])
        #expect(run.status == 0, "\(run.output) \(run.error)")
        #expect(run.output.contains("nothing is sent, opened or written, but by hooks"))
        #expect(run.output.contains("said"))
        #expect(run.output.contains(/ran +hooks \S+ \(exec\)\n/))
        #expect(run.output.contains(/would run +hooks tell \(http\)\n/))
        #expect(try place.read("told.json").contains("\"dry_run\":true"))
        for options in ["--dry-run --run-hooks", "--dry-run=sandbox --run-hooks --no-hooks", "--run-hooks"] {
            let wrong = await place.run("run hooked.flow.yaml -p google \(options)")
            #expect(wrong.status == 2)
            #expect(wrong.error.contains("--run-hooks"))
        }
    }
}
