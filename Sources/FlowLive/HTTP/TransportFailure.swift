package import FlowEngine
package import OAuthProtocol

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
        /// The server speaks no version of TLS that is allowed.
        case version
        /// What answers speaks something else than TLS.
        case plaintext
        /// The server wants a client certificate, or another one.
        case clientCertificate
        /// Everything else, such as a broken peer.
        case handshake
    }

    package enum Kind: Sendable, Hashable {
        case resolve
        case connect
        /// Nothing can be sent: libcurl, or what it needs of this machine, cannot be had.
        case unprepared
        /// The proxy cannot be reached, or does not let the connection through.
        case proxy
        /// The proxy wants credentials, or other ones.
        case proxyCredentials
        case tls(TLSReason)
        /// The connection breaks a rule of its policy.
        case policy(TLSVerdict.Rule)
        /// The host has only addresses of this kind, to which the request must not go.
        case address(NetworkAddress.Kind)
        case timeout(Phase)
        /// The connection ended before a response began or while it came.
        case reset
        /// The body ended before its announced length.
        case truncated
        case bodyTooLarge(limit: Int)
        case headersTooLarge(limit: Int)
        /// The body is compressed in another way than gzip or deflate, twice, or not in the way that it says.
        case compressed
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

/// What came of one transfer.
package struct TransportReport: Sendable {
    package let result: Result<HTTPResponse, TransportFailure>
    /// What its connection gives rise to, good or bad.
    package let events: [SecurityEvent]
    /// Where the time of an answered request went.
    package let phases: ExchangePhases?

    init(
        _ result: Result<HTTPResponse, TransportFailure>, events: [SecurityEvent] = [],
        phases: ExchangePhases? = nil
    ) {
        self.result = result
        self.events = events
        self.phases = phases
    }

    init(_ kind: TransportFailure.Kind, _ message: String) {
        self.init(.failure(TransportFailure(kind, .notDelivered, message)))
    }
}
