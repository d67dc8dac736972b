import FlowEngine
import FlowTesting
import JOSE
import Synchronization
import Testing

/// A journal in memory: what a process that is killed leaves behind is what was appended before.
final class MemoryJournal: RunJournal {
    private struct State {
        var entries: [JournalEntry] = []
        /// After each append, how many records there are and how the run stands.
        var points: [(count: Int, standing: RunStanding)] = []
    }

    private let state = Mutex(State())
    /// The append that fails, counted from 0, and all after it.
    private let fullFrom: Int

    init(fullFrom: Int = .max) {
        self.fullFrom = fullFrom
    }

    var entries: [JournalEntry] { state.withLock { $0.entries } }
    var points: [(count: Int, standing: RunStanding)] { state.withLock { $0.points } }

    func append(_ entries: [JournalEntry], _ standing: RunStanding) async throws(JournalFailure) {
        let isFull = state.withLock { state in
            guard state.points.count < fullFrom else { return true }
            // As a store writes them: as texts.
            state.entries += entries.map(Self.written)
            state.points.append((state.entries.count, standing))
            return false
        }
        if isFull { throw JournalFailure("no space is left") }
    }

    private static func written(_ entry: JournalEntry) -> JournalEntry {
        func again(_ object: JSONObject) -> JSONObject {
            let text = JSONValue.object(object).serialize()
            let parsed = try? JSON.parse(text, limits: JSONLimits(depth: 160, bytes: 1 << 24))
            guard let object = parsed?.objectValue else { preconditionFailure("no JSON: \(text)") }
            return object
        }
        return JournalEntry(
            entry.kind, at: entry.time, facts: again(entry.facts), content: again(entry.content))
    }
}

/// Remembers what a world answered.
final class WorldLog: EffectHandler {
    struct Answer: Sendable {
        let request: EffectRequest
        let event: InputEvent
        let time: Int64
    }

    private let world: any EffectHandler
    private let log = Mutex<[Answer]>([])

    init(_ world: any EffectHandler) {
        self.world = world
    }

    var answers: [Answer] { log.withLock { $0 } }

    func now() -> Int64 { world.now() }
    func begin() -> RunIdentity { world.begin() }

    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        let event = await world.perform(request, events: events)
        let time = world.now()
        log.withLock { $0.append(Answer(request: request, event: event, time: time)) }
        return event
    }
}

/// The rest of what a world answered, for the run that another process goes on with.
final class RestOfWorld: EffectHandler {
    private struct State {
        var rest: ArraySlice<WorldLog.Answer>
        var now: Int64
        var sentAgain: [String] = []
    }

    private let state: Mutex<State>

    init(_ answers: ArraySlice<WorldLog.Answer>, now: Int64) {
        state = Mutex(State(rest: answers, now: now))
    }

    func now() -> Int64 { state.withLock { $0.now } }

    func begin() -> RunIdentity { RunIdentity(runID: "another", seed: 99, traceKey: nil) }

    /// The requests that were sent and must not be sent twice.
    var spending: [String] { state.withLock { $0.sentAgain } }

    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        state.withLock { state in
            if request.singleUse != nil { state.sentAgain.append(request.name) }
            if let next = state.rest.first, next.request.name == request.name,
                next.request.step == request.step, next.request.visit == request.visit,
                next.request.attempt == request.attempt
            {
                state.rest.removeFirst()
                state.now = next.time
                return next.event
            }
            return Self.reinstated(request)
        }
    }

    /// What the interrupted process held is taken again; anything else is a run that went another way.
    private static func reinstated(_ request: EffectRequest) -> InputEvent {
        switch request.effect {
        case .lock: return .locked
        case .openRedirect(let plan): return .redirectOpened(uri: plan.fixed ?? "")
        case .present, .presentCode: return .presented(how: "again")
        default:
            Issue.record("a resumed run asks for \(request.name), which was not asked for before")
            return .cancelled()
        }
    }
}
