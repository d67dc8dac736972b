internal import FlowEngine
internal import FlowLive
internal import OAuthProtocol

/// `resume` and `callback`: goes on with a run of an earlier process, or brings one that waits its answer.
struct ResumeCommand: Sendable {
    let context: CommandContext
    let request: ResumeRequest

    private var surroundings: Surroundings { context.surroundings }

    func run() async throws(Problem) -> Int {
        let answer = try readAnswer()
        if let answer, try await isDelivered(answer) { return ExitStatus.ok.rawValue }
        let effects = try LiveSetup(surroundings: surroundings, secretVariables: []).effects(request.live)
        let status: Int
        do throws(Problem) {
            let run = try await find(answer, effects)
            let resumable: ResumableRun
            do throws(ResumeError) {
                resumable = try await effects.resume(run)
            } catch {
                throw Self.problem(run, error)
            }
            status = try await goOn(resumable, answer)
        } catch {
            await effects.shutDown()
            throw error
        }
        await effects.shutDown()
        return status
    }

    private func goOn(_ resumable: ResumableRun, _ answer: Secret?) async throws(Problem) -> Int {
        guard var begun = BegunRun(resumable, surroundings) else {
            throw Problem(
                .config, "run \(resumable.recorded.runID) cannot be resumed from the command line",
                hints: ["it was begun by another program, or by another version of flowrun"])
        }
        begun.request.form = request.form
        begun.request.streamsEvents = request.streamsEvents
        begun.request.revealsSecrets = begun.request.revealsSecrets && request.revealsSecrets
        begun.request.trace = request.trace
        begun.request.reporting = request.reporting
        begun.request.live.addressPlaces = request.live.addressPlaces
        begun.request.live.headless = request.live.headless
        begun.request.live.browser = request.live.browser ?? begun.request.live.browser
        begun.request.live.mayAsk = request.live.mayAsk
        begun.request.live.wait = request.live.wait ?? begun.request.live.wait
        begun.request.live.store = request.live.store
        if !request.live.asksHooks { begun.request.live.asksHooks = false }
        if request.live.trustsPrograms { begun.request.live.trustsPrograms = true }
        let command = RunCommand(
            context: CommandContext(begun.surroundings, context.common, snapshot: begun.snapshot),
            request: begun.request)
        guard request.migrates else { return try await command.resume(resumable, answer: answer) }
        let today = CommandContext(begun.surroundings, begun.common(context.common))
        return try await RunCommand(context: today, request: begun.request)
            .migrate(resumable, from: command, answer: answer)
    }

    // MARK: The answer

    /// Hands the address to the process that waits for it, where there is one.
    private func isDelivered(_ answer: Secret) async throws(Problem) -> Bool {
        guard let state = CallbackText.state(in: answer.reveal()) else { return false }
        let directory = try LiveSetup(surroundings: surroundings, secretVariables: []).relayDirectory()
        switch await CallbackRelay.deliver(answer.reveal(), state: state, directory: directory) {
        case .taken:
            context.note("the run that waits for it has the answer")
            return true
        case .refused(let reason): throw Problem(.security, "the run that waits did not take it: \(reason)")
        // A run that was put aside may wait for it.
        case .nobody: return false
        }
    }

    private func readAnswer() throws(Problem) -> Secret? {
        guard let text = request.answer else { return nil }
        guard text == "-" else { return Secret(text, kind: .other) }
        let bytes: [UInt8]
        do throws(FileProblem) {
            bytes = try context.input(limit: 1 << 16, asking: "paste the address")
        } catch {
            throw Problem(error)
        }
        guard let line = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first
        else {
            throw Problem(.usage, "standard input holds no address")
        }
        return Secret(String(line), kind: .other)
    }

    private func find(_ answer: Secret?, _ effects: LiveEffects) async throws(Problem) -> String {
        if let run = request.run { return run }
        guard let answer, let state = CallbackText.state(in: answer.reveal()) else {
            throw Problem(
                .usage, "the address has no parameter state, so nobody knows whose answer it is",
                hints: ["name the run: flowrun resume RUN --callback-url URL"])
        }
        do throws(ResumeError) {
            if let run = try await effects.run(waitingFor: state) { return run }
        } catch {
            throw Self.problem(nil, error)
        }
        throw Problem(
            .authRequired, "no run waits for this answer",
            hints: ["it was answered before, has ended, or was begun with another store: flowrun journal"])
    }

    static func problem(_ run: String?, _ error: ResumeError) -> Problem {
        let name = run.map { "run \($0): " } ?? ""
        return switch error {
        case .unknown: Problem(.usage, name + error.words, hints: ["see: flowrun journal"])
        case .ended:
            Problem(
                .usage, name + error.words,
                hints: [run.map { "how it went: flowrun journal \($0)" } ?? "see: flowrun journal"])
        case .busy, .unreadable: Problem(.local, name + error.words)
        }
    }
}
