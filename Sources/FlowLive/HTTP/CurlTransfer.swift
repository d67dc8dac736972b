internal import CCurl
internal import OAuthProtocol

/// One libcurl handle with the memory of one transfer; used again for later transfers.
///
/// Confined to its loop's thread, except `number`, which only names a use of it.
final class CurlTransfer: @unchecked Sendable {  // confined to the loop thread
    let easy: UnsafeMutableRawPointer
    /// Which use of this object a cancellation means.
    var number: UInt64 = 0
    var continuation: UnsafeContinuation<TransportReport, Never>?
    var response = ResponseReader()
    /// Where it belongs, which holds it while it is idle.
    unowned let pool: TransferPool
    /// The host as TLS names it: in lower case, without brackets or a final dot; empty without a policy.
    private(set) var host = ""
    private(set) var isProxied = false

    private var configuration: TransportConfiguration { pool.configuration }
    private var headers = HeaderList()
    private var bodyMemory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 1)
    private var bodyCount = 0
    private var mayHaveEffect = false
    private var sent = SentRequest()
    /// A second sending of a POST was refused.
    private var wasStopped = false
    private var appliedLimits: TransferLimits?
    private var appliedRoute: Route?
    var reach = AddressReach.declared
    /// What the policy or the reach has refused of this transfer.
    var refusal: TransportFailure.Kind?
    var events: [SecurityEvent] = []
    private let errorText = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// What of a target changes settings.
    private struct Route: Equatable {
        let scheme: RequestTarget.Scheme
        let isProxied: Bool
    }

    init?(_ pool: TransferPool) {
        guard let easy = fr_easy_init() else { return nil }
        self.easy = easy
        self.pool = pool
        applyRules()
        if let policy = pool.policy { apply(policy) }
    }

    deinit {
        fr_easy_cleanup(easy)
        bodyMemory.deallocate()
        errorText.deallocate()
    }

    /// Takes a request; `nil` when libcurl may begin with it.
    func prepare(_ request: HTTPRequest, _ limits: TransferLimits) -> TransportReport? {
        guard let target = RequestTarget(request.url) else { return Self.refused("the URL is not allowed") }
        guard target.scheme == .https || target.isLoopback else {
            return Self.refused("http is only allowed for loopback addresses")
        }
        guard headers.fill(request.fields, hasBody: Self.sendsBody(request)) else {
            return Self.refused("a header field holds a character that is not allowed")
        }
        errorText[0] = 0
        (refusal, events, reach) = (nil, [], limits.reach)
        apply(target)
        if isProxied, let kind = literalAddress(target), !reach.allows(kind) {
            let host = String(target.host)
            let failure = refusedAddress(kind, of: host)
            return TransportReport(
                .failure(failure), events: [SecurityEvent(of: failure, host: host)].compactMap(\.self))
        }
        apply(limits)
        applyMessage(request)
        response.begin(limits)
        return nil
    }

    private static func refused(_ message: String) -> TransportReport {
        TransportReport(.invalidRequest, message)
    }

    /// Forgets the request's bytes, which may be credentials.
    func finish() {
        UnsafeMutableRawBufferPointer(rebasing: bodyMemory[..<bodyCount])
            .initializeMemory(as: UInt8.self, repeating: 0)
        continuation = nil
        number &+= 1
    }

    /// What is known when libcurl gave up with `code`.
    func outcome(_ code: CURLcode) -> TransportReport {
        // What a coding that is not taken was decoded to, if to anything, is not looked at.
        let isForeign =
            code == CURLE_OK && response.isForeign && CurlProgress(easy, bodyCount: 0, sent).hasBody
        guard code == CURLE_OK, !isForeign else {
            let failure = failure(isForeign ? CURLE_BAD_CONTENT_ENCODING : code)
            if let event = SecurityEvent(of: failure, host: shownHost) { events.append(event) }
            return TransportReport(.failure(failure), events: events)
        }
        var status = 0
        fr_getinfo_long(easy, CURLINFO_RESPONSE_CODE, &status)
        return TransportReport(
            .success(response.take(status: status)),
            events: pool.policy == nil ? [] : events + pool.events(of: host),
            phases: CurlProgress(easy, bodyCount: bodyCount, sent).phases)
    }

    /// What is known when the transfer is given up.
    func cancellation() -> TransportFailure {
        TransportFailure(
            .cancelled, CurlProgress(easy, bodyCount: bodyCount, sent).delivery, "the request was cancelled")
    }

    private func failure(_ code: CURLcode) -> TransportFailure {
        let text = errorText.baseAddress.flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
        let words = text ?? String(cString: fr_easy_strerror(code))
        let message = pool.proxy?.cleaned(words) ?? words
        if let refusal, let failure = refused(refusal, code) { return failure }
        let progress = CurlProgress(easy, bodyCount: bodyCount, sent)
        // libcurl names a coding that it does not know, and one that is not what it is said to be, by one code.
        if let refusal = response.refusal ?? (code == CURLE_BAD_CONTENT_ENCODING ? .compressed : nil) {
            return TransportFailure(refusal, .perhapsDelivered, Self.words(for: refusal))
        }
        if wasStopped {
            // Bytes had gone out on a reused connection that then ended; whether they arrived is not known.
            return TransportFailure(
                .reset, .perhapsDelivered, "the connection ended after the request was sent")
        }
        if isProxied, let fault = progress.proxyFault(code) {
            return TransportFailure(fault, .notDelivered, message)
        }
        // In its other words libcurl names the server.
        let isLate = code == CURLE_OPERATION_TIMEDOUT
        return progress.failure(
            code, isLate ? "\(message) (\(shownServer))" : message, isTLS: appliedRoute?.scheme == .https)
    }

    /// What is wrong with a response that was not read to its end.
    private static func words(for refusal: TransportFailure.Kind) -> String {
        switch refusal {
        case .compressed: "the response is compressed in a way that cannot be undone"
        case .protocolError: "the response gives several lengths for its body, or one that is no number"
        default: "the response is larger than allowed"
        }
    }

    /// Decides whether libcurl may send the request on the connection it has.
    ///
    /// libcurl sends again by itself when a reused connection turns out to be dead. A POST, or any other but
    /// GET and HEAD, may have had its effect by then, so it is stopped once a byte of it has gone out.
    ///
    /// A connection that another request opened may lead where this one must not go.
    ///
    /// - Parameter remote: The address of the peer.
    fileprivate func mayBeSent(to remote: UnsafePointer<CChar>?) -> Bool {
        if reach != .declared, !isProxied {
            let kind = remote.flatMap { SocketAddress.read($0) }?.kind ?? .unusable
            guard reach.allows(kind) else {
                refusal = .address(kind)
                return false
            }
        }
        let progress = CurlProgress(easy, bodyCount: 0, sent)
        wasStopped = mayHaveEffect && progress.delivery == .perhapsDelivered
        sent.requestBegins(at: progress.headerBytes)
        return !wasStopped
    }

    fileprivate func connectionOpens() {
        sent.connectionOpens(at: CurlProgress(easy, bodyCount: 0, sent).headerBytes)
    }
}

