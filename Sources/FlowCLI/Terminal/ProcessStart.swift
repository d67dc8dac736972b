internal import Glibc

/// What a process must have before it does anything.
enum ProcessStart {
    /// Open files at a time that a sign-in with its listener, browser, store and traces needs, and some more.
    private static let descriptors: rlim_t = 64

    /// Keeps standard streams that the process was started without closed to everybody: the next file that is opened would
    /// take their place, and get what is written to them.
    static func occupyStreams() {
        for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 {
            // The other way round, so that using it is an error as before. The lowest free number is taken.
            _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Has the system keep how each child ends, also where the process was started with SIGCHLD ignored: the verdict of
    /// hooks and of programs that give secrets is in their status.
    static func keepStatusOfChildren() { signal(SIGCHLD, SIG_DFL) }

    /// Raises the limit on open files where it is too low and may be raised.
    ///
    /// - Returns: Why there are too few: without, the Swift runtime would end the process somewhere in the midst of a run.
    static func problemWithDescriptors() -> String? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < descriptors
        else { return nil }
        let allowed = limit.rlim_cur
        limit.rlim_cur = min(descriptors, limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur < descriptors else { return nil }
        return "only \(allowed) files may be open here at a time; \(descriptors) are needed (ulimit -n)"
    }
}
