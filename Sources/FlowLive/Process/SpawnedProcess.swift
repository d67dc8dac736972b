internal import CLinux
import Glibc

/// Why a program was not started.
package struct SpawnFailure: Error, Sendable, Hashable {
    /// The program as it was asked for; never its arguments.
    package let program: String
    /// The system's words.
    package let reason: String
}

/// What a new process starts with; nothing else of ours reaches it.
struct SpawnPlan {
    /// Absolute path.
    var program: String
    /// `arguments[0]` is the program's name.
    var arguments: [String]
    var environment: [(String, String)]
    var directory: String?
    var input: Int32
    var output: Int32
    var errors: Int32
    /// A new session detaches it from the terminal too; otherwise it leads a process group of its own.
    var isDetached = false
}

/// One started child; whoever starts it must wait for it.
struct SpawnedProcess {
    let id: pid_t

    /// Starts the program without a shell, with the default signals and only the three given descriptors.
    static func start(_ plan: SpawnPlan) throws(SpawnFailure) -> SpawnedProcess {
        var texts = plan.arguments
        for (name, value) in plan.environment { texts.append("\(name)=\(value)") }
        guard !texts.contains(where: { $0.utf8.contains(0) }) else {
            throw SpawnFailure(program: plan.program, reason: "an argument or a variable contains a NUL")
        }
        var id: pid_t = 0
        let code = withCStrings(texts) { pointers in
            var argv = Array(pointers.prefix(plan.arguments.count))
            var envp = Array(pointers.dropFirst(plan.arguments.count))
            argv.append(nil)
            envp.append(nil)
            return spawn(&id, plan, &argv, &envp)
        }
        guard code == 0 else {
            let cause = ScriptHead.trouble(of: plan.program, code)
            throw SpawnFailure(program: plan.program, reason: cause ?? SystemError.text(code))
        }
        return SpawnedProcess(id: id)
    }

    private static func spawn(
        _ id: inout pid_t, _ plan: SpawnPlan, _ argv: inout [UnsafeMutablePointer<CChar>?],
        _ envp: inout [UnsafeMutablePointer<CChar>?]
    ) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, plan.input, 0)
        posix_spawn_file_actions_adddup2(&actions, plan.output, 1)
        posix_spawn_file_actions_adddup2(&actions, plan.errors, 2)
        _ = fr_spawn_close_from(&actions, 3)
        if let directory = plan.directory { _ = fr_spawn_directory(&actions, directory) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        setAttributes(&attributes, isDetached: plan.isDetached)
        return posix_spawn(&id, plan.program, &actions, &attributes, argv, envp)
    }

    private static func setAttributes(_ attributes: inout posix_spawnattr_t, isDetached: Bool) {
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let group = isDetached ? fr_spawn_new_session() : Int16(POSIX_SPAWN_SETPGROUP)
        posix_spawnattr_setflags(
            &attributes, group | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    }

    /// Blocks until the process has ended and leaves it unreaped, so that its number stays its own.
    func waitForEnd() {
        var details = siginfo_t()
        while waitid(P_PID, id_t(id), &details, WEXITED | WNOWAIT) == -1 && errno == EINTR {}
    }

    /// Reaps an ended process.
    ///
    /// Where the program has SIGCHLD ignored, or waits for any child elsewhere, the status is gone: that is no success.
    func reap() -> ProcessEnd {
        var status: Int32 = 0
        var reaped = waitpid(id, &status, 0)
        while reaped == -1 && errno == EINTR { reaped = waitpid(id, &status, 0) }
        guard reaped == id else { return .unknown }
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }

    /// Sends a signal to the whole process group.
    func signalGroup(_ signal: Int32) { kill(-id, signal) }
}

/// How a process ended.
package enum ProcessEnd: Sendable, Hashable {
    case exited(Int32)
    case signalled(Int32)
    /// It has ended, and somebody else in this process took its status.
    case unknown

    /// What is said of an end that nobody knows.
    package static let unknownWords =
        "how it ended cannot be known: this process ignores SIGCHLD or waits for its children elsewhere"
}

/// Gives the texts as C strings for the duration of `body`.
private func withCStrings<Result>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let pointers = texts.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers)
}
