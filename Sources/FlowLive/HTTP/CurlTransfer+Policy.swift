internal import CCurl
import Glibc
internal import OAuthProtocol

/// What policy and reach have to say.
extension CurlTransfer {
    /// Sets what only the policy asks for; the certificate's memory is the pool's.
    func apply(_ policy: ConnectionPolicy) {
        fr_setopt_pointer(easy, CURLOPT_SHARE, pool.share)
        // A resumed session shows no certificates.
        set(CURLOPT_SSL_SESSIONID_CACHE, 0)
        if policy.tls.minimumVersion == .v1_3 { set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_3)) }
        if policy.tls.pinsAnything { ChainVerification.install(on: self) }
        guard let identity = pool.identity else { return }
        fr_setopt_blob(easy, CURLOPT_SSLCERT_BLOB, identity.chain.baseAddress, identity.chain.count)
        fr_setopt_blob(easy, CURLOPT_SSLKEY_BLOB, identity.key.baseAddress, identity.key.count)
    }

    /// The socket for one of the host's addresses; none, so that libcurl tries the next, where it must not lead.
    func socket(for address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        if !isProxied {
            let kind = withUnsafePointer(to: &address.pointee.addr) { SocketAddress.read($0) }?.kind
            guard let kind, reach.allows(kind) else {
                refusal = .address(kind ?? .unusable)
                return curl_socket_t(CURL_SOCKET_BAD)
            }
        }
        return Glibc.socket(
            address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
            address.pointee.protocol)
    }

    /// Whether the policy accepts the verified chain of the host.
    func accepts(_ chain: [CertificateSummary]) -> Bool {
        guard let policy = pool.policy, !chain.isEmpty else { return false }
        let verdict = TLSVerdict(policy.tls, chain: chain, host: host, now: WallClock.now())
        guard let rule = verdict.refusal else {
            pool.keep(verdict.events, of: host)
            return true
        }
        refusal = .policy(rule)
        events = verdict.events
        return false
    }

    /// The kind of the address that a URL itself names.
    func literalAddress(_ target: RequestTarget) -> NetworkAddress.Kind? {
        String(target.host).withCString { SocketAddress.read($0) }?.kind
    }

    /// The failure that a refusal caused; `nil` when libcurl failed later and for another reason.
    func refused(_ kind: TransportFailure.Kind, _ code: CURLcode) -> TransportFailure? {
        switch (kind, code) {
        case (.policy, _):
            return TransportFailure(kind, .notDelivered, events.last?.summary ?? "the certificate is refused")
        case (.address(let address), CURLE_COULDNT_CONNECT),
            (.address(let address), CURLE_ABORTED_BY_CALLBACK):
            return refusedAddress(address, of: shownHost)
        default: return nil
        }
    }

    func refusedAddress(_ kind: NetworkAddress.Kind, of host: String) -> TransportFailure {
        TransportFailure(
            .address(kind), .notDelivered,
            "\(host) leads to a \(kind.rawValue) address, where this request must not go")
    }

    /// The host for people, of whatever transfer.
    var shownHost: String { RequestTarget(effectiveURL).map { String($0.host) } ?? "" }

    /// The same with its port, as the URL has it.
    var shownServer: String {
        let url = effectiveURL
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        return String(url[start...].prefix { !"/?#".contains($0) })
    }

    private var effectiveURL: String {
        var url: UnsafeMutablePointer<CChar>?
        fr_getinfo_string(easy, CURLINFO_EFFECTIVE_URL, &url)
        return url.map { String(cString: $0) } ?? ""
    }
}
