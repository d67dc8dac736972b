internal import OAuthProtocol

/// Connections: pins, and what is for clients with a certificate.
extension ProviderShape {
    static let aliases = endpoints.filter { ServerMetadataFields.aliasNames.contains($0.name) }.map {
        KeyShape($0.name, .endpoint, "in place of \($0.name)")
    }

    static let tls = [
        KeyShape(
            // Unquoted it is a number.
            "min_version", .scalar, "least version of TLS: 1.2 or 1.3", standard: "1.2"),
        KeyShape(
            "warn_days", .integer(0...3_650),
            "days before a pin or a certificate runs out in which every run warns; 0: never", standard: "30"),
        KeyShape(
            "pin_all", .bool, "whether a host without pins is refused", standard: "false"),
        KeyShape(
            "strategy", .word(TLSPolicy.Strategy.allCases.map(\.rawValue)),
            "what pins are compared with: the key of the host's certificate, that certificate, or key or certificate of any member of the verified chain",
            standard: "public_key"),
        KeyShape(
            "failure", .word(TLSPolicy.FailureMode.allCases.map(\.rawValue)),
            "what happens when no pin matches: hard: nothing is sent; soft: the run goes on with a critical security event",
            standard: "hard"),
        KeyShape("pins", .list(pinShape), "pins of every host that hosts does not name: one must match"),
        KeyShape(
            "hosts", .names(.named("host_pins", .keys(hostPins))),
            "pins by host; *.NAME is for names with one more label"),
    ]

    static let hostPins = [
        KeyShape(
            "strategy", .word(TLSPolicy.Strategy.allCases.map(\.rawValue)), "as in tls",
            standard: "that of tls"),
        KeyShape(
            "failure", .word(TLSPolicy.FailureMode.allCases.map(\.rawValue)), "as in tls",
            standard: "that of tls"),
        KeyShape("pins", .list(pinShape), "pins of the host: one must match", isRequired: true),
    ]

    static let pin = [
        KeyShape("pin", .matching(pinPattern), "the pin: sha256/ and Base64", isRequired: true),
        KeyShape("expires", .matching("^[0-9]{4}-[0-9]{2}-[0-9]{2}$"), "last day (UTC) on which it matches"),
    ]

    private static let pinPattern = "^sha256/[A-Za-z0-9+/]{43}=$"
    private static let pinShape = ValueShape.either([.matching(pinPattern), .keys(pin)])
}