extension CurlTransfer {
    /// Sets what no request changes.
    private func applyRules() {
        let me = Unmanaged.passUnretained(self).toOpaque()
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_REDIR_PROTOCOLS_STR, "")
        set(CURLOPT_UNRESTRICTED_AUTH, 0)
        set(CURLOPT_AUTOREFERER, 0)
        set(CURLOPT_NETRC, 0)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // HTTP/2 would let libcurl send a request again that the server refused, and costs more CPU.
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_USERAGENT, TransportConfiguration.userAgent)
        // Some servers compress whatever they are asked: libcurl decodes that, and the header list keeps it from
        // asking for it.
        set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
        for (peer, host, version) in [
            (CURLOPT_SSL_VERIFYPEER, CURLOPT_SSL_VERIFYHOST, CURLOPT_SSLVERSION),
            (CURLOPT_PROXY_SSL_VERIFYPEER, CURLOPT_PROXY_SSL_VERIFYHOST, CURLOPT_PROXY_SSLVERSION),
        ] {
            set(peer, 1)
            set(host, 2)
            set(version, Int(CURL_SSLVERSION_TLSv1_2))
        }
        applyTrust(CURLOPT_CAINFO, CURLOPT_CAPATH)
        applyTrust(CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH)
        fr_setopt_write(easy, CURLOPT_WRITEFUNCTION, receiveBody)
        fr_setopt_pointer(easy, CURLOPT_WRITEDATA, me)
        fr_setopt_write(easy, CURLOPT_HEADERFUNCTION, receiveHeader)
        fr_setopt_pointer(easy, CURLOPT_HEADERDATA, me)
        fr_setopt_prereq(easy, beforeSending)
        fr_setopt_pointer(easy, CURLOPT_PREREQDATA, me)
        fr_setopt_opensocket(easy, openSocket)
        fr_setopt_pointer(easy, CURLOPT_OPENSOCKETDATA, me)
        fr_setopt_pointer(easy, CURLOPT_PRIVATE, me)
        fr_setopt_pointer(easy, CURLOPT_ERRORBUFFER, errorText.baseAddress)
    }

    /// Both set at once would keep libcurl from caching the authorities: 15 ms for each connection.
    private func applyTrust(_ file: CURLoption, _ directory: CURLoption) {
        fr_setopt_string(easy, file, configuration.caFile)
        fr_setopt_string(easy, directory, configuration.caFile == nil ? configuration.caDirectory : nil)
    }

    private func apply(_ target: RequestTarget) {
        isProxied = !target.isLoopback && pool.proxy?.covers(target.host) == true
        if pool.policy != nil {
            host = target.host.lowercased()
            if host.hasSuffix(".") { host.removeLast() }
        }
        let route = Route(scheme: target.scheme, isProxied: isProxied)
        guard route != appliedRoute else { return }
        appliedRoute = route
        set(CURLOPT_PROTOCOLS_STR, target.scheme == .http ? "http,https" : "https")
        // An empty text, unlike none, keeps libcurl from reading the environment.
        set(CURLOPT_PROXY, isProxied ? configuration.proxy ?? "" : "")
        set(CURLOPT_NOPROXY, "")
    }

    private func apply(_ limits: TransferLimits) {
        guard limits != appliedLimits else { return }
        appliedLimits = limits
        set(CURLOPT_TIMEOUT_MS, max(1, limits.timeoutMilliseconds))
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, limits.connectTimeoutMilliseconds))
        set(CURLOPT_LOW_SPEED_LIMIT, TransferLimits.lowSpeedBytesPerSecond)
        set(CURLOPT_LOW_SPEED_TIME, TransferLimits.lowSpeedSeconds)
    }

    private static func sendsBody(_ request: HTTPRequest) -> Bool {
        switch request.method {
        case .get, .head: false
        case .post, .put, .patch: true
        case .delete: request.body != nil
        }
    }

    private func applyMessage(_ request: HTTPRequest) {
        set(CURLOPT_URL, request.url)
        bodyCount = 0
        mayHaveEffect = request.method != .get && request.method != .head
        wasStopped = false
        sent = SentRequest()
        // What a HEAD has set stays on the handle, and no body would be sent by those that follow.
        set(CURLOPT_NOBODY, 0)
        if Self.sendsBody(request) {
            keepBody(request.body ?? [])
            fr_setopt_off(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bodyCount))
            fr_setopt_pointer(easy, CURLOPT_POSTFIELDS, bodyMemory.baseAddress)
        } else {
            set(CURLOPT_HTTPGET, 1)
        }
        switch request.method {
        case .get, .post: fr_setopt_string(easy, CURLOPT_CUSTOMREQUEST, nil)
        case .head: set(CURLOPT_NOBODY, 1)
        case .put, .patch, .delete: fr_setopt_string(easy, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
        headers.withList { _ = fr_setopt_pointer(easy, CURLOPT_HTTPHEADER, $0) }
    }

    /// Copies the body to where libcurl reads it until the transfer ends.
    private func keepBody(_ bytes: [UInt8]) {
        if bytes.count > bodyMemory.count {
            bodyMemory.deallocate()
            bodyMemory = .allocate(byteCount: bytes.count, alignment: 1)
        }
        bodyMemory.copyBytes(from: bytes)
        bodyCount = bytes.count
    }

    func set(_ option: CURLoption, _ value: Int) { fr_setopt_long(easy, option, value) }
    private func set(_ option: CURLoption, _ value: String) { fr_setopt_string(easy, option, value) }
}

private func transfer(_ context: UnsafeMutableRawPointer) -> CurlTransfer {
    Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
}

private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    return transfer(context).response.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

private func receiveHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    return transfer(context).response.receiveLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

private func openSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address else { return curl_socket_t(CURL_SOCKET_BAD) }
    transfer(context).connectionOpens()
    return transfer(context).socket(for: address)
}

private func beforeSending(
    _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?,
    _ local: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    guard let context else { return CURL_PREREQFUNC_ABORT }
    return transfer(context).mayBeSent(to: remote) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
