internal import Glibc

/// A line that is written to a file when the process crashes, and only then.
///
/// It is kept ready in memory that a signal handler may read: there nothing can be made any more.
final class CrashLine: Sendable {
    /// Lines at a time; a run writes two traces at most, and its events.
    private static let capacity = 4
    private static let longest = 1024

    private struct Slot {
        /// Below zero while the slot is free.
        var descriptor: Int32 = -1
        /// Zero while the line is being changed.
        var length = 0
    }

    // Signal handlers can see nothing but global memory. Slots are taken under `lock`; each belongs to one owner until
    // it is given back, and the handler, after which nothing else runs, only reads.
    nonisolated(unsafe) private static let slots = UnsafeMutablePointer<Slot>.allocate(capacity: capacity)
    nonisolated(unsafe) private static let texts = UnsafeMutablePointer<UInt8>.allocate(
        capacity: capacity * longest)
    nonisolated(unsafe) private static let lock: UnsafeMutablePointer<pthread_mutex_t> = {
        let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        slots.initialize(repeating: Slot(), count: capacity)
        texts.initialize(repeating: 0, count: capacity * longest)
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
        Self.slots[free] = Slot(descriptor: descriptor, length: 0)
    }

    deinit {
        pthread_mutex_lock(Self.lock)
        Self.slots[index] = Slot()
        pthread_mutex_unlock(Self.lock)
    }

    /// Replaces the line; an empty one writes nothing.
    func prepare(_ line: [UInt8]) {
        Self.slots[index].length = 0
        let place = UnsafeMutableBufferPointer(start: Self.texts + index * Self.longest, count: Self.longest)
        Self.slots[index].length = place.update(fromContentsOf: line.prefix(Self.longest))
    }

    /// Has the lines written at a crash, which then goes its usual way.
    static func arm() {
        _ = lock
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT] {
            signal(number) { number in
                for index in 0..<CrashLine.capacity where CrashLine.slots[index].descriptor >= 0 {
                    let slot = CrashLine.slots[index]
                    _ = write(slot.descriptor, CrashLine.texts + index * CrashLine.longest, slot.length)
                }
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }
}
