import Glibc
import Testing

@testable import FlowLive

@Suite("AttemptLedger")
struct AttemptLedgerTests {
    private let folder = TemporaryDirectory()
    private let now: Int64 = 1_000_000_000
    private var ledger: AttemptLedger { AttemptLedger(directory: folder.path + "/attempts") }

    private func begin(_ time: Int64) -> BrowserAttempt? {
        guard case .begun(let attempt) = ledger.begin("key", now: time) else { return nil }
        return attempt
    }

    private func refusal(_ time: Int64) -> String? {
        guard case .refused(let words) = ledger.begin("key", now: time) else { return nil }
        return words
    }

    private func write(_ lines: String) {
        #expect(mkdir(folder.path + "/attempts", 0o700) == 0)
        _ = folder.write("attempts/key", lines)
        #expect(chmod(folder.path + "/attempts/key", 0o600) == 0)
    }

    @Test("as many tabs that nobody answered are opened as the limit says, and more once they are long ago")
    func limit() {
        for count in 0..<AttemptLedger.limit { begin(now + Int64(count))?.end(isAnswered: false) }
        #expect(
            refusal(now + 10)
                == "a browser was opened 5 times in 5 minutes for this sign-in, and nobody answered: no other tab is opened (--headless off opens one)"
        )
        #expect(begin(now + AttemptLedger.period) != nil)
    }

    @Test("an answer makes earlier openings forgotten")
    func answered() {
        for count in 0..<20 { begin(now + Int64(count))?.end(isAnswered: count % 4 == 3) }
        #expect(begin(now + 30) != nil)
    }

    @Test("a wait of this process holds up none of its own, and counts until it is over")
    func ownWaits() throws {
        let waiting = try #require(begin(now))
        for count in 1..<AttemptLedger.limit { begin(now + Int64(count))?.end(isAnswered: false) }
        let late = now + AttemptLedger.period + 10
        for count in 1..<AttemptLedger.limit { begin(late + Int64(count))?.end(isAnswered: false) }
        #expect(refusal(late + 10)?.hasPrefix("a browser was opened 5 times") == true)
        waiting.end(isAnswered: true)
        #expect(fileBytes(folder.path + "/attempts/key") == [])
    }

    @Test("what a person has answered in one process is no answer to what another waits for")
    func otherWait() throws {
        let parent = getppid()
        let start = try #require(ProcessStart.of(parent))
        let own = try #require(begin(now))
        let line = "\(parent) \(start) \(now) waits\n"
        let text = String(decoding: fileBytes(folder.path + "/attempts/key"), as: UTF8.self)
        write(over: line + text + "\(parent) \(start) \(now) over\n")
        own.end(isAnswered: true)
        #expect(String(decoding: fileBytes(folder.path + "/attempts/key"), as: UTF8.self) == line)
        #expect(refusal(now) != nil)
    }

    @Test("the end of one wait is not that of another")
    func severalWaits() throws {
        let first = try #require(begin(now))
        let second = try #require(begin(now + 1))
        second.end(isAnswered: false)
        let words = String(decoding: fileBytes(folder.path + "/attempts/key"), as: UTF8.self)
            .split(separator: "\n").map { $0.split(separator: " ").last ?? "" }
        #expect(words == ["waits", "over"])
        first.end(isAnswered: false)
    }

    @Test("a process that is over waits for nobody, also before its parent has asked for its end")
    func zombie() {
        var child: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        defer { free(arguments[0]) }
        #expect(posix_spawn(&child, "/bin/true", nil, nil, &arguments, nil) == 0)
        var info = siginfo_t()
        #expect(waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT) == 0)
        #expect(ProcessStart.of(child) == nil)
        var status: Int32 = 0
        waitpid(child, &status, 0)
        #expect(ProcessStart.of(child) == nil)
    }

    @Test("a sign-in of another key is another matter")
    func otherKey() {
        for count in 0..<AttemptLedger.limit { begin(now + Int64(count))?.end(isAnswered: false) }
        guard case .begun = ledger.begin("other", now: now + 10) else {
            Issue.record("it was refused")
            return
        }
    }

    @Test("while another process waits no tab is opened, and its number is told")
    func otherProcess() throws {
        // The process that runs these tests has a parent that lives.
        let parent = getppid()
        let start = try #require(ProcessStart.of(parent))
        write("\(parent) \(start) \(now - 7_000) waits\n")
        #expect(
            refusal(now)
                == "process \(parent) opened a browser for the same sign-in 7 s ago and waits for it: no other tab is opened; once it has signed in, run this again (--headless off opens one)"
        )
        write(over: "\(parent) \(start) \(now) over\n")
        #expect(begin(now) != nil)
        // A later process with the same number.
        write(over: "\(parent) \(start + 1) \(now) waits\n")
        #expect(begin(now) != nil)
    }

    private func write(over lines: String) { _ = folder.write("attempts/key", lines) }

    @Test("the file is for its owner alone, and one that is not is not written")
    func permissions() {
        #expect(begin(now) != nil)
        var details = stat()
        #expect(stat(folder.path + "/attempts/key", &details) == 0)
        #expect(details.st_mode & 0o777 == 0o600)
        #expect(stat(folder.path + "/attempts", &details) == 0)
        #expect(details.st_mode & 0o777 == 0o700)
        #expect(chmod(folder.path + "/attempts/key", 0o644) == 0)
        for count in 0..<20 { #expect(begin(now + Int64(count)) != nil) }
    }

    @Test("processes that begin at once are counted one after another")
    func crowd() async {
        let ledger = ledger
        let now = now
        let begun = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    guard case .begun(let attempt) = ledger.begin("key", now: now) else { return 0 }
                    attempt.end(isAnswered: false)
                    return 1
                }
            }
            return await group.reduce(0, +)
        }
        #expect(begun == AttemptLedger.limit)
    }

    @Test("lines that are none are passed over")
    func damage() {
        write("\n\u{0}garbage 1 2\n9 x y waits\n9 1\n9 1 1\n")
        #expect(begin(now) != nil)
    }
}

