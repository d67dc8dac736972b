import Testing

@testable import FlowCLI

@Suite("flow new")
struct NewFlowTests {
    @Test("writes a flow without a finding, in canonical form, whose test passes, and says what is next")
    func template() async throws {
        let place = try Workplace(["flowrun.yaml": "registrations: {}\n"])
        let result = await place.run("flow new work-login")
        #expect(result.status == 0)
        #expect(
            result.output.hasPrefix(
                "wrote flows/work-login.flow.yaml\n\nnext\n  flowrun lint flows/work-login.flow.yaml "))
        #expect(
            try place.read("flows/work-login.flow.yaml").hasPrefix(
                "# yaml-language-server: $schema=flow.schema.json\n"))
        #expect(try place.read("flows/flow.schema.json") == (await place.run("schema flow")).output)
        #expect(await place.run("lint flows --format json").output == "[]\n")
        #expect(await place.run("fmt --check flows").status == 0)
        let tests = await place.run("test")
        #expect(tests.output.hasSuffix("1 tests, 1 passed, 0 failed\n"))
        #expect(await place.run("plan work-login -p sandbox").status == 0)
    }

    @Test("--from copies a flow under the new name", arguments: ["login", "refresh"])
    func copy(model: String) async throws {
        let place = try Workplace()
        #expect(await place.run("flow new mine --from \(model)").status == 0)
        let text = try place.read("flows/mine.flow.yaml")
        #expect(text.contains("\nflow: mine\n"))
        #expect(await place.run("lint flows --format json").output == "[]\n")
        #expect(await place.run("test mine").status == 0)
    }

    @Test("never overwrites, and takes only names that flows can have")
    func refusals() async throws {
        let place = try Workplace(["flows/mine.flow.yaml": "mine"])
        let result = await place.run("flow new mine")
        #expect(result.status == 2)
        #expect(
            result.error
                == "flowrun: flows/mine.flow.yaml exists already\n  choose another name, or remove it first\n"
        )
        #expect(try place.read("flows/mine.flow.yaml") == "mine")
        for name in ["../mine", "Mine", "1st", "a.b"] {
            #expect(await place.run("flow new \(name)").status == 2)
        }
        #expect(await place.run("flow new a_b-1").status == 0)
        #expect(await place.run("lint flows/a_b-1.flow.yaml").status == 0)
        let model = await place.run("flow new other --from lgoin")
        #expect(model.status == 2)
        #expect(model.error.contains("did you mean \"login\"?"))
        #expect(place.permissions(of: "flows/other.flow.yaml") == nil)
    }
}
