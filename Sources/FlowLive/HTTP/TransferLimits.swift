package import OAuthProtocol

/// The bounds of one HTTP transfer; every transfer has all of them.
package struct TransferLimits: Sendable, Hashable {
    /// Whole transfer: name resolution, connection, TLS, request and response.
    package var timeoutMilliseconds: Int
    /// Name resolution, connection and TLS.
    package var connectTimeoutMilliseconds: Int
    /// A transfer slower than `lowSpeedBytesPerSecond` for this many seconds ends as a timeout.
    static let lowSpeedSeconds = 20
    static let lowSpeedBytesPerSecond = 1
    /// Counted as the bytes arrive, whatever Content-Length says.
    package var maxBodyBytes: Int
    /// Status line and header fields of the response together, interim responses included.
    package var maxHeaderBytes: Int
    /// What the connection must satisfy; `nil` for what every connection must.
    package var policy: ConnectionPolicy?
    /// Which addresses the host may have; through a proxy only those that the URL itself names are judged.
    package var reach: AddressReach

    /// 30 s in all, a third of it for connecting, 1 MiB of body, 64 KiB of header fields.
    package static let standard = TransferLimits()

    package init(
        timeoutMilliseconds: Int = 30_000, connectTimeoutMilliseconds: Int = 10_000,
        maxBodyBytes: Int = 1 << 20, maxHeaderBytes: Int = 64 << 10,
        policy: ConnectionPolicy? = nil, reach: AddressReach = .declared
    ) {
        self.timeoutMilliseconds = timeoutMilliseconds
        self.connectTimeoutMilliseconds = connectTimeoutMilliseconds
        self.maxBodyBytes = maxBodyBytes
        self.maxHeaderBytes = maxHeaderBytes
        self.policy = policy
        self.reach = reach
    }
}
