import Glibc

/// Keeps loops and crowds of processes from opening one browser tab after another for the same sign-in.
///
/// One file for each sign-in, locked while it is looked at. Its lines are the openings that nobody answered: the
/// process, when that began, when it opened, and whether it still waits.
struct AttemptLedger: Sendable {
    /// So many openings...
    static let limit = 5
    /// ...in so much time, in milliseconds.
    static let period: Int64 = 5 * 60_000

    enum Verdict {
        case begun(BrowserAttempt)
        /// In words for the person.
        case refused(String)
    }

    let directory: String

    /// Notes that a tab is about to be opened.
    ///
    /// What cannot be noted is allowed: a full disk is no reason to keep a person from signing in.
    ///
    /// - Parameter key: Names the sign-in; also the file's name.
    func begin(_ key: String, now: Int64) -> Verdict {
        let attempt = BrowserAttempt(path: "\(directory)/\(key)", opening: .ofThisProcess(now))
        do throws(StoreError) {
            try PrivateFile.prepareDirectory(directory)
            var refusal: String?
            try AttemptFile.change(attempt.path) { openings in
                openings.removeAll {
                    WallClock.age(of: $0.openedAt, at: now) >= Self.period && !$0.isUnderWay
                }
                refusal = Self.refusal(openings, now)
                if refusal == nil { openings.append(attempt.opening) }
            }
            if let refusal { return .refused(refusal) }
        } catch {}
        return .begun(attempt)
    }

    private static func refusal(_ openings: [Opening], _ now: Int64) -> String? {
        let other = openings.first { $0.process != getpid() && $0.isUnderWay }
        if let other {
            let age = WallClock.age(of: other.openedAt, at: now) / 1000
            return """
                process \(other.process) opened a browser for the same sign-in \(age) s ago and waits for it: \
                no other tab is opened; once it has signed in, run this again (--headless off opens one)
                """
        }
        guard openings.count >= limit else { return nil }
        return """
            a browser was opened \(openings.count) times in \(period / 60_000) minutes for this sign-in, and \
            nobody answered: no other tab is opened (--headless off opens one)
            """
    }

    /// One browser tab that was opened.
    struct Opening: Hashable {
        let process: Int32
        /// In the system's clock ticks; tells a process from a later one with the same number.
        let processStart: UInt64
        /// Milliseconds since 1970.
        let openedAt: Int64
        var isWaiting: Bool

        static func ofThisProcess(_ now: Int64) -> Opening {
            Opening(
                process: getpid(), processStart: ProcessStart.of(getpid()) ?? 0, openedAt: now,
                isWaiting: true)
        }

        /// Whether its process lives and waits.
        var isUnderWay: Bool { isWaiting && ProcessStart.of(process) == processStart }
    }
}

/// An opening of this process, to be ended when the wait is over.
struct BrowserAttempt: Sendable {
    fileprivate let path: String
    fileprivate let opening: AttemptLedger.Opening

    /// Waits no more; where a person answered, all the openings before are forgotten.
    func end(isAnswered: Bool) {
        // What cannot be noted is of no more use.
        try? AttemptFile.change(path) { openings in
            if isAnswered { openings.removeAll { !$0.isUnderWay || $0 == opening } }
            for index in openings.indices where openings[index] == opening {
                openings[index].isWaiting = false
            }
        }
    }
}

/// The file of one sign-in.
private enum AttemptFile {
    /// More is no list of ours.
    private static let longest = 1 << 16

    static func change(_ path: String, _ body: (inout [AttemptLedger.Opening]) -> Void) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PrivateFile.failure(path, errno) }
        let file = FileDescriptor(owning: descriptor)
        try PrivateFile.check(file, path, S_IFREG)
        while flock(file.number, LOCK_EX) != 0 {
            guard errno == EINTR else { throw PrivateFile.failure(path, errno) }
        }
        defer { flock(file.number, LOCK_UN) }
        var bytes = [UInt8](repeating: 0, count: longest)
        let count = max(0, pread(file.number, &bytes, bytes.count, 0))
        var openings = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").compactMap(
            read)
        body(&openings)
        let text = openings.map(text).joined()
        _ = ftruncate(file.number, 0)
        _ = pwrite(file.number, text, text.utf8.count, 0)
    }

    private static func text(_ opening: AttemptLedger.Opening) -> String {
        let word = opening.isWaiting ? "waits" : "over"
        return "\(opening.process) \(opening.processStart) \(opening.openedAt) \(word)\n"
    }

    private static func read(_ line: Substring) -> AttemptLedger.Opening? {
        let words = line.split(separator: " ")
        guard words.count == 4, let process = Int32(words[0]), let start = UInt64(words[1]),
            let openedAt = Int64(words[2])
        else { return nil }
        return .init(
            process: process, processStart: start, openedAt: openedAt, isWaiting: words[3] == "waits")
    }
}

/// When a process began.
enum ProcessStart {
    /// In clock ticks since the system's start (proc(5), field 22 of stat).
    ///
    /// - Returns: `nil` when there is no such process.
    static func of(_ process: Int32) -> UInt64? {
        let descriptor = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(descriptor, &bytes, bytes.count)
        // The program's name, in parentheses, may hold anything.
        guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = String(decoding: bytes[(end + 1)..<count], as: UTF8.self).split(separator: " ")
        // A zombie waits for nobody.
        guard fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
        return UInt64(fields[19])
    }
}
