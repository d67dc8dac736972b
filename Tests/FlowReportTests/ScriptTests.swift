import FlowEngine
import FlowReport
import FlowTesting
import FoundationEssentials
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("Scripts of curl")
struct ScriptTests {
    /// Runs a script with a `curl` that notes its arguments and what comes through the pipe.
    private static func run(_ script: String, _ variables: [String: String]) throws -> (Int32, String) {
        let folder = URL.temporaryDirectory.appending(path: "flowrun-script-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }  // a file left over harms nothing
        let place = { (name: String) in folder.appending(path: name) }
        let curl = """
            #!/bin/sh
            for argument do printf '[%s]' "$argument"; case $argument in --config) cat;; esac; done >>'\(place("log").path)'
            printf '{"access_token": "from the answer"}'
            """
        try #require(ProgramFile.write(place("curl").path, curl, mode: 0o700))
        try Data(script.utf8).write(to: place("script"))
        let settings = variables.map { "\($0)='\($1)'" }.sorted().joined(separator: " ")
        let command =
            "cd '\(folder.path)' && PATH=.:$PATH \(settings) sh script >out 2>&1"
        let status = system(command)
        let log = try? Data(contentsOf: place("log"))  // there is none when nothing was sent
        #expect(!FileManager.default.fileExists(atPath: place("x").path))
        return (status, String(decoding: log ?? Data(), as: UTF8.self))
    }

    private static func script(_ name: String) throws -> String { try Recorded.report(name, .curl) }

    private static let variables = [
        "CODE": "the \"code\"", "CODE_VERIFIER": "back\\slash", "CODE_2": "second", "CODE_VERIFIER_2": "v",
        "CLIENT_SECRET": "s", "VALUE": "x",
    ]

    @Test("what was sent is sent again, what an answer brought is taken from the answer")
    func login() throws {
        let (status, log) = try Self.run(Self.script("login"), Self.variables)
        #expect(status == 0)
        #expect(log.contains("[--data-urlencode][grant_type=authorization_code]"))
        #expect(log.contains(#"data-urlencode = "code=the \"code\"""#))
        #expect(log.contains(#"data-urlencode = "code_verifier=back\\slash""#))
        #expect(log.contains(#"header = "Authorization: Bearer from the answer""#))
        // Twice the header of userinfo's own would be an argument.
        #expect(!log.contains("[Authorization"))
    }

    @Test("a secret is asked for before it is needed, and the script ends there")
    func missing() throws {
        let (status, log) = try Self.run(Self.script("login"), [:])
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

    @Test("what was sent several times is sent once")
    func retried() throws {
        let (status, log) = try Self.run(Self.script("retried"), Self.variables)
        #expect(status == 0)
        #expect(log.ranges(of: "/token]").count == 2)
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
