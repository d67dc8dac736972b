internal import FlowEngine
internal import OAuthProtocol
internal import Synchronization

/// The place of one run where the answer of a browser comes back, with the ways that lead there.
final class RedirectDesk: Sendable {
    /// An authorization that waits for its answer.
    struct Opening: Sendable {
        let inbox: CallbackInbox
        let redirectURI: String
        let errand: BrowserErrand
        /// Port of the loopback address where the browser must arrive; `nil` where it arrives elsewhere.
        var port: UInt16?
        var sources: [any AnswerSource] = []
        /// Notes that this process waits for a browser that it has opened.
        var attempt: BrowserAttempt?
        /// Whether what a person pastes is read already.
        var takesPaste = false
    }

    private let opening = Mutex<Opening?>(nil)
    private let brought: Mutex<Secret?>

    /// - Parameter brought: The answer that somebody has come with: good for the one that is waited for, and no other.
    init(brought: Secret?) { self.brought = Mutex(brought) }

    var current: Opening? { opening.withLock { $0 } }

    /// The answer that somebody has come with; `nil` once it was taken.
    var broughtAnswer: Secret? { brought.withLock { $0 } }

    func takeBroughtAnswer() { brought.withLock { $0 = nil } }

    /// Puts an opening in place of an earlier one, which must be closed.
    func replace(by new: Opening) { opening.withLock { $0 = new } }

    /// Adds a way by which the answer may come too.
    func add(_ source: any AnswerSource) { opening.withLock { $0?.sources.append(source) } }

    func note(_ attempt: BrowserAttempt) { opening.withLock { $0?.attempt = attempt } }

    /// Whether pasted answers are not read yet; they are from now on.
    func beginsPasting() -> Bool {
        opening.withLock { opening in
            guard opening?.takesPaste == false else { return false }
            opening?.takesPaste = true
            return true
        }
    }

    /// What the browser is told of a good end.
    func success(_ provider: String?) -> PageVerdict {
        switch current?.errand {
        case .signIn, nil: .success(provider: provider)
        case .logout: .signedOut(provider: provider)
        }
    }

    /// Shows the verdict in the browser and stops listening, by every way.
    func close(_ verdict: PageVerdict?) async {
        guard
            let open = opening.withLock({ opening in
                defer { opening = nil }
                return opening
            })
        else { return }
        open.attempt?.end(isAnswered: open.inbox.answer != nil)
        for source in open.sources { await source.close(verdict) }
    }
}

extension LiveEffects {
    /// Listens where the plan says, before any browser is opened.
    func openRedirect(_ plan: RedirectPlan, _ events: any EffectEvents) async -> InputEvent {
        // An earlier attempt of the run may hold the very port.
        let isAgain = redirect.current != nil
        await redirect.close(.failure(code: "another_attempt"))
        let inbox = CallbackInbox()
        if let uri = configuration.presenter?.redirectURI {
            redirect.replace(by: .init(inbox: inbox, redirectURI: plan.fixed ?? uri, errand: plan.errand))
            return .redirectOpened(uri: plan.fixed ?? uri)
        }
        if let fixed = plan.fixed, !Self.isListenedTo(fixed) || isAnswered(plan) {
            let isPutAside = !configuration.isInteractive && configuration.suspendsRuns
            guard
                configuration.pastedLines != nil || isPutAside || Self.isRelayed(fixed) || isAnswered(plan)
            else {
                return .redirectFailed(
                    reason: "only http redirect URIs on the loopback address can be listened on, not \(fixed)"
                )
            }
            redirect.replace(by: .init(inbox: inbox, redirectURI: fixed, errand: plan.errand))
            return .redirectOpened(uri: fixed)
        }
        do throws(ServerError) {
            let listener = try await listen(plan, inbox, isAgain: isAgain, events)
            let uri = plan.fixed ?? listener.redirectURI
            redirect.replace(
                by: .init(
                    inbox: inbox, redirectURI: uri, errand: plan.errand, port: listener.port,
                    sources: [listener]))
            return .redirectOpened(uri: uri)
        } catch {
            if plan.isAgain, let fixed = plan.fixed {
                events.report(.warning("\(error): the browser cannot come back, its address can be pasted"))
                redirect.replace(by: .init(inbox: inbox, redirectURI: fixed, errand: plan.errand))
                return .redirectOpened(uri: fixed)
            }
            return .redirectFailed(reason: "the callback listener cannot start: \(error)")
        }
    }

