internal import FlowEngine
internal import OAuthProtocol
internal import Synchronization

/// Holds the one open callback listener of a run.
final class RedirectDesk: Sendable {
    private let listener = Mutex<LoopbackListener?>(nil)
    private let errand = Mutex(BrowserErrand.signIn)

    var current: LoopbackListener? { listener.withLock { $0 } }

    /// Puts a listener in place of an earlier one, which stops listening.
    func replace(by new: LoopbackListener, for errand: BrowserErrand) {
        listener.withLock { $0 = new }
        self.errand.withLock { $0 = errand }
    }

    /// What the browser is told of a good end.
    func success(_ provider: String?) -> PageVerdict {
        switch errand.withLock({ $0 }) {
        case .signIn: .success(provider: provider)
        case .logout: .signedOut(provider: provider)
        }
    }

    /// Shows the verdict in the browser and stops listening.
    func close(_ verdict: PageVerdict?) async {
        guard
            let open = listener.withLock({ listener in
                defer { listener = nil }
                return listener
            })
        else { return }
        if let verdict { open.conclude(verdict) }
        await open.close()
    }
}

extension LiveEffects {
    /// Listens where the plan says, before any browser is opened.
    func openRedirect(_ plan: RedirectPlan, _ events: any EffectEvents) async -> InputEvent {
        // An earlier attempt of the run may hold the very port.
        await redirect.close(.failure(code: "another_attempt"))
        let ports: [UInt16?]
        let path: String
        var host = plan.host
        if let fixed = plan.fixed {
            // Whatever is wrong with the text, it is no address to listen on.
            guard let url = try? EndpointURL(fixed, allowLoopbackHTTP: true), url.isLoopback,
                url.scheme == "http",
                let port = UInt16(exactly: url.port)
            else {
                return .redirectFailed(
                    reason: "only http redirect URIs on the loopback address can be listened on, not \(fixed)"
                )
            }
            (ports, path, host) = ([port], url.path, url.host)
        } else {
            ports = configuration.port.map { [$0] } ?? plan.ports?.map { $0 } ?? [nil]
            path = plan.path
        }
        var reason = ""
        for port in ports {
            do throws(ServerError) {
                let listener = try LoopbackListener.open(
                    port: port, path: path, method: plan.isFormPost ? .formPost : .query,
                    host: host == "localhost" ? .localhost : .address,
                    observer: { Self.tell($0, events) })
                redirect.replace(by: listener, for: plan.errand)
                return .redirectOpened(uri: plan.fixed ?? listener.redirectURI)
            } catch {
                reason = error.description
            }
        }
        return .redirectFailed(reason: "the callback listener cannot start: \(reason)")
    }

    private static func tell(_ ignored: IgnoredRequest, _ events: any EffectEvents) {
        guard ignored.isResponse else { return }
        let reason =
            switch ignored.reason {
            case .wrongState: "a callback for another attempt arrived"
            case .missingState: "a callback without state arrived"
            case .repeatedState: "a callback with several states arrived"
            case .malformed: "a callback that cannot be read arrived"
            case .notExpected: "a callback arrived before the sign-in began"
            case .wrongHost, .wrongPath, .wrongMethod, .prefetch, .alreadyUsed:
                "a request that is no callback arrived"
            }
        events.report(.callbackIgnored(reason: reason))
    }

    func present(_ presentation: Presentation, _ events: any EffectEvents) async -> InputEvent {
        guard configuration.isInteractive else { return presentLater(presentation, events) }
        if let state = presentation.state {
            redirect.current?.expect(
                state: state.reveal(), dialect: presentation.dialect, demand: presentation.demand)
        }
        let opened = presentation.means == .browser ? await open(presentation.url, events) : nil
        if presentation.means != .none {
            let (url, expiresAt) = (presentation.url, presentation.expiresAt)
            switch presentation.errand {
            case .signIn: events.report(.actionRequired(url: url, opened: opened, expiresAt: expiresAt))
            case .logout: events.report(.logoutRequired(url: url, opened: opened, expiresAt: expiresAt))
            }
        }
        return .presented(how: opened.map { "browser (\($0))" } ?? "terminal")
    }

    /// Nobody can be asked: the address is handed on, and the run waits for whoever brings the answer.
    private func presentLater(_ presentation: Presentation, _ events: any EffectEvents) -> InputEvent {
        guard configuration.suspendsRuns, presentation.errand == .signIn, presentation.state != nil else {
            return .headless(reason: "a person must sign in, and nobody can be asked (--no-input)")
        }
        events.report(
            .actionRequired(url: presentation.url, opened: nil, expiresAt: presentation.expiresAt))
        return .presented(how: "handed on")
    }

    /// Shows the code; the address with the code in it is never opened, so that a person compares both (RFC 8628 §5.4).
    func present(_ prompt: DevicePrompt, _ events: any EffectEvents) async -> InputEvent {
        guard configuration.isInteractive else {
            return .headless(reason: "a person must enter a code, and nobody can be asked (--no-input)")
        }
        let opened = prompt.means == .browser ? await open(prompt.verificationURI, events) : nil
        events.report(
            .codeRequired(
                code: prompt.userCode, url: prompt.verificationURI, complete: prompt.verificationURIComplete,
                opened: opened,
                expiresAt: prompt.expiresAt))
        return .presented(how: opened.map { "browser (\($0))" } ?? "terminal")
    }

    /// Opens a URL if the caller wants browsers opened; gives the program that did it.
    private func open(_ url: String, _ events: any EffectEvents) async -> String? {
        guard configuration.opensBrowser else { return nil }
        let environment = configuration.environment.map { ($0.key, $0.value) }
        switch await SystemBrowser.open(url, command: configuration.browserCommand, environment: environment)
        {
        case .opened(let program): return program
        case .unavailable(let reason):
            if let words = words(for: reason) { events.report(.warning(words)) }
            return nil
        }
    }

    /// What a person should know; that nothing is there to open a browser with is no surprise unless one was named.
    private func words(for reason: SystemBrowser.Reason) -> String? {
        switch reason {
        case .failed(let program, let text): return "the browser did not open: \(program): \(text)"
        case .noProgram:
            let named = configuration.browserCommand?.first ?? configuration.environment["BROWSER"]
            return named.map { "the browser did not open: there is no program \($0)" }
        case .refusedURL: return "the browser did not open: the address is not one of the web"
        case .noDisplay: return nil
        }
    }

    func awaitCallback(_ wait: CallbackWait, _ events: any EffectEvents) async -> InputEvent {
        if !configuration.isInteractive, configuration.suspendsRuns { return .suspended }
        guard let listener = redirect.current else { return .callbackCancelled }
        let until = min(wait.until, configuration.wait.map { now() + $0 } ?? .max)
        let what = wait.errand == .signIn ? "your answer in the browser" : "the browser to come back"
        events.report(.waiting(forWhat: what, until: until))
        switch await listener.nextResponse(deadline: until) {
        case .response(let parameters): return .callback(parameters, channel: "loopback")
        case .timeout: return .callbackTimedOut(refused: listener.refusedResponses)
        case .cancelled: return .cancelled
        }
    }
}
