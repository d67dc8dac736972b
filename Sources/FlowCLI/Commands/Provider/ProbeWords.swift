internal import FlowLive
internal import OAuthProtocol

/// A failed question to a provider, in words.
extension ProbeFailure {
    var status: ExitStatus {
        switch self {
        case .transport(let failure): Self.status(failure.kind)
        case .answer(.failed, _): .security
        case .answer(.rejected, _), .answer(.malformed, _), .answer(.status, _): .provider
        }
    }

    /// Lower case, without a full stop.
    var words: String {
        switch self {
        case .transport(let failure): return failure.message
        case .answer(.status(let status), let url): return "\(url) answers \(status)"
        case .answer(.malformed(let what, let detail), let url): return "\(url) is no \(what): \(detail)"
        case .answer(.rejected(let error, _), let url): return "\(url) answers \(error.code)"
        case .answer(.failed(let check, let expected, let actual), let url):
            return "\(url) fails the check \(check.name): expected \(expected), got \(actual)"
        }
    }

    var fix: String? {
        switch self {
        case .transport(let failure): Self.fix(failure.kind)
        case .answer(.failed(Checks.metadataIssuer, _, let actual), _)
        where EndpointURL.check(actual, allowLoopbackHTTP: true) == nil:
            "if the provider is right, its issuer is \(actual)"
        case .answer(.failed(Checks.protectedResource, _, let actual), _)
        where EndpointURL.check(actual, allowLoopbackHTTP: true) == nil:
            "if it is right, tokens are for \(actual): flowrun provider discover \(actual)"
        case .answer(.status(let status), _) where status == 429 || status >= 500:
            "the server has a problem of its own: wait a while, then try again"
        case .answer(.status(let status), _) where (300..<400).contains(status):
            "nobody follows a redirect: " + Self.otherPlace
        case .answer(.status, _): Self.otherPlace
        case .answer(.failed(Checks.metadataIssuer, _, _), _):
            "metadata without an issuer cannot be used (RFC 8414 §2): write the endpoints into a provider file"
        case .answer(.malformed, _): "a page or a proxy may have answered: " + Self.otherPlace
        case .answer(.failed, _), .answer(.rejected, _): nil
        }
    }

    private static let otherPlace =
        "correct the issuer, or say where the metadata is: server_metadata_url (--metadata-url); "
        + "where it publishes none, write its endpoints into a provider file"

    /// A rule refused the connection, an answer came that nobody can use, or none came.
    private static func status(_ kind: TransportFailure.Kind) -> ExitStatus {
        switch kind {
        case .policy, .address: .security
        case .bodyTooLarge, .headersTooLarge, .compressed, .protocolError: .provider
        case .unprepared: .local
        case .resolve, .connect, .proxy, .proxyCredentials, .tls, .timeout, .reset, .truncated,
            .invalidRequest, .cancelled:
            .network
        }
    }

    private static func fix(_ kind: TransportFailure.Kind) -> String? {
        switch kind {
        case .resolve: "check the name of the host and this machine's DNS"
        case .unprepared: "flowrun doctor looks at it"
        case .proxy: "check the proxy (https_proxy), or leave the host out of it (no_proxy)"
        case .proxyCredentials: "write them into its address: https_proxy=http://USER:PASSWORD@PROXY:PORT"
        case .connect, .timeout: "check network, proxy (https_proxy) and firewall"
        case .tls(.untrusted): "give its certificate authority with --cacert FILE"
        case .tls(.expired), .tls(.notYetValid):
            "compare `date -u` with the real time; else the certificate is bad"
        case .tls(.localSetup): "check --cacert, SSL_CERT_FILE and SSL_CERT_DIR"
        case .policy: "compare with what the host shows now: flowrun provider pins NAME"
        case .address: "an address in a private network must be written in the provider file"
        case .tls(.version): "the provider file asks for more than the server has: tls.min_version"
        case .tls(.clientCertificate):
            "give certificate and certificate_key in the registration; metadata and keys are asked for without"
        case .tls(.plaintext): "compare the port with that of https; on this machine http:// will do"
        case .tls(.handshake), .reset, .truncated: "try again; if it repeats, look at the proxy (https_proxy)"
        case .bodyTooLarge, .headersTooLarge: "what answers there is hardly a provider: compare the address"
        case .tls(.wrongHost): "the server goes by another name, or another one answered: compare the address"
        case .compressed, .protocolError, .invalidRequest, .cancelled: nil
        }
    }
}
