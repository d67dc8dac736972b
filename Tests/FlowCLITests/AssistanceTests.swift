import Testing

@testable import FlowCLI

@Suite("what flowrun says of itself")
struct AssistanceTests {
    private func candidates(_ words: [String]) async throws -> Completer.Answer {
        let place = try Workplace(["flows/mine.flow.yaml": ChoiceFlow.text])
        let context = CommandContext(place.surroundings(), CommonOptions())
        return await Completer(context: context).answer(words)
    }

    @Test(
        "a word is completed by what the command line asks for there",
        arguments: [
            (["logi"], ["login"]), (["store", "s"], ["status", "seal"]),
            (["-v", "tok"], ["token", "token-exchange"]),
            (["run", "min"], ["mine"]), (["min"], ["mine"]), (["run", "--prof"], ["--profile"]),
            (["login", "--store", "f"], ["file"]), (["login", "--store=f"], ["--store=file"]),
            (["login", "--provider", "x", "--store", "f"], ["file"]), (["http", "PA"], ["PATCH"]),
            (["setup", "git", "custom-o"], ["custom-oidc"]), (["completion", "z"], ["zsh"]),
            (["status", "sandbox", "x"], []), (["no-such", "--dry-r"], ["--dry-run"]),
            (["plan", "login", "--why", "exch"], ["exchange"]), (["trace", "show", "-", "--why", "x"], []),
        ])
    func completion(words: [String], expected: [String]) async throws {
        #expect(try await candidates(words).candidates.map(\.word) == expected)
    }

    @Test(
        "paths are completed by the shell",
        arguments: [["lint", ""], ["exec", "--", "ls", ""], ["fmt", "--", ""]])
    func files(words: [String]) async throws {
        #expect(try await candidates(words).takesFiles)
    }

    @Test("every command has a candidate for every argument that names something")
    func table() async throws {
        for spec in CommandTable.all where spec.arguments.contains("PROVIDER") {
            let words = spec.name.split(separator: " ").map(String.init) + ["google"]
            #expect(try await candidates(words).candidates.contains { $0.word == "google" }, "\(spec.name)")
        }
    }

    @Test("no line of the manual begins with a sign that roff takes for a request")
    func manual() {
        let macros: Set = ["TH", "SH", "SS", "TP", "PP", "nf", "fi", "sp", "br", "nh", "ad", "ds"]
        for line in ManualPage.text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            let name = line.dropFirst().prefix { $0 != " " }
            #expect(macros.contains(String(name)), "\(line)")
        }
        for spec in CommandTable.all {
            #expect(ManualPage.text.contains(".SS \"flowrun \(spec.name.replacing("-", with: "\\-"))"))
        }
        #expect(!ManualPage.text.contains("flowrun complete"))
    }

    @Test("a value of a registration is shown, set, and explained by its places")
    func configuration() async throws {
        let place = try Workplace([
            "flowrun.yaml":
                "registrations:\n  sandbox:\n    client_id: mine  # ours\n    client_secret: {env: S}\n"
        ])
        #expect(await place.run("config get sandbox.client_id").output == "mine\n")
        let other = await place.run(
            "config get sandbox.client_id", environment: ["SANDBOX_CLIENT_ID": "other"])
        #expect(other.output == "other\n")
        #expect(await place.run("config get sandbox.client_secret").status == 2)
        #expect(await place.run("config get sandbox.redirect_uri").status == 3)
        let set = await place.run("config set sandbox.redirect_uri http://127.0.0.1:8400/cb")
        #expect(set.status == 0)
        #expect(
            try place.read("flowrun.yaml")
                == "registrations:\n  sandbox:\n    client_id: mine  # ours\n    client_secret: {env: S}\n"
                + "    redirect_uri: \"http://127.0.0.1:8400/cb\"\n")
        let secret = await place.run("config explain sandbox.client_secret --json")
        #expect(secret.output.contains("\"value\": \"in variable S\""))
        #expect(await place.run("config set sandbox.client_secret x").status == 2)
    }

    @Test(
        "scopes are set as words or as a list, and what is no scope is refused",
        arguments: [
            ("openid,email", "[openid, email]"), ("[openid,email]", "[openid, email]"),
            ("[\"openid\",'a/b:c']", "[openid, \"a/b:c\"]"), ("openid", "[openid]"),
            ("[]", nil), ("[openid", nil), ("openid]", nil), ("[[openid]]", nil), ("\"openid", nil),
            (",", nil),
        ] as [(String, String?)])
    func scopes(_ value: String, _ written: String?) async throws {
        let file = "registrations:\n  sandbox:\n    client_id: mine\n"
        let place = try Workplace(["flowrun.yaml": file])
        let result = await place.run("config set sandbox.scopes \(value)")
        #expect(result.status == (written == nil ? 2 : 0), "\(result.error)")
        #expect(try place.read("flowrun.yaml") == file + (written.map { "    scopes: \($0)\n" } ?? ""))
    }

    @Test(
        "the doctor tells what is wrong and what helps, and its status says nothing unless that is asked for")
    func doctor() async throws {
        let place = try Workplace([
            "flowrun.yaml": "registrations: {sandbox: {client_id: x, client_secret: {file: gone}}}\n"
        ])
        let result = await place.run("doctor")
        #expect(result.status == 0)
        #expect(result.output.contains("gone: No such file or directory"))
        #expect(await place.run("doctor --strict").status == 9)
    }
}
