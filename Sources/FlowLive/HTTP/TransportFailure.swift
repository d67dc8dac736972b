/// Why a request has no response, and what is known about its delivery.
package struct TransportFailure: Error, Sendable, Hashable {
    /// Whether the server can have acted on the request.
    package enum Delivery: Sendable, Hashable {
        /// It cannot: the request never left, or not all of it.
        case notDelivered
        /// It can: the whole request was written.
        case perhapsDelivered
    }

    /// The part of a transfer in which the time was up.
    package enum Phase: String, Sendable, Hashable {
        case resolve, connect, tls, send, response
    }

    /// Why TLS was not established.
    package enum TLSReason: Sendable, Hashable {
        /// No trusted authority issued the certificate; a self-signed one is the usual case.
        case untrusted
        case expired
        case notYetValid
        /// The certificate names another host.
        case wrongHost
        /// The local authorities file or another local setting cannot be used.
        case localSetup
        /// Everything else: no common version, a client certificate demanded, a broken peer.
        case handshake
    }

    package enum Kind: Sendable, Hashable {
        case resolve
        case connect
        case tls(TLSReason)
        case timeout(Phase)
        /// The connection ended before a response began or while it came.
        case reset
        /// The body ended before its announced length.
        case truncated
        case bodyTooLarge(limit: Int)
        case headersTooLarge(limit: Int)
        /// What came is not HTTP.
        case protocolError
        /// The request itself cannot be sent: its URL or a field is not allowed.
        case invalidRequest
        case cancelled
    }

    package let delivery: Delivery
    package let kind: Kind
    /// For people: libcurl's words or ours; holds no part of the request but the host's name.
    package let message: String

    package init(_ kind: Kind, _ delivery: Delivery, _ message: String) {
        self.kind = kind
        self.delivery = delivery
        self.message = message
    }
}
