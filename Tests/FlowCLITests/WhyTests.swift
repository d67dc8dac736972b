import JOSE
import Testing

@testable import FlowCLI

@Suite("Why a step led where it did")
struct WhyTests {
    /// Its guards read a secret and what says something of a person.
    private static let guarded = """
        language: flow/1
        flow: guarded
        inputs:
          pin: secret
          tenant: string
        vars:
          tries: { type: int, init: 2 }
        defaults:
          next: { any: failed }
        start: pick
        steps:
          pick:
            do: choose
            next:
              - { to: done, if: "has(inputs.pin) && vars.tries > 3" }
              - { to: clear, if: "vars.tries == 2 && inputs.tenant == 'acme'" }
              - done
          clear:
            next: done
        ends:
          done: { result: success }
          failed: { result: failure }

        """

    private let place: Workplace

    init() throws {
        place = try Workplace(["flows/guarded.flow.yaml": Self.guarded])
    }

    private func plan(_ rest: String) async -> Workplace.Result {
        await place.run("plan login -p sandbox \(rest)")
    }

    /// The lines without their indents and the spaces between their columns.
    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.split(separator: " ").joined(separator: " ")
        }
    }

    @Test("each line and alternative that was looked at, for each visit of the step")
    func visits() async throws {
        let result = await plan("--assume restore=ok --assume userinfo=unauthorized --why userinfo@2")
        #expect(result.status == 0, "\(result.error)")
        #expect(
            Self.lines(result.output) == [
                "userinfo visit 2 of 3 login.flow.yaml:108:3", "outcome unauthorized [grant]",
                "because assumed", "retry 1 attempt; the policy does not name unauthorized",
                "of the defaults, at most 3 attempts, after network, server_error, rate_limited",
                "login.flow.yaml:34:5", "line ✓ exact unauthorized login.flow.yaml:112:7",
                "○ default any any not looked at login.flow.yaml:45:5",
                "ways ✗ 1 of 3 → refresh its max is used up login.flow.yaml:113:17",
                "max 1, 1 used before", "✓ 2 of 3 → authorize taken login.flow.yaml:114:17",
                "max 1, 0 used before", "○ 3 of 3 → refused not looked at login.flow.yaml:115:15",
                "led to authorize", "",
            ])
        let all = await plan("--assume restore=ok --assume userinfo=unauthorized --why userinfo")
        #expect(
            Self.lines(all.output).filter { $0.hasPrefix("led to") } == [
                "led to refresh", "led to authorize", "led to end refused",
            ])
    }

    @Test("the places of the language are told in its order, up to the one that has a line")
    func order() async throws {
        let result = await plan("--assume exchange=network --why exchange")
        let lines = Self.lines(result.output)
        #expect(lines.contains("retry 3 attempts; no more are allowed"))
        let first = try #require(lines.firstIndex { $0.hasPrefix("line ") })
        #expect(
            Array(lines[first..<(first + 6)]) == [
                "line ○ exact network no such line", "○ class any.transient no such line",
                "○ any any no such line", "○ default network no such line",
                "✓ default class any.transient login.flow.yaml:42:5",
                "○ default any any not looked at login.flow.yaml:45:5",
            ])
    }

    @Test("a condition is shown with what it read, and no secret")
    func conditions() async throws {
        let result = await place.run(
            "plan guarded -p sandbox -i pin=canary-secret -i tenant=acme --why pick --trace t.jsonl")
        #expect(result.status == 0, "\(result.error)")
        #expect(
            Self.lines(result.output).dropFirst(3).dropLast(2) == [
                "ways ✗ 1 of 3 → done its if does not hold guarded.flow.yaml:15:15",
                "if has(inputs.pin) && vars.tries > 3 false", "inputs.pin = ‹secret›", "vars.tries = 2",
                "✓ 2 of 3 → clear taken guarded.flow.yaml:16:15",
                "if vars.tries == 2 && inputs.tenant == 'acme' true", "vars.tries = 2",
                "inputs.tenant = acme", "○ 3 of 3 → done not looked at guarded.flow.yaml:17:9",
            ])
        #expect(try !place.read("t.jsonl").contains("canary"))
        // The trace says the same, whatever has become of the flow.
        try place.write("flows/guarded.flow.yaml", "broken: [")
        let shown = await place.run("trace show t.jsonl --why pick")
        #expect(shown.status == 0)
        #expect(shown.output == result.output)
    }

    @Test("the text of a trace says it in the same lines, at -vv and where the way is not plain")
    func text() async throws {
        let result = await place.run(
            "plan guarded -p sandbox -i pin=canary-secret -i tenant=acme --why pick --trace t.jsonl")
        let lines = Self.lines(await place.run("trace show t.jsonl -vv").output)
        for line in Self.lines(result.output).dropFirst(2).dropLast(2) {
            #expect(lines.contains("* \(line)"))
        }
        #expect(lines.filter { $0.hasPrefix("* line ") }.count == 1)
        let short = Self.lines(await place.run("trace show t.jsonl").output)
        #expect(!short.contains { $0.hasPrefix("* line ") })
    }

    @Test("for programs: what the trace says, under its names")
    func json() async throws {
        let result = await plan("--why restore -o json")
        let answer = try JSON.parse(Array(result.output.utf8))
        #expect(answer["reached"] == true)
        let visit = try #require(answer["visits"]?.arrayValue?.first)
        #expect(visit["outcome"] == "absent")
        #expect(visit["next"] == "authorize")
        #expect(visit["lines"]?.arrayValue?.first?["verdict"] == "taken")
        #expect(visit["alternatives"]?.arrayValue?.first?["to"] == "authorize")
        #expect(visit["seq"] == nil)
    }

    @Test("a step that was not reached: what leads there, and status 12")
    func unreached() async throws {
        let result = await plan("--why refresh")
        #expect(result.status == 12)
        #expect(
            Self.lines(result.output) == [
                "refresh was not reached in this run", "what leads there",
                "restore expired [choice] ended with absent",
                "userinfo unauthorized [grant] ended with ok; alternative 1 of 3",
                "rehearse it --assume restore=expired", "",
            ])
        #expect(await plan("--assume restore=expired --why refresh").status == 0)
        let json = try JSON.parse(Array(await plan("--why refresh -o json").output.utf8))
        #expect(json["reached"] == false)
        #expect(json["assume"] == "restore=expired")
        let visit = await plan("--why store@2")
        #expect(visit.status == 12)
        #expect(visit.output.hasPrefix("store was entered once in this run: there is no visit 2\n"))
        let other = await place.run("plan guarded -p sandbox -i pin=1234 -i tenant=x --why clear")
        #expect(other.output.hasSuffix("why another way was taken --why pick\n"))
    }

    @Test(
        "what cannot be asked is told",
        arguments: [
            (
                "plan login -p sandbox --why refrsh",
                "the flow has no step \"refrsh\"; did you mean \"refresh\"?"
            ),
            (
                "plan login -p sandbox --why signed_in",
                "\"signed_in\" is an end and no step\n  ask about the step that led there: --why store"
            ),
            ("plan login -p sandbox --why store@0", "--why needs STEP or STEP@2, not \"store@0\""),
            ("plan login -p sandbox --why store --check x", "--check compares the whole plan"),
            ("run login -p sandbox --why store", "--why is for rehearsals: add --dry-run"),
            ("trace show -o json", "--output json is a form of --why"),
            ("trace show -o html --why store", "--why is shown as text or json, not as html"),
        ])
    func mistakes(line: String, message: String) async {
        let result = await place.run(line)
        #expect(result.status == 2)
        #expect(result.output == "" || line.contains("-o json") && result.output.contains(message))
        #expect(result.error.contains(message), "\(result.error)")
    }

    @Test("an old trace says what it has")
    func old() async throws {
        _ = await plan("--trace t.jsonl")
        let lines = try place.read("t.jsonl").split(separator: "\n").map { line in
            guard var event = try JSON.parse(Array(line.utf8)).objectValue else { return "" }
            for name in ["lines", "alternatives", "retry"] where event["type"] == "step.end" {
                event[name] = nil
            }
            return event.serialize()
        }
        try place.write("old.jsonl", lines.joined(separator: "\n") + "\n")
        let result = await place.run("trace show old.jsonl --why userinfo")
        #expect(result.status == 0, "\(result.error)")
        #expect(
            Self.lines(result.output).dropFirst() == [
                "outcome ok [success]", "line exact", "led to store",
                "the trace does not say more: of an older flowrun, or past 16 visits", "",
            ])
    }
}
