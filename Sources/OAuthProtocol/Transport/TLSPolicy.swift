/// What one provider's TLS connections must show beyond a trusted certificate for their host.
///
/// Pins come on top of the usual verification, never in its place, and nothing here is relaxed by itself: a pin
/// that has run out matches nothing.
package struct TLSPolicy: Sendable, Hashable {
    package enum Version: String, Sendable, Hashable, CaseIterable {
        case v1_2 = "1.2"
        case v1_3 = "1.3"
    }

    /// What the digests are compared with.
    package enum Strategy: String, Sendable, Hashable, CaseIterable {
        /// The public key of the host's own certificate: survives a renewal with the same key.
        case publicKey = "public_key"
        /// The host's own certificate.
        case certificate
        /// Key or certificate of any member of the verified chain, its root included.
        case chain
    }

    /// What becomes of a connection on which no pin matches.
    package enum FailureMode: String, Sendable, Hashable, CaseIterable {
        case hard
        /// It is used, and a critical security event says so.
        case soft
    }

    /// Pins of which one must match.
    package struct PinSet: Sendable, Hashable {
        package var strategy: Strategy
        package var failure: FailureMode
        package var pins: [CertificatePin]

        package init(
            strategy: Strategy = .publicKey, failure: FailureMode = .hard, pins: [CertificatePin]
        ) {
            self.strategy = strategy
            self.failure = failure
            self.pins = pins
        }
    }

    /// The pins of one host.
    package struct HostPins: Sendable, Hashable {
        /// In lower case: a name, an address, or `*.` and a name for all names with one more label.
        package let name: String
        package let pins: PinSet

        package init(name: String, pins: PinSet) {
            self.name = name
            self.pins = pins
        }

        /// Whether it is a pattern for names such as this one.
        func covers(_ host: String) -> Bool {
            name.hasPrefix("*.") && host.firstIndex(of: ".").map { host[$0...] == name.dropFirst() } ?? false
        }
    }

    package var minimumVersion: Version
    /// For every host that `hosts` does not name.
    package var pins: PinSet?
    package var hosts: [HostPins]
    /// Whether a host without pins is refused.
    package var pinsAll: Bool
    /// How many days before a pin or the host's certificate runs out a warning says so; 0 for never.
    package var warningDays: Int

    package init(
        minimumVersion: Version = .v1_2, pins: PinSet? = nil, hosts: [HostPins] = [], pinsAll: Bool = false,
        warningDays: Int = 30
    ) {
        self.minimumVersion = minimumVersion
        self.pins = pins
        self.hosts = hosts
        self.pinsAll = pinsAll
        self.warningDays = warningDays
    }

    /// The exact name before a pattern, a pattern before what holds for all.
    package func pins(for host: String) -> PinSet? {
        let own = hosts.first { $0.name == host } ?? hosts.first { $0.covers(host) }
        return own?.pins ?? pins
    }

    /// Whether certificates need to be looked at.
    package var pinsAnything: Bool { pins != nil || !hosts.isEmpty || pinsAll }
}
