package import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// The real world behind the engine's effects: libcurl, the loopback listener, the browser, the store, processes.
///
/// One value serves many runs one after another or at once; metadata and keys are kept between them. The callback
/// listener belongs to one run: use one value for each run that signs a person in.
package final class LiveEffects: EffectHandler {
    let configuration: LiveConfiguration
    let loop: CurlLoop
    let transport: CurlTransport
    let published: PublishedAddresses
    let documents: DocumentCache
    let redirect: RedirectDesk
    let codes = CodeDesk()
    let sessions: SessionShelf
    private let ground: CommonGround

    /// - Parameter lent: Sessions whose lock the caller holds on behalf of the run.
    package convenience init(
        _ configuration: LiveConfiguration, lent: Set<SessionKey> = []
    ) throws(LiveSetupError) {
        try self.init(
            configuration, lent: lent, documents: DocumentCache(configuration), ground: CommonGround())
    }

    /// - Parameters:
    ///   - documents: Metadata and keys of providers, also those that earlier effects have brought.
    ///   - ground: What these effects share with others that are in use.
    init(
        _ configuration: LiveConfiguration, lent: Set<SessionKey> = [], documents: DocumentCache,
        ground: CommonGround
    ) throws(LiveSetupError) {
        let uri = configuration.presenter?.redirectURI
        if let problem = uri.flatMap(LiveSetupError.init(redirectURI:)) { throw problem }
        self.configuration = configuration
        self.ground = ground
        let place: CommonGround.Place
        do throws(CurlUnavailable) {
            place = try ground.enter(configuration)
        } catch {
            throw LiveSetupError(error.description)
        }
        loop = place.loop
        transport = CurlTransport(loop: loop)
        published = PublishedAddresses(transport, allowsPrivate: configuration.allowsPrivateIssuers)
        self.documents = documents
        redirect = RedirectDesk(brought: configuration.answer)
        sessions = SessionShelf(configuration, lent: lent, disk: place.disk)
    }

    /// Where tasks never change threads around an exchange.
    package func executor() throws(LiveSetupError) -> any TaskExecutor {
        do throws(CurlUnavailable) { try loop.start() } catch { throw LiveSetupError(error.description) }
        return loop
    }

    /// Closes the listener, releases locks and ends the network thread that nobody else uses; to be called once, after the
    /// last run.
    package func shutDown() async {
        await redirect.close(nil)
        sessions.releaseAll()
        ground.leave()
    }

    /// Why the sessions of a run could not be kept; asked before a person is asked for anything.
    package func problemOfStore() async -> String? { await sessions.probe() }

    /// Why nothing can be saved in a store that can be read; `nil` where something can, or nothing can be read either.
    package func problemOfSaving() async -> String? { await sessions.obstacleToSaving()?.words }

    /// Whether the store stayed shut for a passphrase that is not its own.
    package var isPassphraseWrong: Bool {
        if case .wrongPassphrase? = sessions.obstacle { true } else { false }
    }

    /// What `FailureTexts` calls the last failure of the store; `nil` where there was none.
    package var causeOfStoreFailure: String? { sessions.trouble?.cause }

    /// The sessions that are kept here and can be read, those of other providers among them.
    package func storedSessions() async throws(StoreError) -> [SessionSummary] {
        try await sessions.summaries()
    }

    package func now() -> Int64 { WallClock.now() }

    package func begin() -> RunIdentity {
        // Without random bytes the seed is zero; the authorization transaction then refuses to begin.
        let bytes = (try? SecureRandom.bytes(64)) ?? []
        let seed = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return RunIdentity(
            runID: "r_" + Base64URL.encode(bytes.dropFirst(8).prefix(12)), seed: seed,
            traceKey: Array(bytes.dropFirst(32)))
    }

    func answer(_ request: EffectRequest, _ events: any EffectEvents) async -> InputEvent {
        await work(request, events)()
    }

    /// What an effect asks for. Made before it is waited for: in one function with all of them, each would hold the memory of
    /// the largest while a person reads a page.
    private func work(
        _ request: EffectRequest, _ events: any EffectEvents
    ) -> () async -> InputEvent {
        let provider = request.provider
        let deadline = request.deadline
        return switch request.effect {
        case .randomness(let count):
            // refused by the step
            { (try? SecureRandom.bytes(count)).map(InputEvent.randomness) ?? .randomness([]) }
        case .newKey(let type): { Self.newKey(type) }
        case .http(let exchange):
            if case .session? = request.singleUse {
                { [self] in await sendPatiently(exchange, provider, events) }
            } else {
                { [self] in await send(exchange, provider, events) }
            }
        case .openRedirect(let plan): { [self] in await openRedirect(plan, events) }
        case .present(let presentation): { [self] in await present(presentation, until: deadline, events) }
        case .awaitCallback(let wait): { [self] in await awaitCallback(wait, events) }
        case .conclude(let succeeded, let code):
            { [self] in
                let verdict: PageVerdict =
                    succeeded
                    ? redirect.success(provider?.descriptor.displayName)
                    : .failure(code: code ?? "failed")
                await redirect.close(verdict)
                return .done
            }
        case .recallMetadata(let issuer):
            { [self] in documents.metadata(issuer, provider, now: now(), events) }
        case .keepMetadata(let metadata, let issuer, let origin, let body):
            { [self] in
                await documents.keep(metadata, issuer, origin, body: body, events)
                return .done
            }
        case .recallKeys(let url): { [self] in documents.keys(url, now: now(), events) }
        case .keepKeys(let keys, let origin, let body):
            { [self] in
                await documents.keep(keys, origin, body: body, events)
                return .done
            }
        case .loadSession(let key, _): { [self] in await sessions.load(key, until: deadline) }
        case .saveSession(let key, let bytes, let condition):
            { [self] in await sessions.save(key, bytes, condition, until: deadline, events) }
        case .deleteSession(let key): { [self] in await sessions.delete(key, until: deadline, events) }
        case .lock(let key, let until): { [self] in await sessions.lock(key, until: until, events) }
        case .unlock(let key):
            { [self] in
                sessions.unlock(key)
                return .done
            }
        case .sleep(let until): { [self] in await sleep(until) }
        case .awaitDecision(let until, let expiresAt):
            { [self] in await awaitDecision(until, expiresAt: expiresAt, events) }
        case .hook(let call):
            { [self] in .hook(await HookPerformer(configuration, transport).perform(call, now: now())) }
        case .presentCode(let prompt): { [self] in await present(prompt, until: deadline, events) }
        case .awaitEvent(let wait): { [self] in await awaitEvent(wait, events) }
        case .call(let call): { [self] in .port(await PortPerformer(configuration).perform(call)) }
        }
    }
}

extension LiveEffects {
    func sleep(_ until: Int64) async -> InputEvent {
        do {
            try await Sleep.until(until)
            return .woke
        } catch {
            return .cancelled()
        }
    }

    /// A key pair of the system's generator; what is no key is refused by the machine.
    private static func newKey(_ type: KeyType) -> InputEvent {
        guard let key = try? PrivateKey.generate(type), let pem = try? key.privatePEM() else {
            return .randomness([])
        }
        return .key(Secret(pem, kind: .other))
    }
}
