internal import OAuthProtocol

/// Hosts as `allowed_hosts` names them: one, or with `*.` in front whatever lies below one.
package enum HostRule {
    /// `*.example.com` is what lies below, not `example.com` itself.
    package static func allows(_ host: String, _ rule: String) -> Bool {
        guard rule.hasPrefix("*.") else { return host.equalsIgnoringASCIICase(rule) }
        let suffix = String(rule.dropFirst())
        return host.utf8.count > suffix.utf8.count
            && String(decoding: host.utf8.suffix(suffix.utf8.count), as: UTF8.self)
                .equalsIgnoringASCIICase(suffix)
    }
}
