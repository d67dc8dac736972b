import Glibc
package import OAuthProtocol
internal import Synchronization

/// The lines that a person types or pastes at a terminal, read without keeping the process from its end.
package enum DescriptorLines {
    /// Linux gives a program at most so many bytes of one line and drops the rest (termios(3), canonical mode).
    private static let longest = 4095
    /// How often a program in the background looks whether it has come to the foreground, in milliseconds.
    private static let background: Int32 = 250

    /// The lines without their ends, until the input ends or nobody iterates any more.
    ///
    /// What the terminal still holds then is dropped, so that a late paste does not reach the shell. A program in the
    /// background reads nothing.
    ///
    /// - Parameters:
    ///   - descriptor: Belongs to the caller, who may close it at any time.
    ///   - cut: Told when the terminal cut a line.
    package static func stream(
        of descriptor: Int32, cut: @escaping @Sendable () -> Void = {}
    ) -> AsyncStream<Secret> {
        let (lines, continuation) = AsyncStream.makeStream(of: Secret.self)
        // Once the caller has closed its own, the number may be another file's.
        guard let terminal = FileDescriptor.duplicate(of: descriptor), let stop = FileDescriptor.pipe() else {
            continuation.finish()
            return lines
        }
        // The reader must not hold the writing end, or it never sees the end of the pipe.
        let ending = Mutex<FileDescriptor?>(stop.writing)
        let isStarted = WorkerThread.start { [stop = stop.reading] in
            read(terminal.number, until: stop, continuation, cut)
            withExtendedLifetime(terminal) {}
            continuation.finish()
        }
        guard isStarted else {
            continuation.finish()
            return lines
        }
        continuation.onTermination = { reason in
            // The reader sees the pipe's end.
            ending.withLock { $0 = nil }
            if case .cancelled = reason { tcflush(terminal.number, TCIFLUSH) }
        }
        return lines
    }

    private static func read(
        _ descriptor: Int32, until stop: FileDescriptor, _ lines: AsyncStream<Secret>.Continuation,
        _ cut: @Sendable () -> Void
    ) {
        var line: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: longest + 1)
        while true {
            let isForeground = isForeground(descriptor)
            var events = [
                pollfd(fd: stop.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isForeground ? descriptor : -1, events: Int16(POLLIN), revents: 0),
            ]
            poll(&events, nfds_t(events.count), isForeground ? -1 : background)
            if events[0].revents != 0 { return }
            guard events[1].revents != 0 else { continue }
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0 && (errno == EINTR || errno == EAGAIN || !Self.isForeground(descriptor)) { continue }
            guard count > 0 else { return }
            if count >= longest { cut() }
            for byte in piece[..<count] {
                if byte == UInt8(ascii: "\n") {
                    lines.yield(Secret(String(decoding: line, as: UTF8.self), kind: .code))
                    line = []
                } else if line.count < 16 * longest {
                    line.append(byte)
                }
            }
        }
    }

    /// Reading a terminal from the background would stop the process.
    private static func isForeground(_ descriptor: Int32) -> Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }
}
