internal import CCurl
internal import COpenSSL
internal import Glibc
package import OAuthProtocol
internal import Synchronization

/// Shows the certificates of hosts: a handshake, verified like any other, after which nothing is sent.
package struct ChainProbe: Sendable {
    private let configuration: TransportConfiguration
    /// Milliseconds.
    private let timeout: Int

    package init(_ configuration: LiveConfiguration) throws(LiveSetupError) {
        do throws(CurlUnavailable) {
            try CurlLibrary.prepare()
        } catch {
            throw LiveSetupError(error.description)
        }
        self.configuration = ProxyVariables.configuration(configuration)
        timeout = configuration.exchangeTime(standard: 20_000)
    }

    /// The verified chain of a host, its own certificate first and the root last.
    ///
    /// - Parameter origin: An https origin.
    package func chain(of origin: String) async -> Result<[CertificateSummary], TransportFailure> {
        let tooMany = TransportFailure(.unprepared, .notDelivered, "no threads are left")
        return await withCheckedContinuation { continuation in
            let isStarted = WorkerThread.start { continuation.resume(returning: look(origin)) }
            if !isStarted { continuation.resume(returning: .failure(tooMany)) }
        }
    }

    private func look(_ origin: String) -> Result<[CertificateSummary], TransportFailure> {
        guard let target = RequestTarget(origin), target.scheme == .https else {
            return .failure(TransportFailure(.invalidRequest, .notDelivered, "only https has certificates"))
        }
        guard let easy = fr_easy_init() else {
            return .failure(TransportFailure(.connect, .notDelivered, "libcurl has no memory left"))
        }
        defer { fr_easy_cleanup(easy) }
        let proxy = ProxyRule(configuration)
        let isProxied = !target.isLoopback && proxy?.covers(target.host) == true
        let found = ShownChain()
        set(easy, origin, proxy: isProxied ? configuration.proxy : nil, found)
        let code = fr_easy_perform(easy)
        guard code == CURLE_OK else {
            let words = String(cString: fr_easy_strerror(code))
            return .failure(
                CurlProgress(easy, bodyCount: 0, SentRequest()).failure(
                    code, proxy?.cleaned(words) ?? words, isTLS: true))
        }
        return .success(found.certificates)
    }

    private func set(_ easy: UnsafeMutableRawPointer, _ origin: String, proxy: String?, _ found: ShownChain) {
        fr_setopt_string(easy, CURLOPT_URL, origin)
        fr_setopt_long(easy, CURLOPT_CONNECT_ONLY, 1)
        fr_setopt_long(easy, CURLOPT_NOSIGNAL, 1)
        fr_setopt_string(easy, CURLOPT_PROTOCOLS_STR, "https")
        fr_setopt_string(easy, CURLOPT_PROXY, proxy ?? "")
        fr_setopt_string(easy, CURLOPT_NOPROXY, "")
        fr_setopt_long(easy, CURLOPT_TIMEOUT_MS, max(1, timeout))
        fr_setopt_long(easy, CURLOPT_SSL_VERIFYPEER, 1)
        fr_setopt_long(easy, CURLOPT_SSL_VERIFYHOST, 2)
        fr_setopt_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        for (file, directory) in [
            (CURLOPT_CAINFO, CURLOPT_CAPATH), (CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH),
        ] {
            fr_setopt_string(easy, file, configuration.caFile)
            fr_setopt_string(
                easy, directory, configuration.caFile == nil ? configuration.caDirectory : nil)
        }
        fr_setopt_ssl_ctx(easy, prepareContext)
        fr_setopt_pointer(easy, CURLOPT_SSL_CTX_DATA, Unmanaged.passUnretained(found).toOpaque())
    }
}

/// The chain of the last handshake: that of the host, since a proxy's comes first. Confined to the probe's thread.
private final class ShownChain {
    var certificates: [CertificateSummary] = []
}

private func prepareContext(
    _ easy: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?, _ found: UnsafeMutableRawPointer?
) -> CURLcode {
    guard let context else { return CURLE_SSL_CERTPROBLEM }
    fr_tls_verify_with(context, keepChain, found)
    return CURLE_OK
}

private func keepChain(_ store: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let store, let context else { return 0 }
    let isTrusted = X509_verify_cert(store)
    guard isTrusted == 1 else { return isTrusted }
    Unmanaged<ShownChain>.fromOpaque(context).takeUnretainedValue().certificates = PeerChain.read(store)
    return 1
}
