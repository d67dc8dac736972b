import FlowLanguage
import JOSE
import OAuthProtocol
import Testing

@testable import FlowCLI

/// Rules of the security page about what a person types and what a program prints.
@Suite("Security rules of the command line")
struct SecurityRuleTests {
    @Test("the statuses are distinct, and a failed check has one that nothing else has [rule 180]")
    func statuses() {
        let codes = [
            ExitStatus.denied, .config, .network, .security, .timeout, .provider, .usage, .ok, .internal,
        ].map(\.rawValue)
        #expect(codes == [5, 3, 8, 7, 10, 6, 2, 0, 1])
        #expect(Set(ExitStatus.allCases.map(\.rawValue)).count == ExitStatus.allCases.count)
    }

    @Test("no option takes a secret, only the place where one is [rule 184]", arguments: CommandTable.all)
    func secretOptions(spec: CommandSpec) {
        let words = ["secret", "password", "token", "private", "code", "assertion"]
        let places: Set<String?> = [nil, "FILE", "NAME", "COMMAND"]
        for option in spec.options where words.contains(where: option.name.contains) {
            #expect(places.contains(option.value), "--\(option.name) \(option.value ?? "")")
        }
    }

    @Test("no option turns off the verification of certificates [rule 162]", arguments: CommandTable.all)
    func insecureOptions(spec: CommandSpec) {
        let words = ["insecure", "verify", "no-check", "trust-all"]
        #expect(spec.options.filter { option in words.contains(where: option.name.contains) }.isEmpty)
    }

    @Test("a client secret that is typed as an option is an unknown one [rule 184]")
    func typedSecret() throws {
        let line = ["run", "login", "--client-secret", "hunter2"]
        let error = #expect(throws: UsageError.self) {
            try ArgumentReader.read(line, environment: [:])
        }
        #expect(error?.message.hasPrefix("unknown option --client-secret") == true)
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test("secret outputs are placeholders unless they were asked for, at a terminal [rule 176]")
    func reveal() throws {
        let outputs = [(name: "token", value: Value.secret(Secret("hunter2", kind: .accessToken)))]
        #expect(OutputText(hiding: [], revealsSecrets: false).text(outputs) == "token: ‹access_token›\n")
        #expect(OutputText(hiding: [], revealsSecrets: true).text(outputs) == "token: hunter2\n")
        let parsed = try ArgumentReader.read(["run", "login", "--reveal"], environment: [:])
        let error = #expect(throws: UsageError.self) {
            try Command.read(parsed, isRevealAllowed: false)
        }
        #expect(error?.message.hasPrefix("--reveal shows secrets on terminals only") == true)
    }

    @Test("a secret that a server repeats is a placeholder in outputs too, wherever it stands [rule 176]")
    func echo() throws {
        let secret = Secret("marker-access-token", kind: .accessToken)
        let claims: JSONValue = [
            "echo": ["Bearer marker-access-token", 1], "n": "bWFya2VyLWFjY2Vzcy10b2tlbg==",
        ]
        let outputs: [(name: String, value: Value)] = [
            ("claims", .json(claims)), ("scopes", .list([.string("a marker-access-token")])),
            ("map", .map(["own": .string("marker-access-token")])),
        ]
        let hidden = OutputText(hiding: [secret], revealsSecrets: false).text(outputs)
        #expect(!hidden.contains("marker"))
        #expect(!hidden.contains("bWFya2"))
        #expect(hidden.contains("Bearer ‹access_token›"))
        let shown = OutputText(hiding: [secret], revealsSecrets: true).text(outputs)
        #expect(shown.contains("own: marker-access-token"))
    }

    @Test("so is a number that is written as a secret is [rule 176]")
    func numbers() {
        let output = OutputText(hiding: [Secret("73519264", kind: .other)], revealsSecrets: false)
        let values: [(name: String, value: Value)] = [
            ("pin", .int(73_519_264)), ("other", .int(7351)), ("parts", .json(["pin": 73_519_264, "n": 1])),
            ("size", .number(73_519_264.5)),
        ]
        #expect(
            output.text(values)
                == "pin: ‹secret›\nother: 7351\nparts:\n  pin: ‹secret›\n  n: 1\nsize: ‹secret›.5\n")
    }
}
