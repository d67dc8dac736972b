internal import CCurl
internal import OAuthProtocol

/// One libcurl handle with the memory of one transfer; used again for later transfers.
///
/// Confined to its loop's thread, except `number`, which only names a use of it.
final class CurlTransfer: @unchecked Sendable {  // confined to the loop thread
    let easy: UnsafeMutableRawPointer
    /// Which use of this object a cancellation means.
    var number: UInt64 = 0
    var continuation: UnsafeContinuation<Result<HTTPResponse, TransportFailure>, Never>?
    var response = ResponseReader()

    private let configuration: TransportConfiguration
    private var headers = HeaderList()
    private var bodyMemory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 1)
    private var bodyCount = 0
    private var mayHaveEffect = false
    /// A second sending of a POST was refused.
    private var wasStopped = false
    private var appliedLimits: TransferLimits?
    private var appliedTarget: RequestTarget?
    private let errorText = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    init?(_ configuration: TransportConfiguration) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.configuration = configuration
        applyPolicy()
    }

    deinit {
        curl_easy_cleanup(easy)
        bodyMemory.deallocate()
        errorText.deallocate()
    }

    /// Takes a request; `nil` when libcurl may begin with it.
    func prepare(_ request: HTTPRequest, _ limits: TransferLimits) -> TransportFailure? {
        guard let target = RequestTarget(request.url) else { return Self.refused("the URL is not allowed") }
        guard target.scheme == .https || target.isLoopback else {
            return Self.refused("http is only allowed for loopback addresses")
        }
        guard headers.fill(request.fields, hasBody: Self.sendsBody(request)) else {
            return Self.refused("a header field holds a character that is not allowed")
        }
        errorText[0] = 0
        apply(target)
        apply(limits)
        applyMessage(request)
        response.begin(limits)
        return nil
    }

    private static func refused(_ message: String) -> TransportFailure {
        TransportFailure(.invalidRequest, .notDelivered, message)
    }

    /// Forgets the request's bytes, which may be credentials.
    func finish() {
        UnsafeMutableRawBufferPointer(rebasing: bodyMemory[..<bodyCount])
            .initializeMemory(as: UInt8.self, repeating: 0)
        continuation = nil
        number &+= 1
    }

    /// What is known when libcurl gave up with `code`.
    func outcome(_ code: CURLcode) -> Result<HTTPResponse, TransportFailure> {
        guard code == CURLE_OK else { return .failure(failure(code)) }
        var status = 0
        fr_getinfo_long(easy, CURLINFO_RESPONSE_CODE, &status)
        return .success(response.take(status: status))
    }

    /// What is known when the transfer is given up.
    func cancellation() -> TransportFailure {
        TransportFailure(
            .cancelled, CurlProgress(easy, bodyCount: bodyCount).delivery, "the request was cancelled")
    }

    private func failure(_ code: CURLcode) -> TransportFailure {
        let text = errorText.baseAddress.flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
        let message = text ?? String(cString: curl_easy_strerror(code))
        let progress = CurlProgress(easy, bodyCount: bodyCount)
        if let excess = response.excess {
            return TransportFailure(excess, .perhapsDelivered, "the response is larger than allowed")
        }
        if wasStopped {
            // Bytes had gone out on a reused connection that then ended; whether they arrived is not known.
            return TransportFailure(
                .reset, .perhapsDelivered, "the connection ended after the request was sent")
        }
        return progress.failure(code, message, isTLS: appliedTarget?.scheme == .https)
    }

    /// Decides whether libcurl may send the request on the connection it has.
    ///
    /// libcurl sends again by itself when a reused connection turns out to be dead. A POST, or any other but
    /// GET and HEAD, may have had its effect by then, so it is stopped once a byte of it has gone out.
    fileprivate func mayBeSent() -> Bool {
        wasStopped = mayHaveEffect && CurlProgress(easy, bodyCount: 0).delivery == .perhapsDelivered
        return !wasStopped
    }
}

extension CurlTransfer {
    /// Sets what no request changes.
    private func applyPolicy() {
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
        set(CURLOPT_USERAGENT, configuration.userAgent)
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
        fr_setopt_pointer(easy, CURLOPT_PRIVATE, me)
        fr_setopt_pointer(easy, CURLOPT_ERRORBUFFER, errorText.baseAddress)
    }

    /// Both set at once would keep libcurl from caching the authorities: 15 ms for each connection.
    private func applyTrust(_ file: CURLoption, _ directory: CURLoption) {
        fr_setopt_string(easy, file, configuration.caFile)
        fr_setopt_string(easy, directory, configuration.caFile == nil ? configuration.caDirectory : nil)
    }

    private func apply(_ target: RequestTarget) {
        guard target != appliedTarget else { return }
        appliedTarget = target
        set(CURLOPT_PROTOCOLS_STR, target.scheme == .http ? "http,https" : "https")
        // An empty text, unlike none, keeps libcurl from reading the environment.
        set(CURLOPT_PROXY, target.isLoopback ? "" : configuration.proxy ?? "")
        set(CURLOPT_NOPROXY, configuration.noProxy ?? "")
    }

    private func apply(_ limits: TransferLimits) {
        guard limits != appliedLimits else { return }
        appliedLimits = limits
        set(CURLOPT_TIMEOUT_MS, max(1, limits.timeoutMilliseconds))
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, limits.connectTimeoutMilliseconds))
        set(CURLOPT_LOW_SPEED_LIMIT, limits.lowSpeedBytesPerSecond)
        set(CURLOPT_LOW_SPEED_TIME, limits.lowSpeedSeconds)
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

    private func set(_ option: CURLoption, _ value: Int) { fr_setopt_long(easy, option, value) }
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

private func beforeSending(
    _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?,
    _ local: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    guard let context else { return CURL_PREREQFUNC_ABORT }
    return transfer(context).mayBeSent() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
