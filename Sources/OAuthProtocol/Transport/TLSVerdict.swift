/// Whether a verified chain satisfies a policy, and what is to be said of it.
package struct TLSVerdict: Sendable, Hashable {
    /// Names of the rules in failures.
    package enum Rule: String, Sendable, Hashable {
        /// None of the host's pins is in the chain.
        case pin = "tls-pin"
        /// `pin_all`, and the host has no pins.
        case unlistedHost = "tls-unlisted-host"
        /// A pin runs out soon, or has.
        case pinExpiry = "tls-pin-expiry"
        /// The host's certificate runs out soon.
        case certificateExpiry = "tls-certificate-expiry"

        fileprivate var check: Check {
            switch self {
            case .pin: Check(162, "tls-pin", "RFC 7469 §2.6")
            case .unlistedHost: Check(162, "tls-unlisted-host", "RFC 7469 §2.6")
            case .pinExpiry: Check(162, "tls-pin-expiry", "RFC 7469 §2.6")
            case .certificateExpiry: Check(162, "tls-certificate-expiry", "RFC 5280 §4.1.2.5")
            }
        }
    }

    /// The rule that the chain breaks and that ends the connection.
    package private(set) var refusal: Rule?
    package private(set) var events: [SecurityEvent] = []

    /// - Parameters:
    ///   - chain: As verified, the host's own certificate first.
    ///   - host: In lower case, without brackets or a final dot.
    ///   - now: Milliseconds since 1970.
    package init(_ policy: TLSPolicy, chain: [CertificateSummary], host: String, now: Int64) {
        guard let set = policy.pins(for: host) else {
            if policy.pinsAll {
                refusal = .unlistedHost
                events.append(
                    SecurityEvent(
                        .critical, .refused, Rule.unlistedHost.check, host: host,
                        "the host has no pins and the descriptor's tls says pin_all: refused",
                        evidence: Self.presented(chain, .publicKey)))
            }
            return
        }
        let margin = Int64(policy.warningDays) * 86_400_000
        if margin > 0 { warn(set, chain, host, now, margin) }
        let isMatched = set.pins.contains { pin in
            pin.isValid(at: now) && Self.matches(pin, chain, set.strategy)
        }
        if !isMatched { fail(set, chain, host, now) }
    }

    private static func matches(
        _ pin: CertificatePin, _ chain: [CertificateSummary], _ strategy: TLSPolicy.Strategy
    ) -> Bool {
        switch strategy {
        case .publicKey: chain.first?.keyDigest == pin.digest
        case .certificate: chain.first?.digest == pin.digest
        case .chain: chain.contains { $0.keyDigest == pin.digest || $0.digest == pin.digest }
        }
    }

    private mutating func fail(
        _ set: TLSPolicy.PinSet, _ chain: [CertificateSummary], _ host: String, _ now: Int64
    ) {
        let expired = set.pins.filter { !$0.isValid(at: now) }
        let isStale = expired.contains { Self.matches($0, chain, set.strategy) }
        let why =
            isStale
            ? "the pin that would match has expired" : "the certificate matches none of the host's pins"
        if set.failure == .hard { refusal = .pin }
        events.append(
            SecurityEvent(
                .critical, set.failure == .hard ? .refused : .allowed, Rule.pin.check, host: host,
                why + (set.failure == .hard ? ": refused" : ": used all the same, since failure is soft"),
                evidence: [SecurityEvent.Evidence("strategy", set.strategy.rawValue)]
                    + set.pins.map { .init(expired.contains($0) ? "expired pin" : "expected", $0.text) }
                    + Self.presented(chain, set.strategy)))
    }

    /// What came, in the form in which it would be pinned.
    private static func presented(
        _ chain: [CertificateSummary], _ strategy: TLSPolicy.Strategy
    ) -> [SecurityEvent.Evidence] {
        let shown = strategy == .chain ? chain[...] : chain.prefix(1)
        return shown.flatMap { certificate in
            let pin = strategy == .certificate ? certificate.certificatePin : certificate.keyPin
            return [
                SecurityEvent.Evidence("presented", pin.text),
                SecurityEvent.Evidence("subject", certificate.subject),
                SecurityEvent.Evidence("issuer", certificate.issuer),
            ]
        }
    }

    private mutating func warn(
        _ set: TLSPolicy.PinSet, _ chain: [CertificateSummary], _ host: String, _ now: Int64, _ margin: Int64
    ) {
        for pin in set.pins {
            guard let end = pin.expiresAt, end - now < margin else { continue }
            events.append(
                SecurityEvent(
                    .warning, .allowed, Rule.pinExpiry.check, host: host,
                    now < end ? "a pin expires \(Self.span(end - now))" : "a pin has expired",
                    evidence: [SecurityEvent.Evidence("pin", pin.text)]))
        }
        if let leaf = chain.first, leaf.expiresAt - now < margin {
            events.append(
                SecurityEvent(
                    .warning, .allowed, Rule.certificateExpiry.check, host: host,
                    "the host's certificate expires \(Self.span(leaf.expiresAt - now))",
                    evidence: [
                        SecurityEvent.Evidence("subject", leaf.subject),
                        SecurityEvent.Evidence("presented", leaf.certificatePin.text),
                    ]))
        }
    }

    private static func span(_ milliseconds: Int64) -> String {
        let days = max(0, milliseconds) / 86_400_000
        return days == 0 ? "within a day" : days == 1 ? "in 1 day" : "in \(days) days"
    }
}
