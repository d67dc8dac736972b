/// Something that the sandbox does wrong on purpose.
///
/// Written as `target:name`, with `@N` behind it for the Nth hit of the target only or `xN` for the first N.
package struct Fault: Sendable, Hashable {
    /// What goes wrong, or whose answer.
    package enum Target: String, Sendable, Hashable, CaseIterable {
        case discovery
        case jwks
        /// The authorization response that the browser carries to the client.
        case callback
        /// The token endpoint, for every grant.
        case token
        /// The token endpoint, for the refresh grant only.
        case refresh
        case idtoken
        /// The access token that is issued.
        case access
        case userinfo
    }

    /// Which hits of the target are faulty; hits are counted from 1.
    package enum Occurrence: Sendable, Hashable {
        case always
        case only(Int)
        case first(Int)

        func includes(_ hit: Int) -> Bool {
            switch self {
            case .always: true
            case .only(let number): hit == number
            case .first(let count): hit <= count
            }
        }
    }

    package let target: Target
    package let action: Action
    package let occurrence: Occurrence

    package init(_ target: Target, _ action: Action, _ occurrence: Occurrence = .always) {
        self.target = target
        self.action = action
        self.occurrence = occurrence
    }

    /// The target whose hits decide: a key is rotated when an ID token is signed, not when keys are fetched.
    var counted: Target { action == .rotateKeys ? .idtoken : target }
}

extension Fault {
    package enum Action: Sendable, Hashable {
        // Instead of the answer; the request is not looked at, so it may be repeated.

        /// An error status with a page of text, and `Retry-After` in seconds.
        case status(Int, retryAfter: Int? = nil)
        /// The endpoint's own kind of error.
        case protocolError(String)
        /// HTTP 200 with an `error` member.
        case errorInside200
        case html
        case notJSON
        /// JSON of more than 1 MiB.
        case huge
        /// 302 to another host.
        case redirect

        // On the way, after the request took effect: a code is spent, a refresh token rotated.

        case slow(milliseconds: Int)
        case truncate
        case close

        // Inside an otherwise good answer.

        case otherIssuer
        case noKeys
        case rotateKeys
        case otherSubject
        case noRefreshToken
        case accessLifetime(seconds: Int64)
        case idToken(IDTokenDefect)
        case callback(CallbackDefect)
    }

    package enum IDTokenDefect: Sendable, Hashable {
        case wrongNonce, missingNonce
        case otherAudience, otherIssuer
        case expired
        /// `alg` is `none` and there is no signature.
        case unsigned
        /// HMAC with the PEM text of the RSA public key (RFC 8725 §2.1).
        case hmacWithPublicKey
        case badSignature
        case unknownKey
        case missingSubject, otherSubject
        case wrongAccessTokenHash
        /// The token response has no ID token at all.
        case absent
    }

    package enum CallbackDefect: Sendable, Hashable {
        case wrongState, missingState
        case otherIssuer, missingIssuer
        case error(String)
        /// `code` comes twice.
        case duplicateCode
    }
}