@Suite("BrowserPlace")
struct BrowserPlaceTests {
    @Test(
        "where no browser can be opened, and why",
        arguments: [
            ([:], false, "no display"), ([:], true, "container without a display"),
            (["DISPLAY": ":0"], false, nil), (["WAYLAND_DISPLAY": "wayland-0"], true, nil),
            (["DISPLAY": ""], false, "no display"),
            (["SSH_CONNECTION": "a 1 b 22"], false, "SSH session without a display"),
            (["SSH_TTY": "/dev/pts/0", "WSL_DISTRO_NAME": "Debian"], false, "SSH session without a display"),
            (["SSH_TTY": "/dev/pts/0", "DISPLAY": "localhost:10.0"], false, nil),
            (["WSL_DISTRO_NAME": "Debian"], false, nil),
            (["container": "podman"], nil, "container without a display"),
        ] as [([String: String], Bool?, String?)])
    func obstacle(_ environment: [String: String], _ isContainer: Bool?, _ obstacle: String?) {
        #expect(BrowserPlace(environment, isContainer: isContainer).obstacle == obstacle)
    }

    @Test("over SSH the port is forwarded by the command that reached this machine")
    func forwarding() throws {
        let place = BrowserPlace(["SSH_CONNECTION": "192.0.2.7 50000 192.0.2.1 22"], isContainer: false)
        let command = try #require(place.forwarding(port: 4711))
        #expect(command.hasPrefix("ssh -L 4711:127.0.0.1:4711 "))
        let other = BrowserPlace(["SSH_CONNECTION": "192.0.2.7 50000 192.0.2.1 2222"], isContainer: false)
        #expect(other.forwarding(port: 1)?.hasPrefix("ssh -p 2222 -L 1:127.0.0.1:1 ") == true)
        #expect(BrowserPlace([:], isContainer: false).forwarding(port: 1) == nil)
        #expect(BrowserPlace([:], isContainer: true).forwarding(port: 1)?.contains("--network host") == true)
    }
}
