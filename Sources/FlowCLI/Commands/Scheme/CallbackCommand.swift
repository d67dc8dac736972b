internal import FlowLive
internal import OAuthProtocol

/// `callback`: what the desktop calls with the address that a browser was sent to.
struct CallbackCommand: Sendable {
    let context: CommandContext
    let request: ResumeRequest

    func run() async throws(Problem) -> Int {
        let address = request.answer ?? ""
        guard let state = CallbackText.state(in: address) else {
            throw Problem(.usage, "the address has no parameter state, so no run waits for it")
        }
        let directory = try LiveSetup(surroundings: context.surroundings, secretVariables: [])
            .relayDirectory()
        switch await CallbackRelay.deliver(address, state: state, directory: directory) {
        case .taken:
            context.note("the run that waits for it has the answer")
            return ExitStatus.ok.rawValue
        case .refused(let reason): throw Problem(.security, "the run that waits did not take it: \(reason)")
        // No process waits; a run that was put aside may.
        case .nobody: return try await ResumeCommand(context: context, request: request).run()
        }
    }
}
