internal import FlowEngine
internal import FlowReport
internal import JOSE
internal import Synchronization

/// What a person is asked to do, as the events of a run tell it.
final class ActionRecorder: TraceSink {
    private let last = Mutex<TracedAction?>(nil)

    /// The last that was asked for; `nil` where nothing was.
    var action: TracedAction? { last.withLock(\.self) }

    func receive(_ event: TraceEvent) {
        guard case .actionRequired(let action) = event.body else { return }
        last.withLock { $0 = action }
    }
}

/// What a run that was put aside waits for, and how it goes on.
struct AwaitedAnswer: Sendable {
    let run: String
    /// `nil` for one that was taken up again and asks for nothing new.
    let action: TracedAction?
    /// Whether it waits for a browser that comes back, and not for a code that is entered elsewhere.
    let isAddress: Bool

    /// - Parameter revealsURL: Whether the whole address is told, which holds `state`, and the code: to whoever reads
    ///   it now, never to a file.
    func json(revealsURL: Bool) -> JSONObject {
        var object: JSONObject = [:]
        if let action {
            if revealsURL { object["url"] = .string(action.url) }
            object["base"] = .string(String(action.url.prefix { $0 != "?" && $0 != "#" }))
            if revealsURL, case .enterCode(let code) = action.errand {
                object["user_code"] = .string(code)
                object["complete_url"] = action.complete.map { .string($0) }
            }
            object["expires_at"] = .string(CalendarText.utc(action.expiresAt))
        }
        let words = ["flowrun", "resume", run] + (isAddress ? ["--callback-url", "-"] : [])
        object["resume"] = .array(words.map { .string($0) })
        return object
    }
}
