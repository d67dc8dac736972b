/// What sets the connections of one provider apart: its TLS policy and the client's certificate.
///
/// Connections of different policies are never exchanged. A class, so that a request that names its policy copies
/// nothing; two with the same content are equal.
package final class ConnectionPolicy: Sendable, Hashable {
    package let tls: TLSPolicy
    package let certificate: ClientCertificate?
    private let hash: Int

    package init(tls: TLSPolicy = TLSPolicy(), certificate: ClientCertificate? = nil) {
        self.tls = tls
        self.certificate = certificate
        var hasher = Hasher()
        hasher.combine(tls)
        hasher.combine(certificate)
        hash = hasher.finalize()
    }

    /// `nil` when it asks for nothing beyond what every connection has.
    package static func make(_ tls: TLSPolicy?, _ certificate: ClientCertificate?) -> ConnectionPolicy? {
        if tls == nil && certificate == nil { return nil }
        return ConnectionPolicy(tls: tls ?? TLSPolicy(), certificate: certificate)
    }

    package static func == (left: ConnectionPolicy, right: ConnectionPolicy) -> Bool {
        left === right
            || left.hash == right.hash && left.tls == right.tls && left.certificate == right.certificate
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
