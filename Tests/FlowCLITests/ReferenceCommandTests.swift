import Testing

@testable import FlowCLI

@Suite("Reference commands")
struct ReferenceCommandTests {
    @Test("kinds lists every kind, and shows one with arguments, fields and outcomes")
    func kinds() async throws {
        let place = try Workplace()
        let all = await place.run("kinds")
        #expect(all.status == 0)
        #expect(all.output.hasPrefix("kinds of steps\n  restore "))
        let one = await place.run("kinds clear")
        #expect(
            one.output == """
                clear  delete the stored session and the token set

                example, as it stands under steps
                  clear:
                    next: done

                with
                  use  token set  token set to forget (default: main)
                  key  string     distinguishes sessions of one client

                outcomes
                  success   ok
                  internal  store_failed

                fields when it does not
                  error        optional string
                  description  optional string
                  status       optional int
                  retry_after  optional duration

                replay  sends nothing

                """)
        let waiting = await place.run("kinds callback")
        #expect(waiting.output.hasSuffix("waits   for a person: timeout is 5m if not given\n"))
    }

    @Test("kinds answers as JSON, of all kinds or of one")
    func json() async throws {
        let place = try Workplace()
        #expect(
            await place.run("kinds --json").output.hasPrefix("{\n  \"language\": \"flow/1\",\n  \"kinds\": [")
        )
        let one = await place.run("kinds store -o json").output
        #expect(one.contains("{\n      \"name\": \"conflict\",\n      \"class\": \"choice\"\n    }"))
    }

    @Test("a kind that does not exist is a mistake of the command line, with the nearest one")
    func unknownKind() async throws {
        let result = try await Workplace().run("kinds calback")
        #expect(result.status == 2)
        #expect(
            result.error
                == "flowrun: no kind of step is named \"calback\"; did you mean \"callback\"?\n  see: flowrun kinds\n"
        )
        #expect(try await Workplace().run("kinds store --markdown").status == 2)
        let option = try await Workplace().run("kinds --markdow")
        #expect(option.error.hasPrefix("flowrun: unknown option --markdow; did you mean --markdown?\n"))
    }

    @Test("explain shows the meaning, the reason, and a wrong and a right example")
    func explain() async throws {
        let result = try await Workplace().run("explain fl012")
        #expect(result.status == 0)
        #expect(
            result.output == """
                FL012 (error): language level

                The file asks for a level of the language that this flowrun does not know.

                Why
                  A level only adds to the one before. A program that ran a flow of a higher level could
                  ignore a construct that matters for safety, so it refuses.

                Wrong

                    language: flow/2

                Right

                    language: flow/1

                """)
    }

    @Test("lint writes SARIF and workflow commands, with the status of the findings")
    func formats() async throws {
        let place = try Workplace([
            "flows/a.flow.yaml": ChoiceFlow.text.replacing("start: pick", with: "start: pik")
        ])
        let github = await place.run("lint --format github")
        #expect(github.status == 3)
        #expect(
            github.output
                == "::error file=flows/a.flow.yaml,line=11,col=8,endColumn=11,title=FL020::start \"pik\" is no step; did you mean \"pick\"?\n"
        )
        let sarif = await place.run("lint --format sarif")
        #expect(sarif.status == 3)
        #expect(sarif.output.contains("\"uri\": \"flows/a.flow.yaml\""))
        #expect(sarif.output.contains("\"ruleId\": \"FL020\""))
        #expect(await place.run("lint --format sarif --exit-zero").status == 0)
    }
}
