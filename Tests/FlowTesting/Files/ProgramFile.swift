package import Glibc

/// Files that a test runs.
package enum ProgramFile {
    /// Writes a program without opening it in this process.
    ///
    /// A process that is just being started by another test holds what this one has open, and the kernel runs no file
    /// that is open for writing (ETXTBSY).
    ///
    /// - Parameter path: An absolute path without `'`.
    /// - Returns: Whether it was written.
    package static func write(_ path: String, _ text: String, mode: mode_t) -> Bool {
        let command = "rm -f '\(path)' && cat >'\(path)' && chmod \(String(mode, radix: 8)) '\(path)'"
        guard let shell = popen(command, "we") else { return false }
        let count = fwrite(text, 1, text.utf8.count, shell)
        return pclose(shell) == 0 && count == text.utf8.count
    }
}
