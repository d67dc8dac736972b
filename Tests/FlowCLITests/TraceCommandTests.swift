import FlowLive
import FlowReport
import FlowSandbox
import Glibc
import Testing

@testable import FlowCLI

@Suite("Traces of earlier runs")
struct TraceCommandTests {
    private let place: Workplace
    private let sandbox: SandboxServer

    init() throws {
        place = try Workplace([
            "providers/confidential.yaml": """
            provider: confidential
            protocol: oidc
            variables:
              issuer: {description: where the sandbox is}
            issuer: ${vars.issuer}
            client: {token_endpoint_auth_method: client_secret_basic}
            errors:
              - match: invalid_client
                cause: the secret was rotated last week
                fix: take the new one from the vault
            """
        ])
        sandbox = try SandboxServer(port: nil, mode: .automatic)
    }

    /// Signs a program in, which needs no browser.
    private func run(_ rest: String = "", secret: String = "sandbox-secret-that-everybody-knows") async
        -> Workplace.Result
    {
        await place.run(
            "run client-credentials -p confidential --set issuer=\(sandbox.issuer) "
                + "--client-id flowrun-sandbox-confidential --no-save --client-secret-env THE_SECRET \(rest)",
            environment: ["THE_SECRET": secret])
    }

    private func stop() { sandbox.stop() }

    @Test("what was sent is kept, and can be listed and shown by its run")
    func kept() async throws {
        #expect(await run("--trace t.jsonl").status == 0)
        let list = await place.run("trace list")
        #expect(list.output.contains("client-credentials  confidential  ready"), "\(list.output)")
        let shown = await place.run("trace show -o jsonl")
        #expect(shown.status == 0)
        #expect(try shown.output == place.read("t.jsonl"))
        let run = try #require(list.output.split(separator: " ").first)
        // What begins with a dash would be an option.
        let tail = run.suffix(6).drop { $0 == "-" }
        #expect(await place.run("trace show \(run) -o jsonl").output == shown.output)
        #expect(await place.run("trace show \(tail) -o jsonl").output == shown.output)
        let verified = await place.run("trace verify \(run)")
        #expect(verified.status == 0 && verified.error.contains("no secret in it"), "\(verified.error)")
        let text = await place.run("trace show t.jsonl")
        #expect(text.output.contains("POST \(sandbox.issuer)/token"))
        stop()
    }

    @Test("the identifier of a run stays whole on a narrow terminal", arguments: [40, 60, 80, 200])
    func narrowList(width: Int) async throws {
        #expect(await run().status == 0)
        let wide = await place.run("trace list").output
        let output = TextStream(isTerminal: true)
        let surroundings = place.surroundings(["COLUMNS": "\(width)", "NO_COLOR": "1"], output: output)
        _ = await Workplace.run("trace list", surroundings)
        let first = try #require(output.text.split(separator: "\n").first)
        let words = wide.split(whereSeparator: \.isWhitespace)
        #expect(first.hasPrefix("\(words[0])  \(words[1])"))
        #expect(output.text.split(separator: "\n").allSatisfy { $0.count <= width })
        #expect(output.text.split(whereSeparator: \.isWhitespace) == words)
        stop()
    }

    @Test("a run that sends nothing leaves nothing behind, and --no-trace neither")
    func notKept() async throws {
        #expect(await run("--no-trace").status == 0)
        #expect(await place.run("plan client-credentials -p sandbox").status == 0)
        #expect(await place.run("trace list").output == "no trace is kept\n")
        let empty = await place.run("trace show")
        #expect(empty.status == 2)
        #expect(empty.error.contains("no trace is kept yet"))
        stop()
    }

    @Test("of a run without its last line every command says whether it was killed or is still going")
    func cutOff() async throws {
        #expect(await run("--trace whole.jsonl --no-trace").status == 0)
        stop()
        let lines = try place.read("whole.jsonl").split(separator: "\n")
        let part = lines.dropLast().joined(separator: "\n") + "\n" + lines[lines.count - 1].prefix(20)
        let name = "home/.local/state/flowrun/traces/100000000000000-r_killed.jsonl"
        try place.write(name, part)
        #expect(await place.run("trace list").output.contains("killed: no last line"))
        #expect(await place.run("trace list --output json").output.contains("\"state\":\"killed\""))
        let killed = "the run ended without its last line: its process was killed"
        for command in ["show", "show r_killed -o html", "show r_killed -o har", "verify \(name)"] {
            let shown = await place.run("trace \(command)")
            #expect(shown.status == 0, "\(command): \(shown.error)")
            #expect(shown.error.contains(killed), "\(command)")
        }
        let held = open("\(place.path)/\(name)", O_RDONLY)
        defer { close(held) }
        try #require(flock(held, LOCK_EX | LOCK_NB) == 0)
        #expect(await place.run("trace list").output.contains("still going"))
        #expect(await place.run("trace show").error.contains("the run is still going"))
    }

