internal import CCurl
internal import OAuthProtocol

/// The transfers of one connection policy, with connections that no other policy's transfers can take.
///
/// libcurl compares neither verification callbacks nor client certificates well enough when it looks for a connection
/// to use again; a pool with a policy therefore has its own connection cache, and resumes no TLS session, since a
/// resumed session shows no certificates. Confined to its loop's thread.
final class TransferPool {
    let policy: ConnectionPolicy?
    let configuration: TransportConfiguration
    let proxy: ProxyRule?
    /// The certificate and key, as libcurl reads them at each handshake.
    let identity: ClientIdentity?
    /// libcurl's cache; `nil` for the pool without a policy, which has the loop's.
    let share: UnsafeMutableRawPointer?
    private var idle: [CurlTransfer] = []
    /// What the last accepted chain of each host gave rise to: it is true of every request on its connections.
    private var findings: [String: [SecurityEvent]] = [:]

    init(_ configuration: TransportConfiguration, _ proxy: ProxyRule?) {
        self.configuration = configuration
        self.proxy = proxy
        policy = nil
        identity = nil
        share = nil
    }

    /// - Throws: When the client's certificate or key cannot be used, or memory is out.
    init(
        _ configuration: TransportConfiguration, _ proxy: ProxyRule?, policy: ConnectionPolicy
    ) throws(TransportFailure) {
        self.configuration = configuration
        self.proxy = proxy
        self.policy = policy
        do throws(ClientIdentity.Problem) {
            identity = try policy.certificate.map { certificate throws(ClientIdentity.Problem) in
                try ClientIdentity(certificate)
            }
        } catch {
            throw TransportFailure(.tls(.localSetup), .notDelivered, error.description)
        }
        guard let share = fr_share_init(), fr_share(share, CURL_LOCK_DATA_CONNECT) == CURLSHE_OK else {
            throw TransportFailure(.unprepared, .notDelivered, "libcurl has no memory left")
        }
        self.share = share
    }

    /// Ends the idle transfers, before the cache of their connections ends with this object.
    func close() { idle = [] }

    deinit {
        idle = []
        if let share { fr_share_cleanup(share) }
    }

    /// A transfer that is not under way; `nil` when memory is out.
    func take() -> CurlTransfer? { idle.popLast() ?? CurlTransfer(self) }

    func giveBack(_ transfer: CurlTransfer) { idle.append(transfer) }

    func keep(_ events: [SecurityEvent], of host: String) { findings[host] = events.isEmpty ? nil : events }

    func events(of host: String) -> [SecurityEvent] { findings.isEmpty ? [] : findings[host] ?? [] }
}
