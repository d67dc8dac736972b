/// Where a server's metadata is published.
package enum Discovery {
    /// The requests to try, in this order.
    ///
    /// With a `metadataURL` it alone; otherwise the location of OIDC Discovery §4, then that of RFC 8414 §3, then for an
    /// issuer with a path the one that RFC 8414 §5 makes of both.
    /// The answers are never mixed: the first that is a success is the one to validate.
    package static func plans(issuer: String, metadataURL: String?) -> [RequestPlan] {
        if let metadataURL { return [plan(metadataURL, "RFC 8414 §3")] }
        // "any terminating / MUST be removed" (OIDC Discovery §4.1, RFC 8414 §3.1).
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let (appended, second) = (base + openID, inserted(openID, into: base))
        let places = [
            (appended, "OIDC Discovery §4.1"),
            (inserted("/.well-known/oauth-authorization-server", into: base), "RFC 8414 §3.1"),
        ]
        return (appended == second ? places : places + [(second, "RFC 8414 §5")]).map(plan)
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

    private static let openID = "/.well-known/openid-configuration"

    /// The well-known part goes between host and path (RFC 8414 §3.1); what is no issuer may have a query too, and of a
    /// path that is nothing but a slash nothing stays (RFC 9728 §3.1).
    static func inserted(_ wellKnown: String, into identifier: String) -> String {
        guard let scheme = identifier.firstRange(of: "://"),
            let end = identifier[scheme.upperBound...].firstIndex(where: { $0 == "/" || $0 == "?" })
        else { return identifier + wellKnown }
        let rest = identifier[end...]
        let isSlash = rest == "/" || rest.hasPrefix("/?")
        return identifier[..<end] + wellKnown + (isSlash ? rest.dropFirst() : rest)
    }
}
