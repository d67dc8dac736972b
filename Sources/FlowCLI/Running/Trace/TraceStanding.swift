internal import FlowEngine
internal import Glibc

/// How far the trace of a run has come.
enum TraceStanding: String, Sendable, Hashable {
    case complete
    /// Its process still writes it.
    case running
    /// Its process is gone without the last line: killed, or the machine stopped.
    case killed
    /// It has no last line, and nobody can say why: it came by a pipe.
    case unfinished

    /// - Parameter path: Absolute; `nil` for what came by a pipe.
    init(_ events: [TraceEvent], _ path: String?) {
        if case .runEnd? = events.last?.body {
            self = .complete
        } else {
            self = path.map { TraceClaim.isHeld($0) ? .running : .killed } ?? .unfinished
        }
    }

    /// What has to be said; `nil` for a trace that is complete.
    var words: String? {
        switch self {
        case .complete: nil
        case .running: "the run is still going: its last line is not written yet"
        case .killed: "the run ended without its last line: its process was killed, or the machine stopped"
        case .unfinished: "the run has no last line: it was killed, or it was still going"
        }
    }
}

extension [TraceEvent] {
    /// Whether the last thing that was sent is a refresh that nothing came of.
    var endInRefresh: Bool {
        // Nothing answers in a rehearsal.
        if case .runStart(let start)? = first?.body, start.isDryRun { return false }
        var isOpen = false
        for event in self {
            if case .request(let request) = event.body { isOpen = request.purpose == "refresh" }
            if case .response = event.body { isOpen = false }
            if case .transportFailure = event.body { isOpen = false }
            // The journal fails before its request is sent.
            if case .runEnd(let end) = event.body, end.errorCode == RunFailure.Code.journal.rawValue {
                isOpen = false
            }
        }
        return isOpen
    }
}

/// A lock on a trace that is being written, which the kernel ends with the process.
enum TraceClaim {
    /// - Parameter descriptor: Opened by this process for the trace alone.
    static func take(_ descriptor: Int32) { _ = flock(descriptor, LOCK_EX | LOCK_NB) }

    static func isHeld(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}
