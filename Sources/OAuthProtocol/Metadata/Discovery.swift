/// Where a server's metadata is published.
package enum Discovery {
    /// The requests to try, in this order.
    ///
    /// With a `metadataURL` it alone; otherwise the location of OIDC Discovery §4, then that of RFC 8414 §3.
    /// The answers are never mixed: the first that is a success is the one to validate.
    package static func plans(issuer: String, metadataURL: String?) -> [RequestPlan] {
        if let metadataURL { return [plan(metadataURL, "RFC 8414 §3")] }
        return [
            plan(appended(to: issuer), "OIDC Discovery §4.1"),
            plan(
                inserted("/.well-known/oauth-authorization-server", into: issuer), "RFC 8414 §3.1"),
        ]
    }

    /// Whether an answer of that status says that nothing is published there: servers whose every path below some point is
    /// protected, or is an API's, say so with another status than 404.
    package static func isMissing(_ status: Int) -> Bool {
        (400..<500).contains(status) && status != 408 && status != 429
    }

    static func plan(_ url: String, _ reference: String) -> RequestPlan {
        RequestPlan(
            method: .get, endpoint: url,
            fields: [RequestParameter("Accept", .text("application/json"), .specification, reference)])
    }

    /// "any terminating / MUST be removed before appending" (OIDC Discovery §4.1).
    private static func appended(to issuer: String) -> String {
        withoutSlash(issuer[...]) + "/.well-known/openid-configuration"
    }

    /// The well-known part goes between host and path (RFC 8414 §3.1).
    static func inserted(_ wellKnown: String, into issuer: String) -> String {
        guard let scheme = issuer.firstRange(of: "://"),
            let slash = issuer[scheme.upperBound...].firstIndex(of: "/")
        else { return issuer + wellKnown }
        return String(issuer[..<slash]) + wellKnown + withoutSlash(issuer[slash...])
    }

    private static func withoutSlash(_ text: Substring) -> String {
        String(text.last == "/" ? text.dropLast() : text)
    }
}
