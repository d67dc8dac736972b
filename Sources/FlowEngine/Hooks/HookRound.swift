internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Hooks of one point in order, and what happens after the last of them.
struct HookRound: Sendable {
    indirect enum Continuation: Sendable {
        /// Enter the step: its flow's hooks at `flow.start` have run.
        case enter(Int)
        /// Start the step's work; what a session is to hold has been decided too.
        case begin
        case store
        /// Send a request, with what hooks have added.
        case send(HTTPExchange)
        /// Show the address, unless a hook has.
        case show(Effect)
        /// Let the step read the answer.
        case resume(InputEvent)
        /// Wait before another attempt, unless a hook vetoes.
        case pause(RetryPause, StepResult)
        /// Make the step's token set visible.
        case commit(StepResult)
        case route(StepResult)
        /// The hooks at `flow.end` follow those at `flow.error`.
        case round([Int], Int, RunFailure?)
        case finish(Int, RunFailure?)
        /// The flow of a `subflow` step ends.
        case leave(Int)
    }

    /// What hooks of the round wish for, collected until the last has spoken.
    struct Wishes: Sendable {
        var headers: [RequestParameter] = []
        var query: [RequestParameter] = []
        var outcome: (outcome: Outcome, hook: String)?
        var isPresented = false
    }

    /// What a trace tells of an answer, whatever it says.
    struct Answer: Sendable {
        /// Milliseconds.
        let duration: Int64
        /// Of a server; `nil` where there was none.
        let status: Int?
    }

    let hooks: [Int]
    let then: Continuation
    var next = 0
    /// How often the current hook has been asked.
    var tries = 1
    /// What is known of the answer to the last try; `nil` for a hook that nobody was asked about.
    var answer: Answer?
    /// What the current hook was given, where anybody reads of it.
    var told: [HookedValue] = []
    var wishes = Wishes()

    /// Whether the run is over except for its last hooks.
    var isEnding: Bool {
        switch then {
        case .enter, .begin, .store, .send, .show, .resume, .pause, .commit, .route, .leave: false
        case .round, .finish: true
        }
    }

    init(hooks: [Int], then: Continuation) {
        self.hooks = hooks
        self.then = then
    }
}

/// The wait before another attempt.
struct RetryPause: Sendable {
    /// Milliseconds.
    let delay: Int64
    let reason: String
}
