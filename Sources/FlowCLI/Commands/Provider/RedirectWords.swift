internal import FlowLanguage

/// What a person must enter as redirect URI where the client is registered.
enum RedirectWords {
    /// - Parameter fixed: One that the registration has already.
    static func text(_ facts: RedirectFacts, fixed: String?) -> String {
        if let fixed { return fixed }
        guard facts.kinds.contains(.loopback) else {
            return "an address of your own; say it with --redirect-uri"
        }
        let hosts = facts.loopbackHosts
        guard let ports = facts.loopbackPorts else {
            let host = hosts.first ?? "127.0.0.1"
            let port =
                facts.saysAnyPort
                ? "with any port" : "any port; where the provider compares it: --redirect-uri with one"
            return "http://\(host)\(facts.loopbackPath)  (\(port))"
        }
        return hosts.flatMap { host in ports.map { "http://\(host):\($0)\(facts.loopbackPath)" } }
            .joined(separator: "  ")
    }
}
