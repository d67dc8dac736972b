import FlowEngine
import FlowLive
import FlowTesting
import OAuthProtocol
import Testing
import YAMLText

/// What would else be told once a person has signed in.
@Suite("What a runner refuses to be made without")
struct RunnerSetupTests {
    private let folder = TemporaryDirectory()
    private static let signIn = FlowTexts.signIn()

    private func runner(
        _ flow: String = signIn, method: String? = nil,
        _ client: ClientRegistration = .init(clientID: "client"),
        _ change: (inout LiveConfiguration) -> Void = { _ in }
    ) throws(SignInFailure) -> FlowRunner {
        var configuration = LiveConfiguration(
            storeDirectory: folder.path + "/store", stateDirectory: folder.path + "/state")
        change(&configuration)
        let provider = ProviderText.standard.replacing(
            "token_endpoint_auth_method: client_secret_basic, ",
            with: method.map { "token_endpoint_auth_method: \($0), " } ?? "")
        return try FlowRunner(
            flow: SourceFile(path: "a.flow.yaml", text: flow),
            provider: SourceFile(path: "p.yaml", text: provider),
            client: client, configuration: configuration)
    }

    @Test(
        "the secret or the key that a provider's clients prove themselves with",
        arguments: [
            ("client_secret_basic", "secret", "secret"), ("client_secret_jwt", "secret", "secret"),
            ("private_key_jwt", "private key", "privateKey"),
            ("tls_client_auth", "certificate with its key", "certificate"),
            ("self_signed_tls_client_auth", "certificate with its key", "certificate"),
        ])
    func credential(_ method: String, _ name: String, _ parameter: String) throws {
        let failure = try #require(throws: SignInFailure.self) { try runner(method: method) }
        #expect(failure.code == "setup_failed")
        #expect(failure.failureClass == .configuration)
        #expect(
            failure.detail
                == "the client has no \(name), and those of Provider P prove themselves with \(method)")
        #expect(failure.recoverySuggestion?.contains("`\(parameter):`") == true)
        let none = Secret("", kind: .clientSecret)
        #expect(throws: failure) {
            try runner(method: method, ClientRegistration(clientID: "client", secret: none, privateKey: none))
        }
        // Whoever says how the client has registered is believed.
        _ = try runner(method: method, ClientRegistration(clientID: "client", authenticationMethod: .none))
        // Where nobody is sent anywhere the provider may say what it thinks of the client.
        _ = try runner(FlowTexts.single("{ do: client_credentials, next: done }"), method: method)
    }

    @Test("with it, and where the metadata alone says how clients prove themselves, nothing is missing")
    func complete() throws {
        let secret = Secret("value", kind: .clientSecret)
        _ = try runner(method: "client_secret_post", ClientRegistration(clientID: "client", secret: secret))
        let key = Secret(TestKey.pem, kind: .other)
        _ = try runner(method: "private_key_jwt", ClientRegistration(clientID: "client", privateKey: key))
        _ = try runner(method: "none")
        _ = try runner()
    }

    @Test("keys that can be used, whatever the client proves itself with")
    func keys() throws {
        let (key, word) = (Secret(TestKey.pem, kind: .other), Secret("value", kind: .other))
        let cases = [
            (
                "private_key_jwt", ClientRegistration(clientID: "client", privateKey: word),
                "the client's private key cannot be read: it is no PEM private key"
            ),
            (
                "tls_client_auth", ClientRegistration(clientID: "client", privateKey: key, certificate: word),
                "the client's certificate is no PEM text with a certificate"
            ),
            (
                "none", ClientRegistration(clientID: "client", certificate: word, certificateKey: key),
                "the client's certificate is no PEM text with a certificate"
            ),
        ]
        for (method, client, problem) in cases {
            let failure = try #require(throws: SignInFailure.self) { try runner(method: method, client) }
            #expect(failure.code == "setup_failed")
            #expect(failure.detail == problem)
            #expect(failure.recoverySuggestion?.contains("PEM") == true)
        }
    }

    @Test("a file of authorities that can be trusted")
    func authorities() throws {
        let empty = folder.write("empty.pem", "nothing")
        let good = folder.write("good.pem", "-----BEGIN CERTIFICATE-----\n")
        let cases = [
            (folder.path + "/none.pem", "\(folder.path)/none.pem: No such file or directory"),
            (folder.path, "\(folder.path): Is a directory"),
            (empty, "\(empty) holds no certificate in PEM"),
        ]
        for (file, problem) in cases {
            let named = try #require(throws: SignInFailure.self) { try runner { $0.caFile = file } }
            #expect(named.code == "setup_failed")
            #expect(named.detail == "caFile: \(problem)")
            #expect(named.recoverySuggestion?.contains("PEM") == true)
            let inherited = #expect(throws: SignInFailure.self) {
                try runner { $0.environment["SSL_CERT_FILE"] = file }
            }
            #expect(inherited?.detail == "SSL_CERT_FILE: \(problem)")
        }
        _ = try runner { $0.caFile = good }
        _ = try runner {
            $0.caFile = good
            $0.environment["SSL_CERT_FILE"] = empty
        }
        _ = try runner { $0.environment["SSL_CERT_FILE"] = "" }
    }
}
