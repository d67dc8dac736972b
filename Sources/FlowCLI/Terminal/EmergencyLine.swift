internal import FlowLive
internal import Glibc

/// A line that is written to a file when the process ends before the file is complete, and only then.
///
/// It is kept ready in memory that a signal handler may read: there nothing can be made any more.
final class EmergencyLine: Sendable {
    /// Why the process ends.
    enum Cause: Int {
        case crash, stop
    }

    /// Lines at a time; a run writes two traces at most, and its events.
    private static let capacity = 4
    private static let longest = 1024

    private struct Slot {
        /// Below zero while the slot is free.
        var descriptor: Int32 = -1
        /// Zero while the lines are being changed.
        var lengths = (crash: 0, stop: 0)
    }

    // Signal handlers can see nothing but global memory. Slots are taken under `lock`; each belongs to one owner until
    // it is given back, and who writes, after which nothing else runs, only reads.
    nonisolated(unsafe) private static let slots = UnsafeMutablePointer<Slot>.allocate(capacity: capacity)
    nonisolated(unsafe) private static let texts = UnsafeMutablePointer<UInt8>.allocate(
        capacity: capacity * 2 * longest)
    nonisolated(unsafe) private static let lock: UnsafeMutablePointer<pthread_mutex_t> = {
        let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        slots.initialize(repeating: Slot(), count: capacity)
        texts.initialize(repeating: 0, count: capacity * 2 * longest)
        return lock
    }()

    private let index: Int

    /// - Returns: `nil` when there are too many already.
    init?(descriptor: Int32) {
        pthread_mutex_lock(Self.lock)
        defer { pthread_mutex_unlock(Self.lock) }
        guard let free = (0..<Self.capacity).first(where: { Self.slots[$0].descriptor < 0 }) else {
            return nil
        }
        index = free
        Self.slots[free] = Slot(descriptor: descriptor)
    }

    deinit {
        pthread_mutex_lock(Self.lock)
        Self.slots[index] = Slot()
        pthread_mutex_unlock(Self.lock)
    }

    /// Replaces the line: how it begins, and how it goes on for each cause. One that is too long is not written.
    func prepare(_ start: [UInt8], crash: [UInt8], stop: [UInt8]) {
        Self.slots[index].lengths = (0, 0)
        let crash = put(start, crash, for: .crash)
        let stop = put(start, stop, for: .stop)
        Self.slots[index].lengths = (crash, stop)
    }

    /// - Returns: How many bytes there are.
    private func put(_ start: [UInt8], _ rest: [UInt8], for cause: Cause) -> Int {
        guard start.count + rest.count <= Self.longest else { return 0 }
        let place = UnsafeMutableBufferPointer(start: Self.text(index, cause), count: Self.longest)
        let end = place.update(fromContentsOf: start)
        return place[end...].update(fromContentsOf: rest)
    }

    private static func text(_ index: Int, _ cause: Cause) -> UnsafeMutablePointer<UInt8> {
        texts + (index * 2 + cause.rawValue) * longest
    }

    /// Writes the lines; the process must end at once.
    static func write(_ cause: Cause) {
        _ = lock
        for index in 0..<capacity where slots[index].descriptor >= 0 {
            let slot = slots[index]
            let length = cause == .crash ? slot.lengths.crash : slot.lengths.stop
            _ = Glibc.write(slot.descriptor, text(index, cause), length)
        }
    }

    /// Has the lines written at a crash, and the programs of the run ended, which then goes its usual way.
    ///
    /// SIGQUIT asks for one. What the process was started to ignore stays ignored.
    static func arm() {
        _ = lock
        RunningPrograms.prepare()
        let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS, SIGXCPU, SIGQUIT]
        for number in crashes where !Interruption.isIgnored(number) {
            signal(number) { number in
                EmergencyLine.write(.crash)
                RunningPrograms.end()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }
}
