import Glibc
import Testing

@testable import FlowLive

/// The answer of a browser on its way from one process of a user to another.
@Suite("CallbackRelay")
struct CallbackRelayTests {
    private let parent = TemporaryDirectory()
    private let received = Collected<String>()
    private var directory: String { "\(parent.path)/callbacks" }

    private func listen(_ state: String = "S1", refusing words: String? = nil) -> RelayedAnswers? {
        RelayedAnswers(directory, state: state) { [received] address in
            received.append(address)
            return words
        }
    }

    private func deliver(_ address: String, _ state: String = "S1") async -> CallbackRelay.Delivery {
        await CallbackRelay.deliver(address, state: state, directory: directory)
    }

    @Test("an address goes to whoever waits for its state, and who brings it learns what became of it")
    func delivery() async throws {
        let answers = try #require(listen())
        let others = try #require(listen("S2", refusing: "the run has an answer already"))
        let long = "app:/cb?state=S1&code=" + String(repeating: "a", count: 60_000)
        #expect(await deliver("app:/cb?code=a\n&state=S1\r\n") == .taken)
        #expect(await deliver(long) == .taken)
        #expect(await deliver("app:/cb?state=S2", "S2") == .refused("the run has an answer already"))
        #expect(received.all == ["app:/cb?code=a&state=S1", long, "app:/cb?state=S2"])
        #expect(await deliver("app:/cb?state=S3", "S3") == .nobody)
        await answers.close(nil)
        await others.close(nil)
    }

    @Test("what is no line, or a longer one, is not taken, and the waiting goes on")
    func unusable() async throws {
        let answers = try #require(listen())
        let path = CallbackRelay.path(directory, state: "S1")
        for bytes in [Array("no end".utf8), [0xFF, 0x0A], [UInt8](repeating: 97, count: 70_000) + [0x0A]] {
            let socket = try #require(UnixSocket.connect(path))
            _ = send(socket.number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            shutdown(socket.number, Int32(SHUT_WR))
            #expect(UnixSocket.readLine(socket, limit: 100) == nil)
        }
        #expect(await deliver("app:/cb") == .taken)
        #expect(received.all == ["app:/cb"])
        await answers.close(nil)
    }

    @Test("sockets that killed processes have left are removed, and no others")
    func sweep() async throws {
        mkdir(directory, 0o700)
        let paths = ["left", "young", "live"].map { CallbackRelay.path(directory, state: $0) }
        for path in paths.prefix(2) {
            // Closed at once, without its name being removed.
            _ = try #require(UnixSocket.listen(path))
        }
        let live = try #require(UnixSocket.listen(paths[2]))
        let old = [timeval(tv_sec: 1_000_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000_000, tv_usec: 0)]
        for path in [paths[0], paths[2]] { #expect(utimes(path, old) == 0) }
        let answers = try #require(listen())
        #expect(paths.map { access($0, F_OK) } == [-1, 0, 0])
        withExtendedLifetime(live) {}
        await answers.close(nil)
    }

    @Test("only this user may bring an answer, and nothing is left when nobody waits any more")
    func privacy() async throws {
        let path = CallbackRelay.path(directory, state: "S1")
        // As a process that was killed leaves it.
        mkdir(directory, 0o700)
        let left = try #require(UnixSocket.listen(path))
        withExtendedLifetime(left) {}
        let answers = try #require(listen())
        #expect(fileMode(path) == 0o600)
        #expect(await deliver("app:/cb") == .taken)
        await answers.close(nil)
        while access(path, F_OK) == 0 { await Task.yield() }
        #expect(await deliver("app:/cb") == .nobody)
        chmod(directory, 0o755)
        #expect(listen() == nil)
    }

    @Test("a folder whose sockets have no address is told, and nothing of it is cut off")
    func longPath() {
        let name = String(repeating: "d", count: 100)
        let answers = RelayedAnswers("\(parent.path)/\(name)", state: "S1") { _ in nil }
        #expect(answers == nil)
        #expect(directoryNames("\(parent.path)/\(name)") == [])
    }

    @Test(
        "the state of an address is the one that its query or fragment has",
        arguments: [
            ("app:/cb?code=a&state=S1", "S1"), ("app:/cb#code=a&state=S1", "S1"), ("state=S1", "S1"),
            ("app:/cb?code=a#state=S1", "S1"), ("app:/cb?state=S1#state=S2", "S1"),
            ("app:/cb?state=a%2Bb", "a+b"), ("app:/state=S1?code=a", nil),
            ("app:/cb?state=S1&state=S2", nil), ("app:/cb?code=a", nil), ("", nil),
        ])
    func state(address: String, state: String?) {
        #expect(CallbackText.state(in: address) == state)
    }
}
