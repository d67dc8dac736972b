// Where the Swift runtime is linked in, the types of <sys/socket.h> belong to the first module that includes it.
internal import CCurl
import Glibc

/// Why a loopback server does not listen.
package enum ServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another program has the port.
    case portInUse(UInt16)
    case notAllowed(port: UInt16)
    case unavailable(String)

    package var description: String {
        switch self {
        case .portInUse(let port): "port \(port) of the loopback address is in use by another program"
        case .notAllowed(let port): "this user may not listen on port \(port)"
        case .unavailable(let reason): "no loopback server can be started: \(reason)"
        }
    }
}

/// A socket that listens on 127.0.0.1, or on ::1 where there is no IPv4.
struct ListeningSocket {
    let descriptor: Int32
    let port: UInt16
    /// As it stands in a URL.
    let host: String

    /// Binds and listens; port 0 lets the system choose. The caller owns the descriptor.
    static func open(port: UInt16) throws(ServerError) -> ListeningSocket {
        do {
            return try open(AF_INET, "127.0.0.1", port)
        } catch {
            switch error {
            case .portInUse, .notAllowed: throw port == 0 ? .unavailable("no port is free") : error
            case .unavailable: return try open(AF_INET6, "[::1]", port)
            }
        }
    }

    private static func open(_ family: Int32, _ host: String, _ port: UInt16) throws(ServerError)
        -> ListeningSocket
    {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw .unavailable(SystemError.text(errno)) }
        guard listen(descriptor, family, port), let bound = boundPort(descriptor) else {
            let code = errno
            close(descriptor)
            errno = code
            switch code {
            case EADDRINUSE: throw .portInUse(port)
            case EACCES: throw .notAllowed(port: port)
            default: throw .unavailable(SystemError.text(code))
            }
        }
        return ListeningSocket(descriptor: descriptor, port: bound, host: host)
    }

    /// SO_REUSEADDR holds only while binding: it lets a fixed port be used again while connections of an
    /// earlier run linger in TIME_WAIT. On the listening socket it is off, so nobody can share the port.
    private static func listen(_ descriptor: Int32, _ family: Int32, _ port: UInt16) -> Bool {
        if port != 0 { setReuse(descriptor, true) }
        guard bind(descriptor, family, port) == 0, Glibc.listen(descriptor, SOMAXCONN) == 0 else {
            return false
        }
        setReuse(descriptor, false)
        return true
    }

    /// Lets a later run bind the port while this accepted connection lingers; Linux asks both sides.
    static func allowReuse(afterClosing connection: Int32) { setReuse(connection, true) }

    private static func setReuse(_ descriptor: Int32, _ isOn: Bool) {
        var value: Int32 = isOn ? 1 : 0
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func bind(_ descriptor: Int32, _ family: Int32, _ port: UInt16) -> Int32 {
        if family == AF_INET {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return bind(descriptor, &address)
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        return bind(descriptor, &address)
    }

    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    private static func boundPort(_ descriptor: Int32) -> UInt16? {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        // The port has the same place in both address families.
        return code == 0 ? UInt16(bigEndian: address.sin6_port) : nil
    }
}
