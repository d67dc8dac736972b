// Where the Swift runtime is linked in, the types of <sys/socket.h> belong to the first module that includes it.
internal import CCurl
internal import FlowEngine
import Glibc
internal import JOSE
internal import OAuthProtocol
import Synchronization

/// Carries the answer of a browser from the process that the desktop starts to the one that waits for it.
///
/// The waiting process listens on a Unix socket in a folder that only its user may enter. The socket is named by a
/// digest of `state`, so the answer finds its run; the run compares the state itself.
package enum CallbackRelay {
    package enum Delivery: Sendable, Hashable {
        case taken
        case refused(String)
        /// Nobody listens for this state.
        case nobody
    }

    static func path(_ directory: String, state: String) -> String {
        "\(directory)/\(StateDigest.of(state).prefix(32)).sock"
    }

    /// Hands an address to the process that waits for an answer with this `state`.
    package static func deliver(_ address: String, state: String, directory: String) async -> Delivery {
        await withCheckedContinuation { continuation in
            let isStarted = WorkerThread.start {
                continuation.resume(returning: send(address, to: path(directory, state: state)))
            }
            if !isStarted { continuation.resume(returning: .nobody) }
        }
    }

    private static func send(_ address: String, to path: String) -> Delivery {
        guard let socket = UnixSocket.connect(path) else { return .nobody }
        let line = address.filter { !$0.isNewline } + "\n"
        guard UnixSocket.write(Array(line.utf8), to: socket),
            let reply = UnixSocket.readLine(socket, limit: 4096)
        else { return .nobody }
        return reply == "taken" ? .taken : .refused(reply)
    }
}

/// Takes the answer from a process of the same user, such as the one that the desktop starts for a scheme.
final class RelayedAnswers: AnswerSource {
    private let stop: FileDescriptor

    /// - Parameter answered: Reads an address; why it does not count, `nil` when it does.
    /// - Returns: `nil` when nobody can listen there.
    init?(_ directory: String, state: String, answered: @escaping @Sendable (String) -> String?) {
        let path = CallbackRelay.path(directory, state: state)
        // A folder that cannot be made private is no place for answers.
        guard (try? PrivateFile.prepareDirectory(directory)) != nil, let pipe = FileDescriptor.pipe(),
            let listener = UnixSocket.listen(path)
        else { return nil }
        Self.sweep(directory)
        stop = pipe.writing
        let stopped = pipe.reading
        guard
            WorkerThread.start({
                Self.serve(listener, until: stopped, answered)
                unlink(path)
            })
        else {
            unlink(path)
            return nil
        }
    }

    /// Removes what processes have left that were killed: a socket that nobody has listened at for an hour.
    private static func sweep(_ directory: String) {
        let now = Int(WallClock.now() / 1000)
        for file in FolderFile.all(in: directory)
        where file.path.hasSuffix(".sock") && now - file.time > 3600 && UnixSocket.connect(file.path) == nil {
            unlink(file.path)
        }
    }

    private static func serve(
        _ listener: FileDescriptor, until stopped: FileDescriptor, _ answered: (String) -> String?
    ) {
        while true {
            var polled = [
                pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopped.number, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&polled, 2, -1) > 0 || errno == EINTR else { return }
            if polled[1].revents != 0 { return }
            guard polled[0].revents != 0, let connection = UnixSocket.accept(listener) else { continue }
            guard let line = UnixSocket.readLine(connection, limit: 65_536) else { continue }
            _ = UnixSocket.write(Array(((answered(line) ?? "taken") + "\n").utf8), to: connection)
        }
    }

    func close(_ verdict: PageVerdict?) async {
        var byte: UInt8 = 0
        _ = write(stop.number, &byte, 1)
    }
}

/// Stream sockets of the local machine, blocking and bounded in time.
enum UnixSocket {
    /// Seconds that the other side may take for a line.
    private static let patience = 5

    static func listen(_ path: String) -> FileDescriptor? {
        guard let socket = open() else { return nil }
        // Nobody else has a socket of this name: what is there was left by a process that was killed.
        unlink(path)
        guard withAddress(path, { bind(socket.number, $0, $1) }) == 0, chmod(path, 0o600) == 0,
            Glibc.listen(socket.number, 8) == 0
        else { return nil }
        return socket
    }

    static func connect(_ path: String) -> FileDescriptor? {
        guard let socket = open(), withAddress(path, { Glibc.connect(socket.number, $0, $1) }) == 0 else {
            return nil
        }
        setPatience(socket)
        return socket
    }

    static func accept(_ listener: FileDescriptor) -> FileDescriptor? {
        let number = Glibc.accept(listener.number, nil, nil)
        guard number >= 0 else { return nil }
        let socket = FileDescriptor(owning: number)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        setPatience(socket)
        return socket
    }

    static func write(_ bytes: [UInt8], to socket: FileDescriptor) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.write(socket.number, $0.baseAddress, $0.count)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// - Returns: `nil` when none comes in time, or one that is longer or no UTF-8.
    static func readLine(_ socket: FileDescriptor, limit: Int) -> String? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = read(socket.number, &piece, piece.count)
            guard count > 0 else { return nil }
            bytes += piece[..<count]
            guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { continue }
            return String(validating: bytes[..<end], as: UTF8.self)
        }
        return nil
    }

    private static func open() -> FileDescriptor? {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let number = socket(AF_UNIX, type, 0)
        return number < 0 ? nil : FileDescriptor(owning: number)
    }

    private static func setPatience(_ socket: FileDescriptor) {
        var time = timeval(tv_sec: patience, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket.number, SOL_SOCKET, SO_RCVTIMEO, &time, size)
        setsockopt(socket.number, SOL_SOCKET, SO_SNDTIMEO, &time, size)
    }

    /// - Returns: -1 for a path that does not fit into an address.
    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity else { return -1 }
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            for (index, byte) in path.utf8.enumerated() { bytes[index] = byte }
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
