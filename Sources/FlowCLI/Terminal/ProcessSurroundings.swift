@preconcurrency internal import Glibc

extension Surroundings {
    /// Those of this process.
    static func ofProcess(_ interruption: Interruption) -> Surroundings {
        Surroundings(
            environment: processEnvironment(), directory: FileAccess.workingDirectory() ?? "/",
            executable: FileAccess.destination(ofLink: "/proc/self/exe"), input: .descriptor(STDIN_FILENO),
            output: TextStream(descriptor: STDOUT_FILENO), error: TextStream(descriptor: STDERR_FILENO),
            interruption: interruption)
    }

    /// Read once, before anything could change it.
    private static func processEnvironment() -> [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry = entry.successor()
        }
        return variables
    }
}