    @Test("a trace that is being written is locked until its run is over")
    func claimed() throws {
        let path = "\(place.path)/t.jsonl"
        var stream: TextStream? = try TextStream(file: path)
        var trace: TraceStream? = try TraceStream(
            JSONLinesTrace(revealsActionURL: false), #require(stream))
        withExtendedLifetime(trace) { #expect(TraceClaim.isHeld(path)) }
        (trace, stream) = (nil, nil)
        #expect(!TraceClaim.isHeld(path))
        stop()
    }

    @Test("no more than a hundred are kept, the newest")
    func capacity() async throws {
        for number in 0..<TraceShelf.capacity {
            try place.write(
                "home/.local/state/flowrun/traces/\(100_000_000_000_000 + number)-r_\(number).jsonl", "")
        }
        #expect(await run().status == 0)
        let shelf = try #require(TraceShelf(place.surroundings()))
        #expect(shelf.entries.count == TraceShelf.capacity)
        #expect(!shelf.entries.contains { $0.run == "r_0" })
        #expect(shelf.entries.contains { $0.run == "r_1" })
        #expect(place.permissions(of: "home/.local/state/flowrun/traces") == 0o700)
        stop()
    }

    @Test("a good and a bad run part where the secret is refused")
    func difference() async throws {
        #expect(await run("--trace good.jsonl").status == 0)
        #expect(await run("--trace bad.jsonl", secret: "another-secret").status == 6)
        let result = await place.run("trace diff good.jsonl bad.jsonl")
        #expect(result.status == 12)
        #expect(result.output.contains("the first difference that matters: "), "\(result.output)")
        #expect(result.output.contains("answer 2: status"))
        #expect(await place.run("trace diff good.jsonl good.jsonl").status == 0)
        // With one trace the other is the newest: the bad one.
        #expect(await place.run("trace diff bad.jsonl").status == 0)
        stop()
    }

    @Test("a trace is replayed by the same machine, and another flow goes another way")
    func replay() async throws {
        #expect(await run("--trace bad.jsonl", secret: "another-secret").status == 6)
        let same = await place.run("trace replay bad.jsonl --set issuer=\(sandbox.issuer)")
        #expect(same.status == 0, "\(same.output)\(same.error)")
        #expect(same.output.contains("the same path"))
        try place.write(
            "forged.jsonl",
            try place.read("bad.jsonl").replacing(
                "\"outcome\":\"invalid_client\"", with: "\"outcome\":\"rejected\"")
        )
        let lines = try place.read("bad.jsonl").split(separator: "\n")
        let end = try #require(lines.firstIndex { $0.contains("\"type\":\"step.end\"") })
        try place.write("half.jsonl", lines[...end].map { $0 + "\n" }.joined())
        let half = await place.run("trace replay half.jsonl --set issuer=\(sandbox.issuer)")
        #expect(half.status == 0, "\(half.output)\(half.error)")
        #expect(half.output.contains("the same path, 1 steps, as far as the trace goes"))
        let other = await place.run("trace replay forged.jsonl --set issuer=\(sandbox.issuer)")
        #expect(other.status == 12, "\(other.output)")
        #expect(other.output.contains("another path"))
        stop()
    }

    @Test("a planted secret is found in a trace, and none in one that was written here")
    func verify() async throws {
        #expect(await run("--trace t.jsonl").status == 0)
        let clean = await place.run(
            "trace verify t.jsonl --secret-env S", environment: ["S": "sandbox-secret-that-everybody-knows"])
        #expect(clean.status == 0, "\(clean.output)")
        try place.write(
            "leaky.jsonl",
            try place.read("t.jsonl") + "{\"note\":\"it was sandbox-secret-that-everybody-knows\"}\n")
        let leaky = await place.run(
            "trace verify t.jsonl leaky.jsonl --secret-env S",
            environment: ["S": "sandbox-secret-that-everybody-knows"])
        #expect(leaky.status == 7)
        #expect(leaky.output.contains(": leak: the value of S"))
        #expect(!leaky.output.contains("sandbox-secret-that-everybody-knows"))
        let short = await place.run("trace verify t.jsonl --secret-env S", environment: ["S": "key"])
        #expect(short.status == 2)
        stop()
    }

    @Test("a file in which nothing can be looked at hides no leak of another")
    func besideEmpty() async throws {
        try place.write("empty.txt", "")
        try place.write("leaky.txt", "access_token=0123456789abcdef\n")
        let both = await place.run("trace verify empty.txt leaky.txt")
        #expect(both.status == 7)
        #expect(both.output.contains("leaky.txt:1:14: leak: a value of access_token"), "\(both.output)")
        #expect(both.error.contains("empty.txt is empty"))
        let alone = await place.run("trace verify empty.txt")
        #expect(alone.status == 3)
        stop()
    }

    @Test(
        "a replay goes the way that hooks decided",
        arguments: [
            ("step.before", "skip", "{\"decision\":\"skip\"}", 0),
            ("step.after", "goto two", "{\"decision\":\"goto\",\"to\":\"two\"}", 0),
            ("step.after", "abort", "{\"decision\":\"abort\",\"message\":\"no\"}", 11),
        ])
    func hooks(point: String, decision: String, answer: String, status: Int) async throws {
        let word = decision.split(separator: " ")[0]
        try place.write(
            "hooked.flow.yaml",
            """
            language: flow/1
            flow: hooked
            hooks:
              - id: judge
                at: \(point)
                steps: [one]
                exec: { argv: [./judge] }
                may: [\(word == "goto" ? "{ goto: [two] }" : String(word))]
            start: one
            steps:
              one: { do: set, next: { ok: done\(word == "skip" ? ", skipped: two" : "") } }
              \(word == "abort" ? "" : "two: { do: set, next: done }")
            ends:
              done: { result: success }

            """)
        try place.write("judge", "#!/bin/sh\necho '\(answer)'\n", permissions: 0o700)
        let run = await place.run(
            "run hooked.flow.yaml -p confidential --set issuer=\(sandbox.issuer) --client-id c "
                + "--client-secret-env S --trust --no-input --trace t.jsonl",
            environment: ["S": "secret-of-it"])
        #expect(run.status == status, "\(run.error)")
        #expect(try place.read("t.jsonl").contains("\"decision\":\"\(decision)\""))
        let replay = await place.run("trace replay t.jsonl --set issuer=\(sandbox.issuer)")
        #expect(replay.status == 0, "\(replay.output)\(replay.error)")
        stop()
    }

    @Test("what holds no text to look at is not called clean")
    func nothingToVerify() async throws {
        for (text, message) in [("", "is empty"), ("\u{1F}\u{8}\u{0}", "is no text in UTF-8")] {
            let result = await place.run("trace verify -", input: text)
            #expect(result.status == 3)
            #expect(result.error.contains(message), "\(result.error)")
        }
        stop()
    }

    @Test("after a refresh that brought an ID token, the replay validates one too")
    func renewed() async throws {
        let words = "-p sandbox --assume restore=expired --assume"
        #expect(await place.run("run login \(words) verify=ok --dry-run --trace good.jsonl").status == 0)
        #expect(await place.run("run login \(words) verify=absent --dry-run --trace none.jsonl").status == 0)
        for (name, outcome) in [("good", "ok"), ("none", "absent")] {
            let replay = await place.run("trace replay \(name).jsonl")
            #expect(replay.status == 0, "\(replay.output)\(replay.error)")
            #expect(replay.output.contains("verify: \(outcome)"))
        }
        stop()
    }

    @Test("a run that ended while its refresh was under way says that the session may be in doubt")
    func interruptedRefresh() async throws {
        stop()
        let words = "-p sandbox --assume restore=expired --dry-run --trace whole.jsonl"
        #expect(await place.run("run login \(words)").status == 0)
        let whole = try place.read("whole.jsonl").replacing("\"mode\":\"dry-run\"", with: "\"mode\":\"live\"")
        let lines = whole.split(separator: "\n")
        let sent = try #require(lines.firstIndex { $0.contains("\"purpose\":\"refresh\"") })
        for (count, isInDoubt) in [(sent, false), (sent + 1, true), (sent + 2, false)] {
            try place.write("part.jsonl", lines.prefix(count).joined(separator: "\n") + "\n")
            let shown = await place.run("trace show part.jsonl")
            #expect(
                shown.error.contains("the session may be in doubt") == isInDoubt, "\(count): \(shown.error)")
        }
        let end = try #require(lines.last)
            .replacing(#""result":"success""#, with: #""result":"failure","error":"journal_failed""#)
        try place.write("part.jsonl", (lines.prefix(sent + 1) + [end[...]]).joined(separator: "\n") + "\n")
        #expect(await !place.run("trace show part.jsonl").error.contains("may be in doubt"))
    }

    @Test("a strict trace says nothing that strangers should not read")
    func strict() async throws {
        #expect(await run("--trace bad.jsonl --redact strict", secret: "another-secret").status == 6)
        let live = try place.read("bad.jsonl")
        #expect(!live.contains("\"fp\""))
        #expect(live.contains("(left out)"))
        #expect(await run("--trace good.jsonl").status == 0)
        let redacted = await place.run("trace redact good.jsonl")
        #expect(redacted.status == 0)
        #expect(!redacted.output.contains("\"fp\""))
        #expect(redacted.output.contains("\"type\":\"run.end\""))
        stop()
    }

    @Test(
        "a report that cannot be written is refused before anything is sent",
        arguments: [
            ("absent/r.har", "absent: No such file or directory"), ("providers", "providers: is a folder"),
        ])
    func unwritableReport(path: String, expected: String) async throws {
        let result = await run("--trace t.jsonl --report har=\(path)")
        #expect(result.status == ExitStatus.local.rawValue, "\(result.error)")
        #expect(result.error.contains(expected), "\(result.error)")
        #expect(place.permissions(of: "t.jsonl") == nil)
        stop()
    }

    @Test("what the provider's file says of an error is in the report, and in one made of the trace later")
    func advice() async throws {
        let result = await run("--trace t.jsonl --report html=r.html", secret: "wrong")
        #expect(result.status == 6, "\(result.error)")
        #expect(result.error.contains("the secret was rotated last week"), "\(result.error)")
        let page = try place.read("r.html")
        #expect(page.contains("the secret was rotated last week"))
        #expect(page.contains("take the new one from the vault"))
        #expect(await place.run("trace export html=e.html --trace t.jsonl").status == 0)
        #expect(try place.read("e.html") == page)
        let strict = await place.run("trace redact t.jsonl")
        #expect(strict.status == 0, "\(strict.error)")
        #expect(!strict.output.contains("rotated last week"))
        stop()
    }

    @Test("reports are written beside the run, for this user alone, and from a trace later the same")
    func reports() async throws {
        let result = await run("--trace t.jsonl --report jsonl=r.jsonl --report text=r.txt")
        #expect(result.status == 0, "\(result.error)")
        #expect(try place.read("r.jsonl") == place.read("t.jsonl"))
        #expect(place.permissions(of: "r.txt") == 0o600)
        let export = await place.run("trace export jsonl=e.jsonl text=e.txt --trace t.jsonl")
        #expect(export.status == 0, "\(export.error)")
        #expect(try place.read("e.jsonl") == place.read("t.jsonl"))
        #expect(try place.read("e.txt") == place.read("r.txt"))
        stop()
    }

    @Test("a report replaces what is there for this user alone, a link and not what it leads to")
    func linkedReport() async throws {
        try place.write("old.txt", "old", permissions: 0o644)
        try place.write("precious.txt", "precious", permissions: 0o644)
        #expect(symlink("precious.txt", "\(place.path)/link.txt") == 0)
        #expect(symlink("nowhere", "\(place.path)/dangling.txt") == 0)
        let result = await run("--report text=old.txt --report text=link.txt --report text=dangling.txt")
        #expect(result.status == 0, "\(result.error)")
        #expect(try place.read("precious.txt") == "precious")
        #expect(place.permissions(of: "nowhere") == nil)
        for name in ["old.txt", "link.txt", "dangling.txt"] {
            #expect(place.permissions(of: name) == 0o600)
            #expect(FileAccess.destination(ofLink: "\(place.path)/\(name)") == nil)
            #expect(try place.read(name) == place.read("old.txt"))
        }
        stop()
    }

    @Test(
        "what cannot be understood is told",
        arguments: [
            ("trace export hra=x", 2, "otlp; did you mean \"har\"?"),
            ("trace export html", 2, "is not of the form FORM=FILE"),
            ("trace export html=-", 2, "a report goes to a file, not to standard output"),
            ("plan login -p sandbox --report har=-", 2, "a report goes to a file, not to standard output"),
            ("trace show nothing", 2, "there is no file and no run \"nothing\""),
            ("trace show broken.jsonl", 3, "broken.jsonl:1: this is not JSON"),
            ("trace show two.jsonl", 3, "two.jsonl:2: a second trace begins here, and a file holds one"),
            ("trace replay cut.jsonl", 3, "does not hold the text of its flow"),
        ])
    func mistakes(line: String, status: Int, words: String) async throws {
        try place.write("broken.jsonl", "nonsense\n")
        let start =
            #"{"v":1,"seq":1,"t":"2026-01-01T00:00:00.000Z","run":"r","type":"run.start","mode":"live","flow":"f","flowVersion":1,"flowDigest":"d","provider":"sandbox","inputs":[]}"#
            + "\n"
        try place.write("cut.jsonl", start)
        try place.write("two.jsonl", start + start)
        let result = await place.run(line)
        #expect(result.status == status)
        #expect(result.error.contains(words), "\(result.error)")
        stop()
    }
}
