internal import JOSE

/// An assertion about the client that somebody else issued (RFC 7521 §4.2): a build service or a cluster tells who the
/// program is, and the authorization server trusts its keys.
///
/// Only the server can verify it; here it is read, so that one that no server can take is not sent.
package struct IssuedAssertion: Sendable {
    package let issuer: String?
    package let subject: String?
    package let audience: [String]
    /// Milliseconds since 1970.
    package let expiry: Int64?

    /// How far the clocks of two machines may be apart, in milliseconds.
    private static let skew: Int64 = 60_000

    /// - Returns: `nil` for what is no JWT (RFC 7523 §3). Which claims it must have is the server's business.
    package init?(_ assertion: Secret) {
        guard let claims = CertificateBinding.claims(of: assertion) else { return nil }
        issuer = claims["iss"]?.stringValue
        subject = claims["sub"]?.stringValue
        audience = (claims["aud"]?.arrayValue ?? [claims["aud"] ?? .null]).compactMap(\.stringValue)
        expiry = claims["exp"]?.numberValue.map { Int64(max(-1e12, min($0, 1e12)) * 1000) }
    }

    /// - Parameter now: Milliseconds since 1970.
    package func isExpired(at now: Int64) -> Bool {
        expiry.map { now > $0 + Self.skew } ?? false
    }
}
