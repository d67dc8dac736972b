import Glibc
import Testing

@testable import FlowCLI

@Suite("fmt")
struct FormatCommandTests {
    private static let untidy = "flow: a   # name\nlanguage: flow/1\n"
    private static let tidy = "language: flow/1\nflow: a   # name\n"

    @Test("writes files anew and keeps their permissions; a second time there is nothing to do")
    func write() async throws {
        let place = try Workplace()
        try place.write("flows/a.flow.yaml", Self.untidy, permissions: 0o640)
        let result = await place.run("fmt")
        #expect(result.status == 0)
        #expect(result.output == "")
        #expect(result.error == "formatted flows/a.flow.yaml\n")
        #expect(try place.read("flows/a.flow.yaml") == Self.tidy)
        #expect(place.permissions(of: "flows/a.flow.yaml") == 0o640)
        #expect(await place.run("fmt flows/a.flow.yaml").error == "")
        #expect(FileAccess.names(in: "\(place.path)/flows") == ["a.flow.yaml"])
    }

    @Test("--check names the files that differ, writes nothing and ends with 12")
    func check() async throws {
        let place = try Workplace(["flows/a.flow.yaml": Self.untidy, "flows/b.flow.yaml": Self.tidy])
        let result = await place.run("fmt --check")
        #expect(result.status == 12)
        #expect(result.output == "flows/a.flow.yaml\n")
        #expect(try place.read("flows/a.flow.yaml") == Self.untidy)
        #expect(await place.run("fmt --check flows/b.flow.yaml").status == 0)
    }

    @Test("--diff shows what would change in the form of a patch")
    func difference() async throws {
        let place = try Workplace(["a.flow.yaml": Self.untidy])
        let result = await place.run("fmt --diff a.flow.yaml")
        #expect(result.status == 0)
        #expect(
            result.output == """
                --- a.flow.yaml
                +++ a.flow.yaml
                @@ -1,2 +1,2 @@
                -flow: a   # name
                 language: flow/1
                +flow: a   # name

                """)
        #expect(try place.read("a.flow.yaml") == Self.untidy)
        #expect(await place.run("fmt --diff --check a.flow.yaml").status == 12)
    }

    @Test("a file that is not there is told, and the status is 3", arguments: ["", "--check ", "--diff "])
    func missing(_ option: String) async throws {
        let place = try Workplace(["a.flow.yaml": Self.tidy])
        let result = await place.run("fmt \(option)a.flow.yaml nofile.yaml")
        #expect(result.status == 3)
        #expect(result.error.contains("nofile.yaml:1:1: error[FL002]: cannot be read"), "\(result.error)")
    }

    @Test("a file with mistakes of YAML is left alone, the others are formatted, and the status is 3")
    func unreadable() async throws {
        let place = try Workplace(["flows/a.flow.yaml": "a: [\n", "flows/b.flow.yaml": Self.untidy])
        let result = await place.run("fmt")
        #expect(result.status == 3)
        #expect(result.error.contains("flows/a.flow.yaml:2:1: error[FL001]: "))
        #expect(try place.read("flows/a.flow.yaml") == "a: [\n")
        #expect(try place.read("flows/b.flow.yaml") == Self.tidy)
    }

    @Test(
        "no secret that stands in a file of registrations is shown [rule 4]",
        arguments: [
            "client_secret: \"hunter2", "client_secret: x: hunter2", "client_secret:   hunter2",
            "client_secret: {  hunter2 }", "clientsecret:   hunter2",
        ])
    func registrations(_ line: String) async throws {
        let text = "registrations:\n  acme:\n    client_id:   a\n    \(line)\n"
        let place = try Workplace(["flowrun.yaml": text])
        for option in ["--check", "--diff"] {
            let result = await place.run("fmt \(option) flowrun.yaml")
            #expect(!(result.output + result.error).contains("hunter2"), "\(result.output)\(result.error)")
        }
        let clean = try Workplace(["flowrun.yaml": "registrations:\n  acme:\n    client_id:   a\n"])
        #expect(await clean.run("fmt --diff flowrun.yaml").output.contains("+    client_id: a\n"))
    }

    @Test("- formats standard input")
    func filter() async throws {
        let place = try Workplace()
        let result = await place.run("fmt -", input: Self.untidy)
        #expect(result.status == 0)
        #expect(result.output == Self.tidy)
        #expect(await place.run("fmt --check -", input: Self.untidy).status == 12)
        #expect(await place.run("fmt -", input: "a: [").status == 3)
    }

    @Test("a link stays a link, and the file behind it is written")
    func link() async throws {
        let place = try Workplace(["real.yaml": Self.untidy])
        try #require(symlink("real.yaml", "\(place.path)/a.flow.yaml") == 0)
        #expect(await place.run("fmt a.flow.yaml").status == 0)
        #expect(FileAccess.destination(ofLink: "\(place.path)/a.flow.yaml") == "real.yaml")
        #expect(try place.read("real.yaml") == Self.tidy)
    }

    @Test("providers and registrations keep the order of their keys")
    func otherFiles() async throws {
        let place = try Workplace(["providers/a.yaml": "x: 1\nprovider:   a\nflow: b\n"])
        #expect(await place.run("fmt").status == 0)
        #expect(try place.read("providers/a.yaml") == "x: 1\nprovider: a\nflow: b\n")
    }

    @Test("a difference far from another has a hunk of its own")
    func hunks() {
        let old = (1...20).map { "line \($0)\n" }.joined()
        let new = old.replacing("line 2\n", with: "second\n").replacing("line 19\n", with: "")
        #expect(
            UnifiedDifference.text(from: old, to: new, named: "f") == """
                --- f
                +++ f
                @@ -1,5 +1,5 @@
                 line 1
                -line 2
                +second
                 line 3
                 line 4
                 line 5
                @@ -16,5 +16,4 @@
                 line 16
                 line 17
                 line 18
                -line 19
                 line 20

                """)
        #expect(UnifiedDifference.text(from: old, to: old, named: "f") == "")
    }
}
