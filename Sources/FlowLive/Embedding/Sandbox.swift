public import FlowEngine
internal import FlowSandbox
public import OAuthProtocol
internal import Synchronization

/// The provider that comes with flowrun, on a port of this machine: for tests of a program that signs people in.
///
/// ```swift
/// let sandbox = try Sandbox()
/// configuration.presenter = sandbox.browser
/// let runner = try FlowRunner(
///     flow: library.flow("login"), provider: library.provider("sandbox"),
///     client: ClientRegistration(clientID: Sandbox.clientID), variables: ["issuer": sandbox.issuer],
///     configuration: configuration)
/// ```
///
/// It speaks HTTP at 127.0.0.1, keeps everything in memory, and serves until it is stopped or released.
public final class Sandbox: Sendable {
    /// Who answers at the authorization endpoint.
    public enum Answer: Sendable, Hashable {
        /// The sandbox at once, with a code for the user whom `login_hint` names, else for the first.
        case automatic
        /// A person, on a page: user `alice`, password `sandbox`.
        case page
    }

    /// The public client that every sandbox knows. Its redirect URIs are `http://127.0.0.1:PORT/callback`, with any port.
    public static let clientID = "flowrun-sandbox"

    /// The client with a secret that every sandbox knows too, for what a public one may not do: tokens of its own. It proves
    /// itself by HTTP Basic, whatever the descriptor says of the public one.
    public static let confidentialClient = ClientRegistration(
        clientID: SandboxClient.confidentialID, secret: SandboxClient.standardSecret,
        authenticationMethod: .clientSecretBasic)

    /// Every fault there is, each as it is written; `@N` and `xN` may follow.
    public static var faults: [String] { Fault.spellings }

    /// Value of the variable `issuer` of the shipped descriptor `sandbox`, as in `http://127.0.0.1:40123`.
    public let issuer: String
    /// Opens what it is shown by itself, as a browser without a window. Of use where the sandbox answers `automatic`.
    public let browser: any BrowserPresenter = PagelessBrowser()
    private let server: SandboxServer

    /// - Parameters:
    ///   - port: `nil` lets the system choose.
    ///   - faults: What goes wrong on purpose, each one of `faults`: `token:invalid_grant@2` for the second answer of the token
    ///     endpoint, `token:500x2` for its first two, `access:expires=30` for tokens of 30 s.
    /// - Throws: `input_invalid` for a fault that is none, `setup_failed` when it cannot listen at the port.
    public init(port: UInt16? = nil, answer: Answer = .automatic, faults: [String] = [])
        throws(SignInFailure)
    {
        let parsed = try Self.parsed(faults)
        do throws(LiveSetupError) {
            server = try SandboxServer(port: port, faults: parsed, mode: answer.mode)
        } catch {
            throw SignInFailure(before: FailureCode.setupFailed, detail: error.description, .english)
        }
        issuer = server.issuer
    }

    /// - Throws: `input_invalid` for a fault that is none.
    static func parsed(_ faults: [String]) throws(SignInFailure) -> [Fault] {
        var parsed: [Fault] = []
        for text in faults {
            do throws(FaultSpecificationError) {
                parsed.append(try Fault.parse(text))
            } catch {
                throw SignInFailure(
                    before: FailureCode.inputInvalid, error: "unusable_fault", detail: error.description,
                    .english)
            }
        }
        return parsed
    }

    deinit { server.stop() }

    /// Stops listening; what it has issued is forgotten.
    public func stop() { server.stop() }
}

extension Sandbox.Answer {
    var mode: SandboxConfiguration.Mode {
        switch self {
        case .automatic: .automatic
        case .page: .page
        }
    }
}
