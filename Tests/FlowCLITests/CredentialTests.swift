import OAuthProtocol
import Testing

@testable import FlowCLI

@Suite("tokens for other programs")
struct CredentialTests {
    private let token = HelperToken(secret: Secret("t0ken", kind: .accessToken), expiresAt: 1_767_225_600_999)

    private func reply(_ lines: String, user: String? = nil) -> String {
        GitCredential.reply(to: GitCredential.Question(lines), token, user: user)
    }

    @Test("git gets user name and password, with the end of their time")
    func password() {
        #expect(
            reply("protocol=https\nhost=git.example.com\n")
                == "username=oauth2\npassword=t0ken\npassword_expiry_utc=1767225600\n")
        #expect(reply("", user: "me").hasPrefix("username=me\n"))
        // The address says who it is.
        #expect(reply("username=you\n", user: "me").hasPrefix("username=you\n"))
    }

    @Test(
        "git gets a bearer token where it can send one and the server does not ask for something else",
        arguments: [
            ("capability[]=authtype\n", true), ("capability[]=state\n", false), ("", false),
            ("capability[]=authtype\nwwwauth[]=Basic realm=\"x\"\n", false),
            ("capability[]=authtype\nwwwauth[]=Basic realm=\"x\"\nwwwauth[]=bEarer realm=\"x\"\n", true),
        ])
    func bearer(lines: String, isBearer: Bool) {
        #expect(
            reply(lines).hasPrefix("capability[]=authtype\nauthtype=Bearer\ncredential=t0ken\n") == isBearer)
    }

    @Test("lines after the empty one, and what nobody here knows, are passed over")
    func question() {
        let question = GitCredential.Question(
            "protocol=https\nodd\nhost=a.example:8443\npath=x=y\npassword=p=q\n\nhost=b.example\n")
        #expect(question.server == "https://a.example:8443")
        #expect(question.password == "p=q")
    }

    @Test(
        "a header field that flowrun writes itself is refused", arguments: ["Authorization", "DPOP", "Host"])
    func ownFields(name: String) async throws {
        let place = try Workplace()
        let result = await place.run("http GET https://api.example/ -H \(name):x")
        #expect(result.status == 2)
        #expect(result.error.contains("the header field \(name) is written by flowrun itself"))
    }

    @Test(
        "what no request can be is refused before anything is asked for",
        arguments: [
            (
                "http TRACE https://api.example/",
                "no method \"TRACE\"; there are GET, HEAD, POST, PUT, PATCH, DELETE"
            ),
            ("http GET http://api.example/", "the URL is not https"),
            ("http GET https://me@api.example/", "the URL holds user information"),
            ("http GET https://api.example/ --data x", "GET has no body"),
            ("http POST https://api.example/ --data x --json-body {}", "give one of --data and --json-body"),
            ("http POST https://api.example/ -H nocolon", "--header needs 'NAME: VALUE'"),
            ("credential docker capability", "credential docker knows get, store, erase, list, version"),
            ("credential git --user a\u{1}b", "--user needs a name without spaces"),
        ])
    func usage(line: String, words: String) async throws {
        let result = try await Workplace().run(line)
        #expect(result.status == 2)
        #expect(result.error.contains(words))
        #expect(result.output.isEmpty)
    }

    @Test("a helper says one line and nothing to the other program")
    func oneLine() async throws {
        let place = try Workplace()
        let result = await place.run(
            "credential git --provider sandbox --host git.example.com get",
            input: "protocol=https\nhost=git.example.com\n\n")
        #expect(result.status == 4)
        #expect(result.output.isEmpty)
        #expect(
            result.error
                == "flowrun: nobody is signed in at sandbox, or the session cannot be renewed; "
                + "sign in: flowrun login sandbox\n")
    }

    @Test(
        "a host is compared with its port, and never reached in the open",
        arguments: [
            ("https://git.example.com", true), ("git.example.com", true), ("GIT.example.com:443", true),
            ("https://git.example.com/v2/", true), ("git.example.com:8443", false),
            ("http://git.example.com", false), ("https://git.example.com.evil.example", false),
            ("https://evil.example/git.example.com", false), ("localhost:5000", true),
            ("http://localhost:5000", true), ("http://localhost:5001", false), ("", false),
        ])
    func hosts(server: String, isServed: Bool) async throws {
        let place = try Workplace()
        let result = await place.run(
            "credential docker --provider sandbox --host git.example.com --host localhost:5000 get",
            input: server)
        // Without a session docker is told the same; reason and status tell the two apart.
        #expect(result.output == "credentials not found in native keychain\n")
        #expect(result.status == (isServed ? 4 : 1))
        #expect(result.error.contains("nobody is signed in") == isServed)
    }

    @Test("of several that start the sandbox at once one does, and the others use it")
    func sandboxRace() async throws {
        let place = try Workplace()
        let statuses = await withTaskGroup(of: Int32.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    await place.run("credential kubectl --provider sandbox").status
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 4, count: 8))
    }

    @Test("words are quoted as a shell reads them")
    func quoting() {
        #expect(
            ShellWords.quoted(["a b", "it's", "plain-1.2/x=y", ""]) == "'a b' 'it'\\''s' plain-1.2/x=y ''")
    }
}
