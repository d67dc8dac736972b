import Glibc
import OAuthProtocol
import Testing

@testable import FlowLive

@Suite("DescriptorLines")
struct DescriptorLinesTests {
    /// A terminal of our own, which is not the process's.
    private struct Terminal {
        let person: FileDescriptor
        let program: FileDescriptor

        init() throws {
            person = FileDescriptor(owning: open("/dev/ptmx", O_RDWR | O_NOCTTY))
            // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2), which are macros.
            var (isLocked, number): (Int32, UInt32) = (0, 0)
            try #require(ioctl(person.number, 0x4004_5431, &isLocked) == 0)
            try #require(ioctl(person.number, 0x8004_5430, &number) == 0)
            program = FileDescriptor(owning: open("/dev/pts/\(number)", O_RDWR | O_NOCTTY))
        }

        func type(_ text: String) { _ = write(person.number, text, text.utf8.count) }

        /// Bytes that the program has not read.
        var pending: Int {
            var count: Int32 = 0
            _ = ioctl(program.number, UInt(FIONREAD), &count)
            return Int(count)
        }
    }

    /// The terminal outlives every reader: its descriptor's number may be another test's a moment later.
    private func withTerminal(_ body: (Terminal) async throws -> Void) async throws {
        let terminal = try Terminal()
        try await body(terminal)
        withExtendedLifetime(terminal) {}
    }

    @Test("each line comes as it is entered, and a backspace is the terminal's business")
    func lines() async throws {
        try await withTerminal { terminal in
            var lines = DescriptorLines.stream(of: terminal.program.number).makeAsyncIterator()
            terminal.type("one\n")
            #expect(await lines.next()?.reveal() == "one")
            terminal.type("twp\u{7F}o\nthree\n")
            #expect(await lines.next()?.reveal() == "two")
            #expect(await lines.next()?.reveal() == "three")
        }
    }

    @Test("the end of the input ends the lines")
    func end() async throws {
        try await withTerminal { terminal in
            var lines = DescriptorLines.stream(of: terminal.program.number).makeAsyncIterator()
            terminal.type("one\n\u{4}")
            #expect(await lines.next()?.reveal() == "one")
            #expect(await lines.next() == nil)
        }
    }

    @Test("nobody reads any more once the iteration is cancelled, and what was typed meanwhile is dropped")
    func cancelled() async throws {
        try await withTerminal { terminal in
            let stream = DescriptorLines.stream(of: terminal.program.number)
            let reading = Task { await stream.first { _ in true }?.reveal() }
            terminal.type("half a line")
            reading.cancel()
            #expect(await reading.value == nil)
            terminal.type("\n")
            // Only what came after the end is there for others: the shell sees an empty line.
            #expect(terminal.pending <= 1)
        }
    }

    @Test("a line that the terminal cut is told")
    func cut() async throws {
        try await withTerminal { terminal in
            let told = Collected<Int>()
            var lines = DescriptorLines.stream(of: terminal.program.number) { told.append(1) }
                .makeAsyncIterator()
            for _ in 0..<5 { terminal.type(String(repeating: "x", count: 1000)) }
            terminal.type("\n")
            let line = await lines.next()?.reveal() ?? ""
            #expect(line.utf8.count < 5000)
            #expect(told.all == [1])
        }
    }
}
