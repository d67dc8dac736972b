internal import CCurl
internal import FlowEngine

/// Which of the header bytes that libcurl has sent are the request's: what it says to a proxy is counted with them.
struct SentRequest {
    /// Bytes of the request on connections that were given up.
    private var earlier = 0
    /// The count at which the request began on the present connection.
    private var start: Int?

    /// Whatever is sent until the request begins is for a proxy.
    mutating func connectionOpens(at count: Int) {
        earlier += start.map { count - $0 } ?? 0
        start = nil
    }

    mutating func requestBegins(at count: Int) {
        connectionOpens(at: count)
        start = count
    }

    func bytes(at count: Int) -> Int { earlier + (start.map { count - $0 } ?? 0) }
}

/// How far a transfer came, by libcurl's own counters.
struct CurlProgress {
    private let easy: UnsafeMutableRawPointer
    private let bodyCount: Int
    private let sent: SentRequest

    init(_ easy: UnsafeMutableRawPointer, bodyCount: Int, _ sent: SentRequest) {
        self.easy = easy
        self.bodyCount = bodyCount
        self.sent = sent
    }

    /// Header bytes that have gone out, to a proxy too.
    var headerBytes: Int {
        var count = 0
        fr_getinfo_long(easy, CURLINFO_REQUEST_SIZE, &count)
        return count
    }

    /// Without all header and body bytes a server has no request to act on.
    var delivery: TransportFailure.Delivery {
        sent.bytes(at: headerBytes) > 0 && count(CURLINFO_SIZE_UPLOAD_T) >= bodyCount
            ? .perhapsDelivered : .notDelivered
    }

    /// Whether a body came, as it was sent.
    var hasBody: Bool { count(CURLINFO_SIZE_DOWNLOAD_T) > 0 }

    /// Why a transfer through a proxy came no further than that: it was not reached, or answered CONNECT with
    /// something else than a success; `nil` where it is not the proxy's fault.
    func proxyFault(_ code: CURLcode) -> TransportFailure.Kind? {
        if code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_CONNECT || code == CURLE_PROXY {
            return .proxy
        }
        var status = 0
        fr_getinfo_long(easy, CURLINFO_HTTP_CONNECTCODE, &status)
        return switch status {
        // RFC 9110 §15.5.8
        case 407: .proxyCredentials
        case 300...: .proxy
        default: nil
        }
    }

    func failure(_ code: CURLcode, _ message: String, isTLS: Bool) -> TransportFailure {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            TransportFailure(.resolve, .notDelivered, message)
        case CURLE_COULDNT_CONNECT: TransportFailure(.connect, .notDelivered, message)
        case CURLE_OPERATION_TIMEDOUT: TransportFailure(.timeout(phase(isTLS: isTLS)), delivery, message)
        case CURLE_PARTIAL_FILE: TransportFailure(.truncated, delivery, message)
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            // A server of TLS 1.3 judges the client's certificate after the client has begun to send, and before it
            // reads any of that.
            Self.blamesClientCertificate(message)
                ? TransportFailure(.tls(.clientCertificate), .notDelivered, message)
                : TransportFailure(.reset, delivery, message)
        // What libcurl up to 8.5 says of a line of the header section that is longer than it takes, 100 kB.
        case CURLE_OUT_OF_MEMORY where delivery == .perhapsDelivered: Self.oversizedLine(delivery)
        // CURLE_TOO_LARGE of curl/curl.h, by which later versions say the same.
        case CURLcode(100): Self.oversizedLine(delivery)
        case CURLE_URL_MALFORMAT: TransportFailure(.invalidRequest, .notDelivered, message)
        default:
            if let reason = tlsReason(code, message) {
                TransportFailure(.tls(reason), .notDelivered, message)
            } else {
                TransportFailure(.protocolError, delivery, message)
            }
        }
    }

    private static func oversizedLine(_ delivery: TransportFailure.Delivery) -> TransportFailure {
        TransportFailure(
            .headersTooLarge(limit: 100 * 1024), delivery, "the response is larger than allowed")
    }

    private func tlsReason(_ code: CURLcode, _ message: String) -> TransportFailure.TLSReason? {
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION: verificationReason()
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CRL_BADFILE,
            CURLE_SSL_ENGINE_INITFAILED:
            .localSetup
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
            if Self.blamesVersion(message) {
                .version
            } else if Self.blamesClientCertificate(message) {
                .clientCertificate
            } else {
                Self.sawNoTLS(message) ? .plaintext : .handshake
            }
        default: nil
        }
    }

    // OpenSSL names the alerts of RFC 8446 §6.2 in these words; libcurl has no code for them.

    private static func blamesVersion(_ message: String) -> Bool {
        message.contains("alert protocol version") || message.contains("unsupported protocol")
    }

    /// The first bytes of plain HTTP, read as the header of a record.
    private static func sawNoTLS(_ message: String) -> Bool { message.contains("wrong version number") }

    private static func blamesClientCertificate(_ message: String) -> Bool {
        [
            "alert certificate required", "alert bad certificate", "alert unsupported certificate",
            "alert certificate revoked", "alert certificate expired", "alert certificate unknown",
            "alert unknown ca",
        ].contains { message.contains($0) }
    }

    /// OpenSSL's verdict on the chain; libcurl compares the host's name itself before it asks for that, and
    /// then leaves the verdict at 1, "unspecified".
    private func verificationReason() -> TransportFailure.TLSReason {
        var verdict = 0
        fr_getinfo_long(easy, CURLINFO_SSL_VERIFYRESULT, &verdict)
        return switch verdict {
        case 0, 1: .wrongHost
        // X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED of openssl/x509_vfy.h.
        case 9: .notYetValid
        case 10: .expired
        default: .untrusted
        }
    }

    /// libcurl counts microseconds from the beginning, and 0 for what was not needed.
    var phases: ExchangePhases {
        let items = [
            CURLINFO_NAMELOOKUP_TIME_T, CURLINFO_CONNECT_TIME_T, CURLINFO_APPCONNECT_TIME_T,
            CURLINFO_STARTTRANSFER_TIME_T,
        ]
        var ends: [Int64] = []
        for item in items { ends.append(max(ends.last ?? 0, Int64(count(item)) / 1000)) }
        return ExchangePhases(resolved: ends[0], connected: ends[1], secured: ends[2], answered: ends[3])
    }

    private func phase(isTLS: Bool) -> TransportFailure.Phase {
        if count(CURLINFO_PRETRANSFER_TIME_T) > 0 { return delivery == .notDelivered ? .send : .response }
        if count(CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolve }
        return isTLS && count(CURLINFO_CONNECT_TIME_T) > 0 ? .tls : .connect
    }

    private func count(_ item: CURLINFO) -> Int {
        var value: curl_off_t = 0
        fr_getinfo_off(easy, item, &value)
        return Int(value)
    }
}
