// Where the Swift runtime is linked in, the types of <sys/socket.h> belong to the first module that includes it.
internal import CCurl
import Glibc
internal import OAuthProtocol
internal import Synchronization

/// Lets requests follow addresses that a provider publishes into the network that the provider itself is in.
///
/// Only when such a request was refused is the issuer's host looked up, and only what it shows is allowed then: the
/// address that is connected to decides each time, so that a name with changing addresses gains nothing.
final class PublishedAddresses: Sendable {
    private let transport: CurlTransport
    /// Whether issuers in private networks are served at all.
    private let allowsPrivate: Bool
    private let known = Mutex<[String: NetworkAddress.Kind]>([:])

    init(_ transport: CurlTransport, allowsPrivate: Bool) {
        self.transport = transport
        self.allowsPrivate = allowsPrivate
    }

    /// - Parameter issuerHost: Whose network may be reached; `nil` for none.
    func exchange(
        _ request: HTTPRequest, _ limits: TransferLimits, issuerHost: String?
    ) async -> TransportReport {
        var limits = limits
        guard limits.reach == .published, let issuerHost, allowsPrivate else {
            return await transport.exchange(request, limits)
        }
        if let near = known.withLock({ $0[issuerHost] }) {
            limits.reach = .publishedNear(near)
            return await transport.exchange(request, limits)
        }
        let report = await transport.exchange(request, limits)
        // Nothing has been sent by then.
        guard case .failure(let failure) = report.result, case .address(let kind) = failure.kind,
            let near = await Self.kind(of: issuerHost), AddressReach.publishedNear(near).allows(kind)
        else { return report }
        known.withLock { $0[issuerHost] = near }
        limits.reach = .publishedNear(near)
        return await transport.exchange(request, limits)
    }

    /// The kind that all addresses of a host have in common.
    static func kind(of host: String) async -> NetworkAddress.Kind? {
        let kinds: Set<NetworkAddress.Kind> = await withCheckedContinuation { continuation in
            let isStarted = WorkerThread.start { continuation.resume(returning: lookUp(host)) }
            if !isStarted { continuation.resume(returning: []) }
        }
        return kinds.count == 1 ? kinds.first : nil
    }

    private static func lookUp(_ host: String) -> Set<NetworkAddress.Kind> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var kinds: Set<NetworkAddress.Kind> = []
        var next = list
        while let entry = next {
            let kind = entry.pointee.ai_addr.flatMap { SocketAddress.read(UnsafePointer($0)) }?.kind
            kinds.insert(kind ?? .unusable)
            next = entry.pointee.ai_next
        }
        return kinds
    }
}
