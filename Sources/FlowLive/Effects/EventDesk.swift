internal import FlowEngine
public import JOSE
internal import Synchronization

/// Where an embedding program reports the events that `wait` steps wait for, by name.
///
/// An event that nobody waits for yet is kept for the next who does; each is taken once. Of several runs with one desk, as
/// those of one `FlowRunner` are, any that waits for the name takes it: name it after the run where it is for one alone.
public final class EventDesk: Sendable {
    /// An event that came.
    struct Arrival: Sendable {
        let data: JSONValue?
    }

    private struct State {
        var kept: [String: [Arrival]] = [:]
        var waiting: [String: [FirstValue<Arrival>]] = [:]
    }

    private let state = Mutex(State())

    /// Nothing has happened yet.
    public init() {}

    /// Reports an event with what it brings.
    public func post(_ name: String, _ data: JSONValue? = nil) {
        state.withLock { state in
            while let waiter = state.waiting[name]?.first {
                state.waiting[name]?.removeFirst()
                if waiter.set(Arrival(data: data)) { return }
            }
            state.kept[name, default: []].append(Arrival(data: data))
        }
    }

    /// The next event of that name; `nil` when none comes in time or the task is cancelled.
    func next(_ name: String, withinMilliseconds milliseconds: Int) async -> Arrival? {
        let waiter = FirstValue<Arrival>()
        state.withLock { state in
            if state.kept[name]?.isEmpty == false, let arrival = state.kept[name]?.removeFirst() {
                waiter.set(arrival)
            } else {
                state.waiting[name, default: []].append(waiter)
            }
        }
        let found = await waiter.value(withinMilliseconds: milliseconds)
        state.withLock { $0.waiting[name]?.removeAll { $0 === waiter } }
        // It may have come between the end of the wait and its removal.
        return found ?? waiter.current
    }
}

extension LiveEffects {
    func awaitEvent(_ wait: EventWait, _ events: any EffectEvents) async -> InputEvent {
        events.report(.waiting(forWhat: "event \(wait.name)", until: wait.until))
        let milliseconds = Int(clamping: max(0, wait.until - now()))
        if let arrival = await configuration.events.next(wait.name, withinMilliseconds: milliseconds) {
            return .event(arrival.data)
        }
        return Task.isCancelled ? .cancelled() : .eventTimedOut
    }
}
