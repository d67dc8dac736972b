import FlowSandbox
import OAuthProtocol
import Testing

@testable import FlowCLI

@Suite("Options of the sandbox")
struct SandboxCommandTests {
    private func configuration(_ line: String, _ files: [String: String] = [:]) throws -> SandboxConfiguration
    {
        let place = try Workplace(files)
        let parsed = try ArgumentReader.read(line.split(separator: " ").map(String.init), environment: [:])
        let (command, common) = try Command.read(parsed, isRevealAllowed: false)
        guard case .sandbox(let request) = command else { throw UsageError("not a sandbox: \(line)") }
        let context = CommandContext(place.surroundings(["TOKEN": "from-a-variable"]), common)
        let change = try SandboxCommand(context: context, request: request).changes([])
        var configuration = SandboxConfiguration(issuer: "http://127.0.0.1:1")
        change(&configuration)
        return configuration
    }

    @Test("without options it is the sandbox that runs use")
    func standard() throws {
        let configuration = try configuration("sandbox")
        let usual = SandboxConfiguration(issuer: "http://127.0.0.1:1")
        #expect(configuration.mode == .page)
        #expect(configuration.algorithm == usual.algorithm)
        #expect(configuration.lifetimes == usual.lifetimes)
        #expect(!configuration.requiresPushedRequests && !configuration.demandsDPoPNonce)
        #expect(!configuration.acceptsOtherScopes && configuration.initialAccessToken == nil)
    }

    @Test("a fault that is none is told in two lines, and the help has all by what they befall")
    func faults() async throws {
        let place = try Workplace()
        let result = await place.run("sandbox --fault token:invalid_grnt --port 0")
        #expect(result.status == 2)
        #expect(
            result.error == """
                flowrun: --fault: no fault is named 'token:invalid_grnt'; did you mean 'token:invalid_grant'?
                  every fault: flowrun help faults

                """)
        let help = await place.run("help faults").output
        for (target, spellings) in Fault.spellingsByTarget {
            #expect(help.contains("\n  \(target) "))
            for spelling in spellings { #expect(help.contains(spelling)) }
        }
        #expect(!help.contains("\n\n\n"))
    }

    @Test("every option is passed on")
    func options() throws {
        let configuration = try configuration(
            "sandbox --automatic --algorithm ES256 --require-pushed-requests --demand-dpop-nonce --any-scope "
                + "--access-lifetime 90s --initial-access-token-file token", ["token": "from-a-file\n"])
        #expect(configuration.mode == .automatic)
        #expect(configuration.algorithm == .es256)
        #expect(configuration.requiresPushedRequests && configuration.demandsDPoPNonce)
        #expect(configuration.acceptsOtherScopes)
        #expect(configuration.lifetimes.accessToken == 90)
        #expect(configuration.initialAccessToken?.reveal() == "from-a-file")
        let other = try self.configuration("sandbox --initial-access-token-env TOKEN")
        #expect(other.initialAccessToken?.reveal() == "from-a-variable")
    }
}
