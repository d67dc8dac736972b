import Glibc

/// The time of day, as tokens and journals state it.
package enum WallClock {
    /// Milliseconds since 1970; may jump when the system's clock is set.
    package static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Milliseconds since a time that a file tells; none since one that is to come.
    static func age(of time: Int64, at now: Int64 = now()) -> Int64 {
        let (age, overflow) = now.subtractingReportingOverflow(time)
        return overflow ? .max : max(0, age)
    }
}

/// A clock that only goes forward, for measuring durations.
package enum MonotonicClock {
    /// Nanoseconds since an unspecified instant; does not count while the machine sleeps.
    package static func nanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Milliseconds since an unspecified instant; does not count while the machine sleeps.
    package static func milliseconds() -> Int64 { nanoseconds() / 1_000_000 }
}

/// Waiting without occupying a thread.
package enum Sleep {
    /// Waits until the wall clock shows `deadline`, in milliseconds since 1970; not at all when that is past.
    ///
    /// The clock is looked at again at least every 30 seconds, so a clock that is set meanwhile is noticed.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package static func until(_ deadline: Int64) async throws(CancellationError) {
        while true {
            if Task.isCancelled { throw CancellationError() }
            let remaining = deadline - WallClock.now()
            guard remaining > 0 else { return }
            do {
                try await Task.sleep(for: .milliseconds(min(remaining, 30_000)))
            } catch {
                throw CancellationError()
            }
        }
    }
}
