import Testing

@testable import FlowCLI

@Suite("Certificate authorities on the command line")
struct AuthorityFileTests {
    @Test(
        "a file that is not there, or holds none, is told before anything is sent",
        arguments: [
            ("gone.pem", "/gone.pem: No such file or directory"),
            ("empty.pem", "empty.pem holds no certificate in PEM"),
        ])
    func unusable(file: String, problem: String) async throws {
        let place = try Workplace([
            "providers/p.yaml": "provider: p\nprotocol: oauth2\ntoken_endpoint: https://127.0.0.1:1/token\n",
            "empty.pem": "no certificate",
        ])
        let line = "run client-credentials -p p --client-id c --no-input"
        let secret = ["P_CLIENT_SECRET": "s"]
        for (name, result) in [
            ("--cacert", await place.run("\(line) --cacert \(file)", environment: secret)),
            (
                "SSL_CERT_FILE",
                await place.run(line, environment: secret.merging(["SSL_CERT_FILE": file]) { $1 })
            ),
        ] {
            #expect(result.status == 3)
            let lines = result.error.split(separator: "\n")
            #expect(lines.first?.hasSuffix(problem) == true, "\(result.error)")
            #expect(lines.last == "  \(name) names a file of certificate authorities in PEM")
        }
    }

    @Test("the option counts before the variable, and an empty variable is none")
    func named() async throws {
        let place = try Workplace([
            "providers/p.yaml": "provider: p\nprotocol: oauth2\ntoken_endpoint: https://127.0.0.1:1/token\n",
            "ca.pem": "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
        ])
        let line = "run client-credentials -p p --client-id c --no-input"
        for (option, variable) in [(" --cacert ca.pem", "gone.pem"), ("", "")] {
            let result = await place.run(
                line + option, environment: ["P_CLIENT_SECRET": "s", "SSL_CERT_FILE": variable])
            #expect(result.status != 3, "\(result.error)")
        }
    }
}
