import FlowTesting
import Testing

@testable import FlowCLI

/// What the programs that flowrun starts find in their environment.
@Suite("The environment of other programs")
struct ChildEnvironmentTests {
    @Test("no variable that holds a secret of a registration is passed on [rule 49]")
    func registrations() throws {
        let surroundings = try Workplace().surroundings([
            "LANG": "C", "ACME_CLIENT_ID": "c", "ACME_CLIENT_SECRET": "s", "ACME_PRIVATE_KEY": "s",
            "ACME_CERTIFICATE_KEY": "s", "FLOWRUN_STORE_PASSPHRASE": "s", "OTHER": "s",
        ])
        let passed = surroundings.withoutSecrets(["OTHER"])
        #expect(passed.filter { $0.value == "s" }.isEmpty, "\(passed)")
        #expect(passed["LANG"] == "C" && passed["ACME_CLIENT_ID"] == "c")
    }

    @Test("nor one that holds a secret input, but to the hook and the port that are to have it [rule 49]")
    func inputs() throws {
        let program = try Compiled.program(
            """
            language: flow/1
            flow: example
            inputs:
              pin: { type: optional secret, env: PIN }
              pins: { type: optional list<secret>, env: PINS }
              told: { type: optional secret, env: TOLD }
              asked: { type: optional secret, env: ASKED }
              name: { type: optional string, env: NAME }
            calls: { find: { exec: { argv: [./find], env: [ASKED] } } }
            hooks:
              - { id: h, at: flow.start, exec: { argv: [./hook], env: [TOLD] } }
            start: ask
            steps:
              ask: { do: call, with: { port: find }, next: { ok: done, any: failed } }
            ends:
              done: { result: success }
              failed: { result: failure }
            """)
        #expect(program.secretVariables == ["PIN", "PINS"])
    }
}
