import Glibc
import Synchronization

@testable import FlowLive

/// A server that does to its connections exactly what a test says, one after the other.
final class ScriptedServer: Sendable {
    enum Action: Sendable {
        /// Reads a request with its body.
        case read
        case send(String)
        case sendBytes([UInt8])
        /// Sends what is only known once the server has its port.
        case sendLater(@Sendable () -> String)
        /// Waits until the client closes.
        case hold
        case reset
    }

    let port: UInt16
    private let requests = Mutex<[String]>([])

    /// - Parameter connections: What happens on each connection, in order; further ones are closed at once.
    init(_ connections: [[Action]]) throws {
        let listening = try ListeningSocket.open(port: 0)
        port = listening.port
        _ = fcntl(listening.descriptor, F_SETFL, 0)
        let isStarted = WorkerThread.start { [self] in
            for actions in connections {
                let descriptor = accept(listening.descriptor, nil, nil)
                guard descriptor >= 0 else { break }
                serve(Socket(owning: descriptor), actions)
            }
            close(listening.descriptor)
        }
        precondition(isStarted, "no thread is left")
    }

    var url: String { "http://127.0.0.1:\(port)/" }

    /// The whole requests that came.
    var received: [String] { requests.withLock { $0 } }

    private func serve(_ socket: Socket, _ actions: [Action]) {
        for action in actions {
            switch action {
            case .read: record(socket)
            case .send(let text): socket.send(text)
            case .sendBytes(let bytes): socket.send(bytes)
            case .sendLater(let text): socket.send(text())
            case .hold: while !socket.receive().isEmpty {}
            case .reset: socket.resetOnClose()
            }
        }
    }

    private func record(_ socket: Socket) {
        var text = ""
        while !Self.isComplete(text) {
            let bytes = socket.receive()
            if bytes.isEmpty { return }
            text += String(decoding: bytes, as: UTF8.self)
        }
        requests.withLock { $0.append(text) }
    }

    private static func isComplete(_ text: String) -> Bool {
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return false }
        let length = parts[0].split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        let count = length.flatMap { Int($0.dropFirst("content-length:".count).drop { $0 == " " }) } ?? 0
        return parts[1].utf8.count >= count
    }
}
