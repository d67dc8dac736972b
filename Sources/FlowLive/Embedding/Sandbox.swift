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
        let mode: SandboxConfiguration.Mode =
            switch answer {
            case .automatic: .automatic
            case .page: .page
            }
        do throws(LiveSetupError) {
            server = try SandboxServer(port: port, faults: parsed, mode: mode)
        } catch {
            throw SignInFailure(before: FailureCode.setupFailed, detail: error.description, .english)
        }
        issuer = server.issuer
    }

    deinit { server.stop() }

    /// Stops listening; what it has issued is forgotten.
    public func stop() { server.stop() }
}

/// Follows the redirects of a page until nothing redirects any more, the loopback listener of the run included.
private final class PagelessBrowser: BrowserPresenter {
    /// Of all pages that are open at once: a test may have thousands of runs, and the system few descriptors.
    private let loop = Mutex(SharedLoop())

    var redirectURI: String? { nil }

    private func enter() throws(CurlUnavailable) -> CurlLoop {
        try loop.withLock { loop throws(CurlUnavailable) in
            try loop.enter { () throws(CurlUnavailable) in try CurlLoop() }
        }
    }

    private func leave() {
        let abandoned = loop.withLock { $0.leave() }
        abandoned?.shutDown()
    }

    func present(_ page: BrowserPage) async -> BrowserPresentation {
        let loop: CurlLoop
        do throws(CurlUnavailable) {
            loop = try enter()
        } catch {
            return .unavailable(reason: error.description)
        }
        let transport = CurlTransport(loop: loop)
        let next: String?
        do throws(Unanswered) {
            next = try await Self.redirect(of: page.url, transport)
        } catch {
            leave()
            return .unavailable(reason: "the sandbox \(error.reason)")
        }
        // What is under way is shown; the answer comes to the listener, which ends the wait.
        Task {
            await Self.follow(next, transport)
            leave()
        }
        return .shown(by: "the sandbox")
    }

    func dismiss() async {}

    /// Why an address leads nowhere.
    private struct Unanswered: Error {
        /// Behind whoever was asked.
        let reason: String
    }

    /// Where an address leads to; `nil` for a page.
    private static func redirect(
        of url: String, _ transport: CurlTransport
    ) async throws(Unanswered) -> String? {
        switch await transport.send(HTTPRequest(method: .get, url: url, fields: [])) {
        case .failure(let failure): throw Unanswered(reason: "does not answer: \(failure.message)")
        case .success(let answer) where answer.status >= 400:
            throw Unanswered(
                reason: "refuses the request: "
                    + (ErrorPage.reason(of: answer) ?? "status \(answer.status)"))
        case .success(let answer):
            let origin = url.split(separator: "/", omittingEmptySubsequences: false).prefix(3)
            return answer.field("Location").map {
                $0.hasPrefix("/") ? origin.joined(separator: "/") + $0 : $0
            }
        }
    }

    private static func follow(_ start: String?, _ transport: CurlTransport) async {
        var url = start
        // A browser gives up after 20 (Fetch §4.4).
        for _ in 0..<20 {
            // What cannot be had ends it; the run waits for its answer as for any person's.
            guard let place = url, let next = try? await redirect(of: place, transport) else { return }
            url = next
        }
    }
}
