import Synchronization

/// A clock that stands still until a test moves it. Milliseconds since 1970.
package final class ManualClock: Sendable {
    /// 2026-01-01T00:00:00Z, as in a dry run.
    package static let start: Int64 = 1_767_225_600_000

    private let time: Mutex<Int64>

    package init(_ now: Int64 = start) {
        time = Mutex(now)
    }

    package var now: Int64 { time.withLock { $0 } }

    package func advance(by milliseconds: Int64) {
        time.withLock { $0 += milliseconds }
    }

    /// Never goes back.
    package func advance(to instant: Int64) {
        time.withLock { $0 = max($0, instant) }
    }
}