    /// Whether a redirect URI leads to this machine by a way that a listener may serve (RFC 8252 §7.3).
    private static func isListenedTo(_ uri: String) -> Bool {
        // Whatever is wrong with the text, it is no address to listen on.
        guard let url = try? EndpointURL(uri, allowLoopbackHTTP: true) else { return false }
        return url.isLoopback && url.scheme == "http" && UInt16(exactly: url.port) != nil
    }

    /// Whether the desktop brings what is sent there: a scheme of its own (RFC 8252 §7.1).
    private static func isRelayed(_ uri: String) -> Bool {
        let scheme = uri.prefix { $0 != ":" }.lowercased()
        return !scheme.isEmpty && scheme != "http" && scheme != "https"
    }

    /// Whether the answer that will come there is here already.
    private func isAnswered(_ plan: RedirectPlan) -> Bool { plan.isAgain && redirect.broughtAnswer != nil }

    /// The same again for a moment where this run has just closed its port: a program that is being started meanwhile
    /// holds what its parent had open.
    private func listen(
        _ plan: RedirectPlan, _ inbox: CallbackInbox, isAgain: Bool, _ events: any EffectEvents
    ) async throws(ServerError) -> LoopbackListener {
        for _ in 0..<(isAgain ? 50 : 0) {
            do throws(ServerError) {
                return try listen(plan, inbox, events)
            } catch {
                guard case .portInUse = error else { throw error }
                _ = await sleep(now() + 20)
            }
        }
        return try listen(plan, inbox, events)
    }

