import Glibc

@testable import FlowLive

/// A plain blocking TCP connection to a loopback port.
final class Socket: Sendable {
    private let descriptor: Int32

    init(owning descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 600, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    convenience init(connectingTo port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(code == 0, "cannot connect")
        self.init(owning: descriptor)
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        _ = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    }

    func send(_ bytes: [UInt8]) {
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// What arrives next; empty at the end.
    func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }

    func receiveAll() -> String {
        var bytes: [UInt8] = []
        while true {
            let next = receive()
            if next.isEmpty { return String(decoding: bytes, as: UTF8.self) }
            bytes += next
        }
    }

    /// Closes with RST in place of FIN.
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}

/// Sends one raw request to a loopback port and reads until the server closes.
func rawExchange(_ port: UInt16, _ text: String) async -> String {
    await onThread {
        let socket = Socket(connectingTo: port)
        socket.send(text)
        return socket.receiveAll()
    }
}
