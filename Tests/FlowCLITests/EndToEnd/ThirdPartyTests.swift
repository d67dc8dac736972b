import JOSE
import Testing

@testable import FlowLive

/// django-oauth-toolkit: a provider that nobody here wrote (Tests/Servers).
@Suite("a sign-in at somebody else's provider", .serialized)
struct ThirdPartyTests {
    private struct Server {
        let issuer: String
        let clientID: String
        let secret: String
    }

    /// Starts the server where it does not run yet, and reads what it says of itself.
    private func server() async throws -> Server {
        let result = try await ProcessRunner.run(
            ProcessRequest(
                arguments: [Project.path("Tests/Servers/dot/start.sh")],
                environment: ["PATH", "HOME", "TMPDIR", "OPS_STATE", "PORT"].compactMap { name in
                    BuiltFlowrun.variable(name).map { (name, $0) }
                }, timeoutMilliseconds: 300_000))
        #expect(result.end == .exited(0), "\(String(decoding: result.errors.bytes, as: UTF8.self))")
        let object = try JSON.parse(result.output.bytes)
        return Server(
            issuer: try #require(object["issuer"]?.stringValue),
            clientID: try #require(object["client_id"]?.stringValue),
            secret: try #require(object["client_secret"]?.stringValue))
    }

    /// The arguments of a client, and the environment that goes with them.
    private func flowrun(_ server: Server, isPublic: Bool, _ folder: ScratchFolder) -> BuiltFlowrun {
        var flowrun = BuiltFlowrun(folder)
        flowrun.environment["CUSTOM_OIDC_CLIENT_ID"] = isPublic ? "flowrun-public" : server.clientID
        if !isPublic { flowrun.environment["CUSTOM_OIDC_CLIENT_SECRET"] = server.secret }
        return flowrun
    }

    private static let browser = Project.path("Tests/Servers/dot/login.py")

    @Test("signs in, restores, and refreshes with rotation", arguments: [false, true])
    func login(isPublic: Bool) async throws {
        let server = try await server()
        let folder = ScratchFolder()
        let flowrun = flowrun(server, isPublic: isPublic, folder)

        let first = try await flowrun.login(server.issuer, browser: Self.browser, ["--json"])
        #expect(first.status == 0, "\(first.errors)")
        let outputs = try JSON.parse(Array(first.output.utf8))["outputs"]
        #expect(outputs?["profile"]?["email"]?.stringValue == "alice@example.test")
        #expect(first.errors.contains("\"step\":\"authorize\""))

        let second = try await flowrun.login(server.issuer, browser: "/bin/false", ["--no-input", "--json"])
        #expect(second.status == 0, "\(second.errors)")
        #expect(try JSON.parse(Array(second.output.utf8))["outputs"]?["subject"] == outputs?["subject"])
        #expect(!second.errors.contains("\"step\":\"authorize\""))

        for _ in 0..<2 {
            let refreshed = try await flowrun([
                "run", "flows/refresh.flow.yaml", "--provider", "custom-oidc", "--set",
                "issuer=\(server.issuer)",
                "--input", "force=true", "--json",
            ])
            #expect(refreshed.status == 0, "\(refreshed.errors)")
            #expect(refreshed.errors.contains("rotated"))
        }
    }

    @Test("two processes refresh one session at once, and both go on with it")
    func together() async throws {
        let server = try await server()
        let folder = ScratchFolder()
        let flowrun = flowrun(server, isPublic: true, folder)
        let first = try await flowrun.login(server.issuer, browser: Self.browser)
        #expect(first.status == 0, "\(first.errors)")
        let arguments = [
            "run", "flows/refresh.flow.yaml", "--provider", "custom-oidc", "--set", "issuer=\(server.issuer)",
            "--input", "force=true",
        ]
        async let left = flowrun(arguments)
        async let right = flowrun(arguments)
        #expect(try await [left.status, right.status] == [0, 0])
        // The provider revokes the whole family when a spent refresh token comes again.
        let last = try await flowrun(arguments)
        #expect(last.status == 0, "\(last.errors)")
    }

    /// This provider announces `iss` and leaves it out of errors. RFC 9207 §2.4 has such an answer refused; a
    /// descriptor may say better.
    @Test(
        "a person who says no ends it with status 5, where the answer is the provider's",
        arguments: [false, true])
    func refusal(isIssuerIgnored: Bool) async throws {
        let server = try await server()
        let folder = ScratchFolder()
        let browser = folder.write(
            "browser", "#!/bin/sh\nexec \(Self.browser) --deny \"$@\"\n", mode: 0o700)
        if isIssuerIgnored {
            let text = ScratchFolder.read(Project.path("providers/custom-oidc.yaml")).utf8Text
            _ = folder.write(
                "custom-oidc.yaml",
                text.replacing("\nredirect:\n", with: "\ncallback:\n  iss: ignore\n\nredirect:\n"))
        }
        let ended = try await flowrun(server, isPublic: true, folder).login(
            server.issuer, browser: browser,
            ["--scope", "write"] + (isIssuerIgnored ? ["--providers", folder.path] : []))
        #expect(ended.status == (isIssuerIgnored ? 5 : 7), "\(ended.errors)")
        #expect(ended.errors.contains(isIssuerIgnored ? "access_denied" : "got no iss"))
    }

    @Test("a client secret that the provider does not know ends it with status 6")
    func wrongSecret() async throws {
        let server = try await server()
        var flowrun = flowrun(server, isPublic: false, ScratchFolder())
        flowrun.environment["CUSTOM_OIDC_CLIENT_SECRET"] = "wrong"
        let ended = try await flowrun.login(server.issuer, browser: Self.browser)
        #expect(ended.status == 6, "\(ended.errors)")
        #expect(ended.errors.contains("invalid_client"))
    }
}