    /// Listens on the first of the plan's ports that is free.
    private func listen(
        _ plan: RedirectPlan, _ inbox: CallbackInbox, _ events: any EffectEvents
    ) throws(ServerError) -> LoopbackListener {
        // It has been read before.
        let fixed = plan.fixed.flatMap { try? EndpointURL($0, allowLoopbackHTTP: true) }
        let ports: [UInt16?] =
            fixed.map { [UInt16(exactly: $0.port)] } ?? configuration.port.map { [$0] }
            ?? plan.ports?.map(Optional.some) ?? [nil]
        var failure = ServerError.unavailable("no port is named")
        for port in ports {
            do throws(ServerError) {
                return try LoopbackListener.open(
                    port: port, path: fixed?.path ?? plan.path, method: CallbackMethod(plan.methods),
                    host: (fixed?.host ?? plan.host) == "localhost" ? .localhost : .address, inbox: inbox,
                    observer: { Self.tell($0, events) })
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func tell(_ ignored: IgnoredRequest, _ events: any EffectEvents) {
        guard ignored.reason.isResponse else { return }
        events.report(.callbackIgnored(reason: ignored.reason.words))
    }

    /// - Parameter deadline: How long a program's presenter may take to show the address, in milliseconds since 1970.
    func present(
        _ presentation: Presentation, until deadline: Int64, _ events: any EffectEvents
    ) async -> InputEvent {
        if let state = presentation.state {
            redirect.current?.inbox.expect(
                state: state.reveal(), dialect: presentation.dialect, seal: presentation.seal,
                demand: presentation.demand)
        }
        if presentation.isPresented {
            if configuration.isInteractive, let state = presentation.state { startRelay(state, events) }
            return .presented(how: "a hook")
        }
        // Somebody has been there already.
        if redirect.broughtAnswer != nil { return .presented(how: "the messages") }
        guard configuration.isInteractive else { return presentLater(presentation, events) }
        // A presenter with an address of its own mostly brings the answer itself.
        let isRelayedLater = configuration.presenter?.redirectURI != nil
        if let state = presentation.state, !isRelayedLater { startRelay(state, events) }
        let isAwaited = redirect.current?.errand == presentation.errand
        let shown =
            presentation.means == .browser
            ? await open(
                presentation.url, attempt: presentation.attempt,
                Showing(
                    errand: presentation.errand, isAwaited: isAwaited, deadline: deadline,
                    isSecret: presentation.plan.hasSecretURL), events)
            : BrowserShowing()
        if Task.isCancelled { return .cancelled() }
        if let refusal = shown.refusal { return .headless(reason: refusal) }
        if let state = presentation.state, isRelayedLater, !shown.bringsAnswer { startRelay(state, events) }
        if presentation.errand == .logout, shown.program == nil, configuration.opensBrowser,
            !configuration.isSeen
        {
            return .headless(reason: "no browser opens here, and the messages go to no terminal")
        }
        if presentation.means != .none, shown.program == nil, isUnheard(presentation.isTold) {
            return .headless(reason: shown.silence)
        }
        if presentation.means != .none {
            let notice = AddressNotice(
                url: presentation.url, opened: shown.program, expiresAt: presentation.expiresAt,
                ways: ways(shown.obstacle))
            switch presentation.errand {
            case .signIn: events.report(.actionRequired(notice))
            case .logout: events.report(.logoutRequired(notice))
            }
        }
        return .presented(how: shown.words)
    }

    /// Whether nobody learns of an address that no browser shows.
    func isUnheard(_ isTold: Bool) -> Bool {
        !configuration.isHeard && configuration.pastedLines == nil && !isTold
    }

    /// How the answer can come from a browser that is on another machine.
    private func ways(_ obstacle: String?) -> AnswerWays {
        guard let opening = redirect.current else { return AnswerWays(obstacle: obstacle) }
        let place = BrowserPlace(configuration.environment)
        return AnswerWays(
            obstacle: obstacle, forwarding: opening.port.flatMap { place.forwarding(port: $0) },
            takesPaste: configuration.pastedLines != nil)
    }

    /// Nobody can be asked: the address is handed on, and the run waits for whoever brings the answer.
    private func presentLater(_ presentation: Presentation, _ events: any EffectEvents) -> InputEvent {
        guard configuration.suspendsRuns, presentation.errand == .signIn, presentation.state != nil else {
            return .headless(reason: "a person must sign in, and nobody can be asked")
        }
        events.report(
            .actionRequired(
                AddressNotice(url: presentation.url, opened: nil, expiresAt: presentation.expiresAt)))
        return .presented(how: "the messages")
    }

    /// Opens a URL if the caller wants browsers opened, if there is one here, and if that would not be one tab of many.
    func open(
        _ url: String, attempt: String?, _ showing: Showing, _ events: any EffectEvents
    ) async -> BrowserShowing {
        guard configuration.opensBrowser else {
            return BrowserShowing(trouble: "the program does not want a browser opened")
        }
        if let presenter = configuration.presenter { return await show(url, presenter, showing, events) }
        let isNamed =
            configuration.browserCommand != nil || configuration.environment["BROWSER"]?.isEmpty == false
        switch configuration.headless {
        case .always: return BrowserShowing(obstacle: "headless")
        case .automatic:
            if !isNamed, let obstacle = BrowserPlace(configuration.environment).obstacle {
                return BrowserShowing(obstacle: obstacle)
            }
        case .never: break
        }
        if let attempt, let words = note(attempt) {
            events.report(.warning(words))
            return BrowserShowing(trouble: words)
        }
        let environment = configuration.environment.map { ($0.key, $0.value) }
        if showing.isSecret {
            return await handOver(url, until: showing.deadline, environment: environment, events)
        }
        let inbox = redirect.current?.inbox
        let outcome = await SystemBrowser.open(
            url, command: configuration.browserCommand, environment: environment,
            whenSeen: { inbox?.whenArrived($0) })
        return self.showing(of: outcome, events)
    }

    func showing(of outcome: SystemBrowser.Outcome, _ events: any EffectEvents) -> BrowserShowing {
        switch outcome {
        case .opened(let program): return BrowserShowing(program: program)
        case .unavailable(let reason):
            let words = words(for: reason)
            if let words { events.report(.warning(words)) }
            return BrowserShowing(trouble: words)
        }
    }

    /// Notes that a tab is about to be opened for a sign-in.
    ///
    /// - Returns: Why it should not be; `nil` when it may.
    private func note(_ key: String) -> String? {
        let ledger = AttemptLedger(directory: configuration.stateDirectory + "/attempts")
        switch ledger.begin(key, now: now()) {
        case .begun(let attempt):
            redirect.note(attempt)
            return nil
        case .refused(let words): return configuration.headless == .never ? nil : words
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
        case .textBrowser(let program):
            return "\(program) was not started: a browser in the terminal cannot be seen from here"
        case .noDisplay: return nil
        }
    }

    func awaitCallback(_ wait: CallbackWait, _ events: any EffectEvents) async -> InputEvent {
        if let answer = redirect.broughtAnswer, let opening = redirect.current {
            if let reason = Self.refusal(of: answer.reveal(), opening, through: "resume") {
                events.report(.callbackIgnored(reason: reason))
                return .suspended
            }
            redirect.takeBroughtAnswer()
        } else if !configuration.isInteractive, configuration.suspendsRuns {
            return .suspended
        }
        if configuration.isAnsweredLater() { return .suspended }
        guard let opening = redirect.current else { return .callbackCancelled }
        startPasting(opening, isWelcome: wait.channels.isEmpty || wait.channels.contains("paste"), events)
        let until = min(wait.until, configuration.end(ofWaitFrom: now()))
        let what = wait.errand == .signIn ? "your answer in the browser" : "the browser to come back"
        events.report(.waiting(forWhat: what, until: until))
        switch await opening.inbox.next(deadline: until) {
        case .answer(let answer): return .callback(answer.parameters, channel: answer.channel)
        case .givenUp: return .callbackCancelled
        case .timeout: return .callbackTimedOut(refused: opening.inbox.refused)
        case .cancelled: return .cancelled()
        }
    }

    /// Takes answers from other processes of this user.
    private func startRelay(_ state: Secret, _ events: any EffectEvents) {
        guard let opening = redirect.current else { return }
        let source = RelayedAnswers(configuration.relayDirectory, state: state.reveal()) { address in
            let reason = Self.refusal(of: address, opening, through: "scheme")
            if let reason { events.report(.callbackIgnored(reason: reason)) }
            return reason
        }
        if let source {
            redirect.add(source)
        } else if Self.isRelayed(opening.redirectURI) {
            events.report(.warning("no socket can be opened in \(configuration.relayDirectory)"))
        }
    }

    /// Offers an address that somebody has brought.
    ///
    /// - Returns: Why it does not count; `nil` when it is the answer.
    private static func refusal(
        of address: String, _ opening: RedirectDesk.Opening, through channel: String
    ) -> String? {
        guard let expectation = opening.inbox.expectation else { return "no answer is expected yet" }
        switch PastedAnswer.read(address, redirectURI: opening.redirectURI, expectation) {
        case .nothing: return "the address is empty"
        case .unusable(let words): return words
        case .parameters(let parameters):
            switch opening.inbox.offer(parameters, through: channel) {
            case nil: return nil
            case .wrongState: return "the address belongs to another attempt"
            case .missingState, .errorWithoutState: return "the address has no state"
            case .repeatedState: return "the address has several states"
            case .secured: return "the address has a signed JWT, and none was asked for"
            case .alreadyUsed: return "the run has an answer already"
            case .malformed, .notExpected, .wrongHost, .wrongPath, .wrongMethod, .prefetch, .posted, .queried:
                return "the address is no answer to this sign-in"
            }
        }
    }

    private func startPasting(
        _ opening: RedirectDesk.Opening, isWelcome: Bool, _ events: any EffectEvents
    ) {
        guard let lines = configuration.pastedLines, redirect.beginsPasting() else { return }
        redirect.add(
            PastedAnswers(
                lines(), redirectURI: opening.redirectURI, inbox: opening.inbox, isWelcome: isWelcome,
                ignored: { events.report(.callbackIgnored(reason: $0)) }))
    }
}

/// Whether a browser was opened.
struct BrowserShowing {
    /// The program that opened it; `nil` when the person has to.
    var program: String?
    /// Whether that program waits for the answer as well.
    var bringsAnswer = false
    /// Why none was, where that has to be said.
    var obstacle: String?
    /// Why the program that embeds the engine shows nothing, so that nobody will.
    var refusal: String?

    /// Why none was, where a person at a terminal need not know.
    var trouble: String?

    /// Why nobody sees the address where nothing but a browser could show it.
    var silence: String {
        let reason = (obstacle ?? trouble).map { " (\($0))" } ?? ""
        return "no browser opens here\(reason), and nothing else shows the address to anybody"
    }

    /// Where the address is shown.
    var words: String { program.map { "browser (\($0))" } ?? "terminal" }
}
