import Glibc

/// The first line of a script, by which the system finds what runs it.
package enum ScriptHead {
    /// The system reads no more of it (execve(2)).
    private static let longest = 256

    /// What is wrong with the line of a program that is there and was not started; `nil` where it is something else.
    static func trouble(of program: String, _ code: Int32) -> String? {
        guard code == ENOENT || code == ENOEXEC, let line = firstLine(of: program) else { return nil }
        guard line.hasPrefix("#!") else {
            return code == ENOEXEC
                ? "its first line does not say what runs it, as #!/bin/sh or #!/usr/bin/env python3 does"
                : nil
        }
        if line.hasSuffix("\r") {
            return "its first line ends with a carriage return, as files of Windows do: end lines with LF"
        }
        guard code == ENOENT, let name = line.dropFirst(2).split(separator: " ").first,
            access(String(name), F_OK) != 0
        else { return nil }
        return "its first line names \(name) to run it, which is not there"
    }

    /// Whether it is a script whose first line would be misread, as by env(1), which looks for `python3\r` unless it
    /// splits the line itself.
    package static func endsWithCarriageReturn(_ program: String) -> Bool {
        guard let line = firstLine(of: program) else { return false }
        return line.hasPrefix("#!") && line.hasSuffix("\r") && !line.contains("env -S")
    }

    private static func firstLine(of program: String) -> String? {
        guard let file = fopen(program, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: longest)
        let count = fread(&bytes, 1, longest, file)
        return String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
