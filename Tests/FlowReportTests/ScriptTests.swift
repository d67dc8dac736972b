import FlowEngine
import FlowReport
import FlowTesting
import FoundationEssentials
import JOSE
import OAuthProtocol
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("Scripts of curl")
struct ScriptTests {
    /// Runs a script with a `curl` that notes its arguments and what comes through the pipe.
    ///
    /// - Parameter entered: What a person enters, a line each.
    private static func run(
        _ script: String, _ variables: [String: String], entered: String = Self.entered,
        answer: String = "{\"access_token\": \"from the answer\"}", status: Int = 0
    ) throws -> (Int32, String) {
        let folder = URL.temporaryDirectory.appending(path: "flowrun-script-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }  // a file left over harms nothing
        let place = { (name: String) in folder.appending(path: name) }
        let curl = """
            #!/bin/sh
            for argument do printf '[%s]' "$argument"; case $argument in --config) cat;; esac; done >>'\(place("log").path)'
            printf '%s' '\(answer)'
            exit \(status)
            """
        try #require(ProgramFile.write(place("curl").path, curl, mode: 0o700))
        try Data(script.utf8).write(to: place("script"))
        try Data(entered.utf8).write(to: place("entered"))
        let settings = variables.map { "\($0)='\($1)'" }.sorted().joined(separator: " ")
        let command =
            "cd '\(folder.path)' && PATH=.:$PATH \(settings) sh script >out 2>&1 <entered"
        let status = system(command)
        let log = try? Data(contentsOf: place("log"))  // there is none when nothing was sent
        #expect(!FileManager.default.fileExists(atPath: place("x").path))
        return (status, String(decoding: log ?? Data(), as: UTF8.self))
    }

    /// Where a browser ended, and a code by itself.
    private static let entered = "http://127.0.0.1:1/callback?state=x&code=4%2F0Ab&iss=y#\n4%2F0Cd\n"

    private static func script(_ name: String) throws -> String { try Recorded.report(name, .curl) }

    private static func parameter(_ name: String, _ value: TracedValue) -> TracedParameter {
        TracedParameter(name: name, value: value, source: "step", reference: nil)
    }

    /// The script of a rehearsal that sends an authorization request and one for tokens.
    private static func dryRun(
        address: [TracedParameter], token: [TracedParameter], tokenQuery: [TracedParameter] = []
    ) -> String {
        let requests = [
            TracedRequest(
                purpose: "authorization", method: "GET", endpoint: "https://p.example/authorize",
                query: address, fields: [], body: [], bodyFormat: "none"),
            TracedRequest(
                purpose: "token", method: "POST", endpoint: "https://p.example/token", query: tokenQuery,
                fields: [], body: token, bodyFormat: "form"),
        ]
        let start = RunStart(
            run: "r1", flow: "login", version: 1, digest: "d", provider: "p", isDryRun: true, inputs: [])
        let bodies: [TraceEvent.Body] =
            [
                .runStart(start),
                .stepStart(StepStart(kind: "exchange", visit: 1, place: "f:1:1", summary: "s")),
            ] + requests.map { .request($0) }
        let events = bodies.enumerated().map {
            TraceEvent(sequence: $0 + 1, time: 0, step: $0 == 0 ? nil : "exchange", body: $1)
        }
        return Report.render(events, .curl)
    }

    /// Of each form the length alone is that of the run; plain is the verifier itself.
    @Test(
        "the challenge is made as the run has made it",
        arguments: [PKCE.Method.s256(.base64url), .s256(.hex), .s256(.hexBase64URL), .plain])
    func challenge(_ method: PKCE.Method) throws {
        let sample = PKCE(
            verifier: Secret(String(repeating: "v", count: 43), kind: .codeVerifier), method: method)
        let verifier = TracedValue.secret(kind: "code_verifier", length: 43, fingerprint: "v1")
        var challenge = verifier
        if case .text(let digest) = sample.challenge { challenge = .text(digest) }
        let script = Self.dryRun(
            address: [Self.parameter("code_challenge", challenge)],
            token: [Self.parameter("code_verifier", verifier)])
        let (status, log) = try Self.run(
            script.replacing("set -eu", with: "set -eu\ntrap 'cat out >>log' EXIT"), [:])
        #expect(status == 0)
        let sent = try #require(log.firstMatch(of: #/code_verifier=([0-9a-f]{64})/#)).1
        let shown = try #require(log.firstMatch(of: #/code_challenge=([A-Za-z0-9_-]+)/#)).1
        let proof = PKCE(verifier: Secret(String(sent), kind: .codeVerifier), method: method)
        if case .text(let digest) = proof.challenge {
            #expect(shown == digest)
        } else {
            #expect(shown == sent)
        }
    }

    @Test("the port of a dry run's redirect is a variable with a default, in the address and in the body")
    func port() throws {
        let redirect = Self.parameter("redirect_uri", .text("http://127.0.0.1:PORT/call'back"))
        let script = Self.dryRun(
            address: [redirect], token: [redirect, Self.parameter("other", .text("PORT"))],
            tokenQuery: [redirect])
        #expect(script.contains("\nPORT=${PORT:-8080}\n"))
        #expect(script.contains("# The port of the redirect URI"))
        let (status, log) = try Self.run(script, [:])
        #expect(status == 0)
        #expect(log.contains("[--data-urlencode][redirect_uri=http://127.0.0.1:8080/call'back]"), "\(log)")
        #expect(log.contains("[--data-urlencode][other=PORT]"))
        #expect(log.contains("127.0.0.1:8080/call") && !log.contains(":PORT"), "\(log)")
        let (_, other) = try Self.run(script, ["PORT": "9999"])
        #expect(other.contains("[redirect_uri=http://127.0.0.1:9999/call'back]"))
        #expect(!(try Self.script("login")).contains("PORT="))
    }

    private static let variables = [
        "CODE": "the \"code\"", "CLIENT_SECRET": "s", "VALUE": "x",
    ]

    @Test("what was sent is sent again, what an answer brought is taken from the answer")
    func login() throws {
        let (status, log) = try Self.run(Self.script("login"), Self.variables)
        #expect(status == 0)
        #expect(log.contains("[--data-urlencode][grant_type=authorization_code]"))
        #expect(log.contains("data = \"code=4%2F0Ab\"\n"), "\(log)")
        #expect(log.contains(#/data-urlencode = "code_verifier=[0-9a-f]{64}"/#))
        #expect(log.contains(#"header = "Authorization: Bearer from the answer""#))
        // Twice the header of userinfo's own would be an argument.
        #expect(!log.contains("[Authorization"))
    }

    @Test("the challenge in the address is that of the verifier, and state and nonce are new")
    func authorization() throws {
        let script = try Self.script("login").replacing(
            "set -eu",
            with: "set -eu\ntrap 'printf \"[%s %s]\" \"$CODE_VERIFIER\" \"$CODE_CHALLENGE\" >>log' EXIT")
        let (status, log) = try Self.run(script, [:])
        #expect(status == 0)
        let match = try #require(log.firstMatch(of: #/\[([0-9a-f]{64}) ([A-Za-z0-9_-]{43})\]/#))
        #expect(Base64URL.encode(Digest.sha256(match.1.utf8)) == String(match.2))
        #expect(script.contains("&state=${STATE}&nonce=${NONCE}&code_challenge=${CODE_CHALLENGE}&"))
    }

    @Test("an answer that is an error, or lacks what comes next, ends the script", arguments: [22, 0])
    func error(status: Int) throws {
        let answer = "{\"error\": \"invalid_grant\"}"
        let (found, log) = try Self.run(Self.script("login"), [:], answer: answer, status: Int(status))
        #expect(found != 0)
        #expect(log.contains("/token") == (status == 0))
        #expect(!log.contains("/userinfo"))
    }

    @Test("a code is asked for before it is needed, and the script ends where nobody enters one")
    func missing() throws {
        let (status, log) = try Self.run(Self.script("login"), [:], entered: "")
        #expect(status != 0)
        #expect(log.contains("openid-configuration"))
        #expect(!log.contains("/token"))
    }

    @Test("a client's secret goes through the pipe")
    func basic() throws {
        let (status, log) = try Self.run(Self.script("client-credentials"), Self.variables)
        #expect(status == 0)
        #expect(log.contains(#/user = "dyn-[^:]+:s"/#))
    }

    private static func basicScript(_ user: String, _ reference: String) -> String {
        let field = TracedParameter(
            name: "Authorization",
            value: .prefixed(
                "Basic \(user):", kind: "client_secret", length: 14, fingerprint: "ab12"),
            source: "registration", reference: reference)
        let request = TracedRequest(
            purpose: "client_credentials", method: "POST", endpoint: "https://p.example/token", query: [],
            fields: [field], body: [], bodyFormat: "form")
        let start = RunStart(
            run: "r1", flow: "f", version: 1, digest: "d", provider: "p", isDryRun: false, inputs: [])
        let bodies: [(String?, TraceEvent.Body)] = [
            (nil, .runStart(start)),
            (
                "token",
                .stepStart(StepStart(kind: "client_credentials", visit: 1, place: "f:1:1", summary: "s"))
            ),
            ("token", .request(request)),
        ]
        let events = bodies.enumerated().map {
            TraceEvent(sequence: $0 + 1, time: 0, step: $1.0, body: $1.1)
        }
        return Report.render(events, .curl)
    }

    @Test("a client's secret is form-encoded where the run encoded it, and only there")
    func basicEncoding() throws {
        let secret = ["CLIENT_SECRET": "a+b/c%41 d:e~-._zZ09é\"\\"]
        let encoded = "a%2Bb%2Fc%2541+d%3Ae~-._zZ09%C3%A9%22%5C"
        let (status, log) = try Self.run(Self.basicScript("c%3Aid", "RFC 6749 §2.3.1"), secret)
        #expect(status == 0)
        #expect(log.contains("user = \"c%3Aid:\(encoded)\"\n"), "\(log)")
        let (_, raw) = try Self.run(Self.basicScript("c id", "RFC 7617 §2"), secret)
        #expect(raw.contains(#"user = "c id:a+b/c%41 d:e~-._zZ09é\"\\""#), "\(raw)")
    }

    @Test("what was sent several times is sent once")
    func retried() throws {
        let (status, log) = try Self.run(Self.script("retried"), Self.variables)
        #expect(status == 0)
        #expect(log.ranges(of: "/token]").count == 2)
        #expect(log.contains("data = \"code=4%2F0Cd\"\n"), "\(log)")
    }

    @Test("a dry run takes the endpoints from the metadata")
    func plan() throws {
        let script = try Self.script("plan")
        #expect(script.contains("TOKEN_ENDPOINT=$(member 'token_endpoint')"))
        #expect(script.contains("--url \"${TOKEN_ENDPOINT}\""))
    }

    @Test("any value is a word of its own, and none is run")
    func quoting() throws {
        let body =
            RoundTripTests.parameters + [
                TracedParameter(name: "a'b=c", value: .text(HostileTests.text), source: "x", reference: nil)
            ]
        let events =
            RoundTripTests.events.prefix(2) + [
                TraceEvent(
                    sequence: 3, time: 0, step: "s",
                    body: .stepStart(StepStart(kind: "http", visit: 1, place: "", summary: ""))),
                TraceEvent(
                    sequence: 4, time: 0, step: "s",
                    body: .request(
                        TracedRequest(
                            purpose: "http", method: "PATCH", endpoint: "https://p.example/$(touch x)'",
                            query: RoundTripTests.parameters, fields: [], body: body, bodyFormat: "form"))),
            ]
        let (status, log) = try Self.run(Report.render(Array(events), .curl), Self.variables)
        #expect(status == 0)
        #expect(
            log.contains(
                "[--data-urlencode][a%27b%3Dc=\(HostileTests.text.replacing("\0", with: "\u{FFFD}"))]"))
        #expect(log.contains("[--request][PATCH]"))
        #expect(log.contains("https://p.example/$(touch%20x)'?scope=openid%20%22x%22%0A]"))
        #expect(log.contains(#"url-query = "code=the \"code\"""#))
    }

    @Test("a hostile trace is a script that sends and runs nothing else", arguments: ["login", "device"])
    func hostile(name: String) throws {
        let script = Report.render(try HostileTests.events(name), .curl)
        let lines = script.split(separator: "\n").filter { $0.contains("touch x") && !$0.hasPrefix("#") }
        // Between single quotes only.
        for line in lines { #expect(line.contains("'"), "\(line)") }
        _ = try Self.run(script, ["HOME": "/"])
    }
}
