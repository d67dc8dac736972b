/// How one loop reaches and trusts its servers.
///
/// The environment is never read here: the caller hands in the proxy variables that it honours.
package struct TransportConfiguration: Sendable, Hashable {
    /// PEM file of the only certificate authorities to trust; `nil` trusts the system's.
    package var caFile: String?
    /// Directory of the system's authorities, hashed by name; read only when `caFile` is `nil`.
    package var caDirectory: String
    /// Proxy for https, as `https_proxy` gives it; never used for loopback hosts.
    package var proxy: String?
    /// Hosts reached without the proxy, as `no_proxy` gives them.
    package var noProxy: String?
    static let userAgent = "flowrun"
    /// Idle connections kept for reuse.
    static let idleConnections = 256

    package init(
        caFile: String? = nil, caDirectory: String = "/etc/ssl/certs", proxy: String? = nil,
        noProxy: String? = nil
    ) {
        self.caFile = caFile
        self.caDirectory = caDirectory
        self.proxy = proxy
        self.noProxy = noProxy
    }
}
