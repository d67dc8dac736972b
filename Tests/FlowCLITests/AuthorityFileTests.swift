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
        let result = await place.run(
            "run client-credentials -p p --client-id c --no-input --cacert \(file)",
            environment: ["P_CLIENT_SECRET": "s"])
        #expect(result.status == 3)
        let lines = result.error.split(separator: "\n")
        #expect(lines.first?.hasSuffix(problem) == true, "\(result.error)")
        #expect(lines.last == "  --cacert names a file of certificate authorities in PEM")
    }
}
