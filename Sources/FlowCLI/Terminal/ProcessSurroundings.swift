@preconcurrency internal import Glibc

extension Surroundings {
    /// Those of this process.
    ///
    /// - Returns: `nil` when its working directory is gone or out of reach, so that no relative path means anything.
    static func ofProcess(_ interruption: Interruption) -> Surroundings? {
        guard let directory = FileAccess.workingDirectory() else { return nil }
        let environment = processEnvironment()
        return Surroundings(
            environment: environment, directory: directory,
            registeredHome: environment["HOME", default: ""].isEmpty ? registeredHome() : nil,
            executable: FileAccess.destination(ofLink: "/proc/self/exe"), input: .descriptor(STDIN_FILENO),
            output: TextStream(descriptor: STDOUT_FILENO), error: TextStream(descriptor: STDERR_FILENO),
            interruption: interruption)
    }

    /// Called once, while this process has one thread.
    private static func registeredHome() -> String? {
        getpwuid(geteuid()).map { String(cString: $0.pointee.pw_dir) }
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
