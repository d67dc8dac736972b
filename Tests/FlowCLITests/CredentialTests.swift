import FlowLanguage
import FlowReport
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
            ("credential github-actions --name a=b", "--name needs the name of a variable"),
            ("credential github-actions --name 1a", "--name needs the name of a variable"),
            ("credential github-actions", "GITHUB_OUTPUT is not set: this is for a step of a job"),
            ("credential github-actions --to env", "GITHUB_ENV is not set: this is for a step of a job"),
            (
                "credential aws-file --client-credentials --kind id",
                "--client-credentials is for nobody who signs in, so there is no ID token"
            ),
            (
                "setup kubectl sandbox --client-credentials --sign-in",
                "give one of --client-credentials, for which nobody signs in, and --sign-in"
            ),
            (
                "credential kubectl --client-credentials --sign-in",
                "give one of --client-credentials, for which nobody signs in, and --sign-in"
            ),
        ])
    func usage(line: String, words: String) async throws {
        let result = try await Workplace().run(line)
        #expect(result.status == 2)
        #expect(result.error.contains(words))
        #expect(result.output.isEmpty)
    }

    @Test(
        "a program that cannot be run is told before anybody is asked for a token, as a shell tells it",
        arguments: [
            ("no-such-program", 127, "there is no program \"no-such-program\" in a folder of PATH"),
            ("./gone", 127, "there is no program \"./gone\""), ("./notes", 126, "./notes is not executable"),
        ])
    func noProgram(program: String, status: Int32, words: String) async throws {
        let place = try Workplace(["notes": "", "shop.provider.yaml": Self.provider])
        let result = await place.run("exec -p ./shop.provider.yaml --client-id c -- \(program)")
        #expect(result.status == status)
        #expect(result.error.contains(words))
        #expect(!result.error.contains("sign in"))
    }

    private static let provider = """
        provider: shop
        display_name: Shop
        protocol: oauth2
        issuer: https://login.shop.example
        discovery: off
        authorization_endpoint: https://login.shop.example/authorize
        token_endpoint: https://login.shop.example/token
        resources: [https://api.shop.example/v1]
        refresh:
          endpoint: https://${token.extra.region}.shop.example/token
          allowed_hosts: ["*.shop.example"]
        """

    @Test(
        "a token goes only to servers that the provider or the user names, and what is not https only to this machine",
        arguments: [
            ("https://login.shop.example/me", true), ("https://api.shop.example/v2/orders", true),
            ("https://eu.shop.example/", true), ("https://shop.example/", false),
            ("https://login.shop.example:8443/", false), ("https://login.shop.example.evil.example/", false),
            ("https://evil.example/?https://login.shop.example", false), ("http://127.0.0.1:8000/", false),
            ("https://evil.example/ --allow-host evil.example", true),
            ("https://evil.example:8443/ --allow-host evil.example", true),
            ("https://evil.example:8443/ --allow-host evil.example:443", false),
            ("https://sub.evil.example/ --allow-host evil.example", false),
            ("http://127.0.0.1:8000/ --allow-host 127.0.0.1:8000", true),
            ("https://other.example/x --resource https://other.example/", true),
            ("https://[2001:db8::1]:8443/ --allow-host [2001:db8::1]", true),
            ("https://[2001:db8::1]:8443/ --allow-host [2001:db8::1]:443", false),
        ])
    func tokenHosts(line: String, isSent: Bool) async throws {
        let place = try Workplace(["shop.provider.yaml": Self.provider])
        let result = await place.run("http GET \(line) -p ./shop.provider.yaml --client-id c")
        // Nobody is signed in: what may be sent is not for want of a token.
        #expect(result.status == (isSent ? 4 : 7), "\(result.error)")
        #expect(result.error.contains("nobody is signed in at shop") == isSent)
        #expect(result.error.contains("flowrun explain host_not_allowed") == !isSent)
        #expect(result.output.isEmpty)
    }

    @Test("a server that may not have the token is named with what lets it have it")
    func hostFix() async throws {
        let place = try Workplace(["shop.provider.yaml": Self.provider])
        let result = await place.run(
            "http GET https://evil.example:8443/x -p ./shop.provider.yaml --client-id c")
        #expect(
            result.error == """
                flowrun: the token of shop is not sent to evil.example:8443: the provider does not name that server
                  if the token is meant for it: --allow-host evil.example:8443
                  what the provider names: flowrun provider hosts shop
                  more: flowrun explain host_not_allowed

                """)
        for (url, server) in [
            ("https://evil.example:443/x", "evil.example"), ("http://127.0.0.1/", "127.0.0.1"),
        ] {
            let result = await place.run("http GET \(url) -p ./shop.provider.yaml --client-id c")
            #expect(result.error.contains("--allow-host \(server)\n"), "\(result.error)")
        }
        for host in ["https://a.example", "a.example/", "a.example?b", "a b"] {
            let odd = await Workplace.run(
                ["http", "GET", "https://a.example/", "--allow-host", host, "-p", "./shop.provider.yaml"]
                    + ["--client-id", "c"], place.surroundings())
            #expect(odd.status == 2)
            #expect(odd.error.contains("--allow-host needs a host"))
        }
    }

    @Test(
        "a helper needs hosts for its hosts",
        arguments: ["https://git.example.com", "git.example.com/a", "a@b"])
    func servedHosts(host: String) async throws {
        let result = try await Workplace().run(
            "credential docker --provider sandbox --host \(host) get", input: "git.example.com")
        #expect(result.status == 2)
        #expect(result.error.contains("--host needs a host, with a port where it has one, not \"\(host)\""))
        #expect(result.output.isEmpty)
    }

    @Test("docker learns which hosts there is a token for, and by which name")
    func dockerList() async throws {
        let result = try await Workplace().run(
            "credential docker --provider sandbox --host a.example --host b.example:5000 --user me list")
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output == "{\"a.example\":\"me\",\"b.example:5000\":\"me\"}\n")
    }

    @Test(
        "what kubectl asks for must be what there is an answer to",
        arguments: [
            (
                "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1beta1\"}", 4,
                "signed in"
            ),
            (
                "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v2\"}", 2,
                "another version"
            ),
            (
                "{\"kind\":\"Pod\",\"apiVersion\":\"client.authentication.k8s.io/v1\"}", 2,
                "holds no ExecCredential"
            ),
            ("{\"kind\":\"ExecCredential\"}", 2, "holds no ExecCredential"),
            ("CANARY", 2, "holds no ExecCredential"),
        ])
    func kubectl(question: String, status: Int32, words: String) async throws {
        let result = try await Workplace().run(
            "credential kubectl --provider sandbox", environment: ["KUBERNETES_EXEC_INFO": question])
        #expect(result.status == status)
        #expect(result.error.contains(words), "\(result.error)")
        #expect(!result.error.contains("CANARY"))
        #expect(result.output.isEmpty)
    }

    @Test(
        "provider and profile make a name that no other two have",
        arguments: [
            ("default", "acme"), ("work", "acme.work"), ("A-z0 9", "acme.A-z0_209"), ("a_b", "acme.a_5Fb"),
            ("a/../b", "acme.a_2F_2E_2E_2Fb"), ("é\n", "acme._C3_A9_0A"), ("", "acme."),
        ])
    func sessionName(profile: String, name: String) {
        #expect(SessionName.text("acme", profile) == name)
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
                == "flowrun: nobody is signed in at sandbox; sign in: flowrun login sandbox\n")
    }

    @Test(
        "why there is no token is told: nobody has signed in, or the session has come to its end",
        arguments: [
            (StepKind.restore, Outcome.absent, "no session is stored", "nobody is signed in at acme"),
            (
                .restore, .insufficient, "the session was not granted a",
                "no token from acme: the session is not good enough for this: the session was not granted a"
            ),
            (
                .refresh, .invalidGrant, "revoked",
                "no token from acme: the provider no longer accepts the refresh token: revoked"
            ),
            (
                .refresh, .absent, "there is no refresh token",
                "no token from acme: there is no refresh token"
            ),
        ])
    func noToken(kind: StepKind, outcome: Outcome, reason: String, words: String) {
        var failure = FailureReport()
        failure.kind = kind.rawValue
        failure.outcome = outcome.name ?? ""
        failure.description = reason
        #expect(SessionAccess.words(of: failure, at: "acme", end: "sign_in") == words)
    }

    @Test(
        "a sign-in that is advised names the provider as it was named, by path where it was by path",
        arguments: [
            ("token -p ./shop.provider.yaml --client-id c", "login ./shop.provider.yaml --client-id c"),
            (
                "http GET https://shop.example/ -p a&b/shop.yaml --client-id c",
                "login 'a&b/shop.yaml' --client-id c"
            ),
            ("token shop --client-id c", "login shop --client-id c"),
        ])
    func adviceByPath(_ line: String, _ advice: String) async throws {
        let file = """
            provider: shop
            protocol: oauth2
            authorization_endpoint: https://shop.example/authorize
            token_endpoint: https://shop.example/token
            resources: ["https://shop.example"]
            client: { token_endpoint_auth_method: none }

            """
        let place = try Workplace([
            "shop.provider.yaml": file, "a&b/shop.yaml": file, "providers/shop.yaml": file,
        ])
        let result = await place.run(line)
        #expect(result.status == 4)
        #expect(result.error.contains("flowrun \(advice)\n"), "\(result.error)")
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
