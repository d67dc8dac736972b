internal import FlowEngine
internal import FlowLanguage
internal import OAuthProtocol

/// What a session that lives longer than a run needs.
extension FlowRunner {
    /// The same with a store that stays open between its runs, the one that all others of this runner use.
    func keepingStore() -> FlowRunner {
        guard configuration.store == nil, configuration.savesSessions else { return self }
        var copy = self
        copy.configuration.store = ground.disk(configuration)
        return copy
    }

    /// The same, where each renewal of a session first brings interrupted runs of these flows to their end.
    func recovering(_ runners: [FlowRunner]) -> FlowRunner {
        guard keepsJournals else { return self }
        var copy = self
        copy.configuration.recovery = { run, session in
            for runner in runners { await runner.recover(run, holding: session) }
        }
        return copy
    }

    /// Brings a run of this flow to its end that was interrupted while it renewed the session; nobody is asked for
    /// anything. What becomes of it is in the store: the renewed session, or the doubt about it.
    ///
    /// - Parameter session: Its lock is held by the caller.
    func recover(_ run: ResumableRun, holding session: SessionKey) async {
        guard run.recorded.digest == program.digest else { return }
        var configuration = configuration
        configuration.isInteractive = false
        configuration.recovery = nil
        configuration.isResuming = true
        // Without effects the session stays in doubt, and its token is not sent again.
        guard
            let effects = try? LiveEffects(
                configuration, lent: [session], documents: documents, ground: ground)
        else { return }
        let plan = plan(run.recorded.inputs, profile: run.recorded.profile)
        _ = await FlowRun(
            plan: plan, handler: effects, sinks: [], journal: run.journal, resuming: run.recorded
        )
        .run()
        await effects.shutDown()
    }

    /// What is stored under the flow's own key of the profile; `nil` when nothing is that can be read.
    ///
    /// - Parameter isEssential: Whether it is waited for also when this task is cancelled.
    /// - Throws: `store_failed`, also where a store of the program does not answer in time.
    func storedTokens(
        profile: String, isEssential: Bool
    ) async throws(SignInFailure) -> StoredTokens? {
        guard configuration.savesSessions, let store = configuration.store,
            let provider = common.providers.first
        else { return nil }
        let key = SessionKey(
            issuer: provider.sessionIssuer, clientID: provider.registration.clientID, profile: profile,
            key: nil)
        do throws(SessionStoreError) {
            let deadline = WallClock.now() + configuration.storePatience
            let row = try await store.ask(until: deadline, isEssential: isEssential) {
                store throws(SessionStoreError) in try await store.load(key.digest)
            }
            guard let row,
                let set = SessionRecord.decode(
                    StoredSession(bytes: row.bytes, generation: row.generation, isInDoubt: row.isInDoubt),
                    issuer: provider.sessionIssuer, clientID: provider.registration.clientID, key: key)
            else { return nil }
            // One that was sent, and whose fate nobody knows, is not sent again.
            let isSpent = set.isInDoubt && provider.descriptor.refresh.rotation != .reusable
            return StoredTokens(
                set: set, canRefresh: provider.canRefresh(set, at: WallClock.now()) && !isSpent)
        } catch {
            // What cannot be read is replaced by the next sign-in.
            if case .damaged = error { return nil }
            throw SignInFailure(before: "store_failed", detail: error.words, texts)
        }
    }

    /// Refuses a flow that does not take the inputs, or needs others.
    ///
    /// - Throws: `input_invalid`.
    func checkInputs(_ given: [String: Value]) throws(SignInFailure) {
        do throws(FlowInputError) {
            _ = try program.inputValues(given)
        } catch {
            throw SignInFailure(
                before: FailureCode.inputInvalid, detail: "\(program.file): \(error.description)", texts)
        }
    }

    /// The failure of a task that waits no more.
    var cancelled: SignInFailure { SignInFailure(before: "cancelled", detail: nil, texts) }

    /// The failure of a flow that ends well and brings no tokens.
    var unsuccessful: SignInFailure {
        SignInFailure(before: FailureCode.unsuccessful, detail: "the flow ended without tokens", texts)
    }
}
