internal import OAuthProtocol

/// What a step finds out, for the trace; what of it bears on security becomes an event here and nowhere else.
extension Registers {
    /// Notes the verdicts of the checks of one answer.
    mutating func note(_ log: CheckLog) {
        notes.add(.checks(log.results))
        for result in log.results {
            if let event = SecurityEvent(of: result, host: peer.host) { notes.add(event) }
        }
    }

    /// Compares the scope of a token response with what was asked for; that they differ is no failure.
    ///
    /// - Parameter isRenewal: Whether all that a session could do was asked for again: nobody has wanted less.
    mutating func compareScope(
        granted: [String]?, asked: [String], isRenewal: Bool = false, log: inout CheckLog
    ) {
        let change = ScopeChange.of(granted: granted, asked: asked, log: &log)
        guard !change.isEmpty else { return }
        let evidence = [("not granted", change.missing), ("granted unasked", change.added)].filter {
            !$0.1.isEmpty
        }
        let isNarrower = isRenewal && !change.missing.isEmpty
        notes.add(
            SecurityEvent(
                isNarrower ? .warning : .info, .allowed, Checks.scopeChange, host: peer.host,
                isNarrower
                    ? "the renewed session can do less than before, as some servers make it once a token for less "
                        + "was asked for; refresh: {narrow: false} in the provider file prevents that"
                    : "the server has granted another scope than was asked for",
                evidence: evidence.map { .init($0.0, $0.1.joined(separator: " ")) }))
    }

    /// Notes whom the step asks next, and that a request goes out without TLS, as it may to this very machine.
    ///
    /// Metadata and keys are fetched for the sake of another answer, so they leave the peer as it is.
    mutating func turn(to url: String, _ purpose: HTTPExchange.Purpose?) {
        asked = purpose
        // A rehearsal names endpoints that only the provider knows.
        guard let url = try? EndpointURL(url, allowLoopbackHTTP: true) else { return }
        if purpose != .discovery, purpose != .jwks { peer = Peer(host: url.hostName, purpose: purpose) }
        guard url.scheme == "http" else { return }
        notes.add(
            SecurityEvent(
                .info, .allowed, Checks.plainHTTP, host: url.hostName,
                "requests to this machine itself go without TLS"))
    }

    /// Notes a redirect that is not followed; an `http` step reads any status itself.
    mutating func noteRedirect(of response: HTTPResponse) {
        guard response.isRedirect, peer.purpose != .http else { return }
        // Only the host is told: the rest may bear anything.
        let location = response.field("Location")
        let target = location.flatMap { try? EndpointURL($0, allowLoopbackHTTP: true) }
        let isRelative = location?.hasPrefix("/") == true && location?.hasPrefix("//") == false
        let isSameHost = isRelative || target != nil && target?.hostName == peer.host
        let place = isSameHost ? "another address of the same host" : target?.host ?? "another place"
        var log = CheckLog()
        _ = log.failure(
            Checks.redirect, expected: "an answer of \(peer.host ?? "the server")",
            actual: "\(response.status) to \(place)")
        note(log)
    }
}
