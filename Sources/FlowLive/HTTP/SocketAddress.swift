// Where the Swift runtime is linked in, the types of <sys/socket.h> belong to the first module that includes it.
internal import CCurl
import Glibc
internal import OAuthProtocol

/// Addresses of sockets, as the system writes them, in our own words.
enum SocketAddress {
    /// - Returns: `nil` for a family other than IP.
    static func read(_ address: UnsafePointer<sockaddr>) -> NetworkAddress? {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let v4 = raw.loadUnaligned(as: sockaddr_in.self)
            return NetworkAddress(v4: UInt32(bigEndian: v4.sin_addr.s_addr))
        case AF_INET6:
            let v6 = raw.loadUnaligned(as: sockaddr_in6.self)
            return withUnsafeBytes(of: v6.sin6_addr) { network($0) }
        default: return nil
        }
    }

    /// Reads the text that libcurl gives for a connected peer; allocates nothing.
    static func read(_ text: UnsafePointer<CChar>) -> NetworkAddress? {
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 { return NetworkAddress(v4: UInt32(bigEndian: v4.s_addr)) }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        return withUnsafeBytes(of: v6) { network($0) }
    }

    private static func network(_ bytes: UnsafeRawBufferPointer) -> NetworkAddress {
        NetworkAddress(
            v6high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    /// The 4 or 16 bytes of an address that is written as a host; `nil` for a name.
    static func bytes(_ host: String) -> [UInt8]? {
        var v4 = in_addr()
        if inet_pton(AF_INET, host, &v4) == 1 { return withUnsafeBytes(of: v4) { Array($0) } }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, host, &v6) == 1 else { return nil }
        return withUnsafeBytes(of: v6) { Array($0) }
    }
}
