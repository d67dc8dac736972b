import FoundationEssentials
import Glibc
import JOSE
import Testing

@testable import FlowCLI

@Suite("lint")
struct LintCommandTests {
    @Test("lint says what is wrong and where, and ends with 3")
    func lint() async throws {
        let place = try Workplace([
            "flows/a.flow.yaml": ChoiceFlow.text.replacing("start: pick", with: "start: pik")
        ])
        let result = await place.run("lint --format short")
        #expect(result.status == 3)
        #expect(
            result.output == """
                flows/a.flow.yaml:11:8: error[FL020]: start "pik" is no step; did you mean "pick"?
                flows/a.flow.yaml: 1 error(s), 0 warning(s)

                """)
        #expect(await place.run("lint --exit-zero").status == 0)
    }

    @Test("what cannot be read is a finding among the others, in every form")
    func lintUnreadable() async throws {
        let place = try Workplace([
            "flows/a.flow.yaml": ChoiceFlow.text.replacing("start: pick", with: "start: pik"),
            "providers/none": "",
        ])
        #expect(symlink("nowhere", "\(place.path)/providers/lost.yaml") == 0)
        #expect(symlink(".", "\(place.path)/providers/round") == 0)
        #expect(mkfifo("\(place.path)/providers/pipe.yaml", 0o600) == 0)
        let latin1 = Array("\(place.path)/providers/caf".utf8) + [0xE9] + Array(".yaml\0".utf8)
        #expect(symlink("none", latin1.map(CChar.init(bitPattern:))) == 0)
        let text = await place.run("lint missing flows providers --format short")
        #expect(text.status == 3)
        #expect(
            text.output == """
                flows/a.flow.yaml:11:8: error[FL020]: start "pik" is no step; did you mean "pick"?
                flows/a.flow.yaml: 1 error(s), 0 warning(s)
                missing:1:1: error[FL002]: cannot be read: No such file or directory
                missing: 1 error(s), 0 warning(s)
                providers/caf\u{FFFD}.yaml:1:1: error[FL002]: cannot be read: a name that is not UTF-8 cannot be \
                reached; rename it
                providers/caf\u{FFFD}.yaml: 1 error(s), 0 warning(s)
                providers/lost.yaml:1:1: error[FL002]: cannot be read: No such file or directory
                providers/lost.yaml: 1 error(s), 0 warning(s)
                providers/pipe.yaml:1:1: error[FL002]: cannot be read: it is a pipe, not a file
                providers/pipe.yaml: 1 error(s), 0 warning(s)

                """)
        let json = await place.run("lint missing flows providers --format json")
        #expect(try JSON.parse(Array(json.output.utf8)).arrayValue?.count == 5)
        #expect(await place.run("provider list pipe").output.contains("it is a pipe, not a file"))
    }

    @Test("with --fix what is certain is put right in the files, and the rest is told")
    func fix() async throws {
        let text = ChoiceFlow.text.replacing("start: pick", with: "start: pik")
            .replacing("summary:", with: "sumary:")
        let place = try Workplace([
            "flows/a.flow.yaml": text.replacing("- right", with: "- somewhere"), "flows/b.flow.yaml": text,
            "flows/c.flow.yaml": ChoiceFlow.text,
        ])
        #expect(chmod("\(place.path)/flows/b.flow.yaml", 0o640) == 0)
        let before = Self.inode("\(place.path)/flows/c.flow.yaml")
        let result = await place.run("lint --fix --format short")
        #expect(result.status == 3)
        #expect(result.output.contains("flows/a.flow.yaml: 1 error(s), 0 warning(s)\n"))
        #expect(result.output.contains("\"somewhere\""))
        #expect(result.error.contains("fixed flows/b.flow.yaml:11:8: pik is now pick\n"))
        #expect(
            try place.read("flows/a.flow.yaml") == ChoiceFlow.text.replacing("- right", with: "- somewhere"))
        #expect(try place.read("flows/b.flow.yaml") == ChoiceFlow.text)
        #expect(Self.inode("\(place.path)/flows/c.flow.yaml") == before)
        #expect(place.permissions(of: "flows/b.flow.yaml") == 0o640)
        #expect(await place.run("lint flows/b.flow.yaml").status == 0)
    }

    /// Another after a file was replaced.
    private static func inode(_ path: String) -> UInt? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt(status.st_ino) : nil
    }

    @Test("a secret that stands where none may is neither put right nor shown")
    func fixSecret() async throws {
        let text = "registrations:\n  sandbox: {client_id: a, client_secret: 12345678}\n"
        let place = try Workplace(["flowrun.yaml": text])
        let result = await place.run("lint --fix --format json")
        #expect(!(result.output + result.error).contains("12345678"))
        #expect(try place.read("flowrun.yaml") == text)
    }

    @Test("a flow that is called by its name is told by its path")
    func lintName() async throws {
        let place = try Workplace(["flows/a.flow.yaml": ChoiceFlow.text])
        let result = await place.run("lint a")
        #expect(result.status == 3)
        #expect(result.output.contains("hint: name the file: flows/a.flow.yaml"), "\(result.output)")
        #expect(!(await place.run("lint b")).output.contains("hint:"))
    }

    @Test("lint holds registrations against their providers")
    func lintRegistrations() async throws {
        let place = try Workplace([
            "providers/acme.yaml": """
            provider: acme
            protocol: oauth2
            token_endpoint: "${vars.base}/token"
            environments: {test: {token_endpoint: "https://test.acme.example/${vars.base}"}}
            variables: {base: {}}

            """,
            "flowrun.yaml": """
            registrations:
              acme: {client_id: a, variables: {base: "http://acme.example"}}
              acne: {client_id: a}

            """,
        ])
        let wrong = await place.run("lint --format short")
        #expect(wrong.status == 3)
        #expect(wrong.output.contains("flowrun.yaml:2:3: error[FL099]"))
        #expect(wrong.output.contains("there is no provider \"acne\""))
        try place.write(
            "flowrun.yaml",
            "registrations:\n  acme: {client_id: a, environment: test, variables: {base: x}}\n  sandbox: {client_id: b}\n"
        )
        #expect(await place.run("lint").status == 0)
    }

    @Test("a flow that runs by default with a provider that is not there is warned of, at its name")
    func lintStandardProvider() async throws {
        let place = try Workplace([
            "flows/a.flow.yaml": ChoiceFlow.text.replacing(
                "main: {default: sandbox}",
                with: "main: {default: sandbx}\n  other: {default: sandbox}")
        ])
        let result = await place.run("lint --format short")
        #expect(result.status == 0)
        #expect(
            result.output.contains(
                "flows/a.flow.yaml:5:19: warning[FL108]: there is no provider \"sandbx\""))
        #expect(result.output.components(separatedBy: "FL108").count == 2)
        #expect((await place.run("lint")).output.contains("did you mean \"sandbox\"?"))
    }

    @Test("a mistake that two files share is told once, and neither counts as clean")
    func lintShared() async throws {
        let place = try Workplace([
            "providers/parent.yaml": "provider: parent\nprotocol: oauth2\ntoken_endpoint: x\n",
            "providers/child.yaml": "provider: child\nextends: parent\n",
        ])
        let result = await place.run("lint")
        #expect(result.output.components(separatedBy: "is not an absolute URL").count == 2)
        #expect(result.output.hasSuffix("2 file(s) checked, 0 without a finding\n"))
    }

    @Test("lint without a project asks for paths")
    func lintNothing() async throws {
        let result = try await Workplace().run("lint")
        #expect(result.status == 2)
        #expect(result.error == "flowrun: there is no project here\n  name files or folders to check\n")
    }

    @Test("a folder without a file of ours is a mistake, beside others a warning")
    func lintEmpty() async throws {
        let place = try Workplace(["empty/readme.md": "x", "other/a.yaml": "services: {}\n"])
        for (paths, shown) in [("empty", "empty"), ("empty other", "empty, other")] {
            let result = await place.run("lint \(paths)")
            #expect(result.status == 2)
            #expect(result.output == "")
            #expect(
                result.error == """
                    flowrun: there is nothing to check in \(shown)
                      files are known by their names: NAME.flow.yaml, NAME.provider.yaml, flowrun.yaml
                      name a file of another name itself, or write one to begin with: flowrun flow new NAME

                    """)
        }
        try place.write("flows/choice.flow.yaml", ChoiceFlow.text)
        let beside = await place.run("lint empty flows flows")
        #expect(beside.status == 0)
        #expect(beside.output == "1 file(s) checked, 1 without a finding\n")
        #expect(beside.error == "warning: there is nothing to check in empty\n")
        let project = try Workplace(["flows/readme.md": "x"])
        let nothing = await project.run("lint")
        #expect(nothing.status == 2)
        #expect(nothing.error.hasPrefix("flowrun: there is nothing to check in the project\n"))
    }

    @Test("everything that comes with flowrun is without a finding")
    func lintShipped() async throws {
        let folder = Workplace.packageFolder
        let result = try await Workplace().run("lint \(folder)/flows \(folder)/providers --format json")
        #expect(result.output == "[]\n")
        #expect(result.status == 0)
    }
}
