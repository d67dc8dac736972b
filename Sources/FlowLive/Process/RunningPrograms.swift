import Glibc

/// The process groups of the programs that are waited for, where the handler of a signal finds them.
///
/// A program of a hook must not go on when the process that asked it has crashed: nobody would take its answer.
package enum RunningPrograms {
    /// Those beyond are not ended.
    private static let capacity = 64

    // A signal handler can see nothing but global memory. A slot is zero while it is free and is changed under `lock`;
    // the handler, after which nothing else runs, only reads.
    nonisolated(unsafe) private static let groups: UnsafeMutablePointer<pid_t> = {
        let groups = UnsafeMutablePointer<pid_t>.allocate(capacity: capacity)
        groups.initialize(repeating: 0, count: capacity)
        return groups
    }()
    nonisolated(unsafe) private static let lock: UnsafeMutablePointer<pthread_mutex_t> = {
        let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        return lock
    }()

    /// Makes the memory, which a signal handler could not.
    package static func prepare() { _ = (groups, lock) }

    static func add(_ group: pid_t) { replace(0, with: group) }

    /// To be called before the leader of the group is reaped: its number may be another's afterwards.
    static func remove(_ group: pid_t) { replace(group, with: 0) }

    private static func replace(_ old: pid_t, with new: pid_t) {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        if let index = (0..<capacity).first(where: { groups[$0] == old }) { groups[index] = new }
    }

    /// Ends all of them at once; may be called in a signal handler after `prepare`.
    package static func end() {
        for index in 0..<capacity where groups[index] > 0 { kill(-groups[index], SIGKILL) }
    }
}
