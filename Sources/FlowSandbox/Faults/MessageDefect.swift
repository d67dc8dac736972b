package import JOSE

/// What is wrong with a JWT that the sandbox signs: an ID token, an authorization response, an introspection.
package enum MessageDefect: Sendable, Hashable {
    /// This claim has that value, or is missing; it is signed so.
    case claim(String, JSONValue?)
    /// `aud` is a list of the client and perhaps somebody else.
    case audienceList(also: String?)
    /// An hour past, out of reach of any allowance for wrong clocks.
    case expired
    /// Seconds before now.
    case issued(ago: Int64)
    /// The sign-in was so many seconds before it was.
    case authenticated(ago: Int64)
    /// A parameter of the header.
    case header(String, JSONValue)
    /// `alg` is `none` and there is no signature.
    case unsigned
    /// HMAC with the PEM text of the RSA public key (RFC 8725 §2.1).
    case hmacWithPublicKey
    case badSignature
    case unknownKey
    case noKeyID
    /// Signed well, by a published key, with another algorithm than the client registered.
    case otherAlgorithm
    /// There is no token at all.
    case absent
}
