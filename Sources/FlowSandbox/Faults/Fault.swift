package import JOSE

/// Something that the sandbox does wrong on purpose.
///
/// Written as `target:name`, with `@N` behind it for the Nth hit of the target only or `xN` for the first N.
package struct Fault: Sendable, Hashable {
    /// What goes wrong, or whose answer.
    package enum Target: String, Sendable, Hashable, CaseIterable {
        case discovery
        case jwks
        /// Where authorization requests are pushed to (RFC 9126).
        case par
        /// The authorization response that the browser carries to the client.
        case callback
        /// The JWT that such a response may be (JARM).
        case jarm
        /// The token endpoint, for every grant.
        case token
        /// The token endpoint, for the refresh grant only.
        case refresh
        /// The ID token of a token response.
        case idtoken
        /// The ID token that comes beside a code (OIDC Core §3.3).
        case answer
        /// The access token that is issued.
        case access
        case userinfo
        /// The API that takes the sandbox's access tokens.
        case resource
        case revocation
        case introspection
        /// Where a device asks for its code (RFC 8628); it polls the token endpoint.
        case device
        /// Registration of clients and its management (RFC 7591, RFC 7592).
        case registration
        /// The browser's way back after a logout.
        case logout
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

        /// A member of the JSON has that value, or is missing.
        case member(String, JSONValue?)
        /// The text of a member with upper and lower case exchanged.
        case invertedCase(String)
        /// A success that is told with another status of success.
        case success(Int)
        case noKeys
        case rotateKeys
        /// Only the newest key of the algorithm in use is published.
        case singleKey
        /// Published keys have no `kid`.
        case keysWithoutID
        case otherSubject
        case noRefreshToken
        case accessLifetime(seconds: Int64)
        case idToken(MessageDefect)
        case jarm(MessageDefect)
        case introspection(MessageDefect)
        /// An answer without a signature, although one was asked for.
        case plainIntrospection
        case callback(CallbackDefect)
        case logout(CallbackDefect)

        // What a server may ask of a proof (RFC 9449 §8 and §9).

        /// A proof without the newest nonce is refused.
        case demandNonce
        /// The scheme of challenges has another case.
        case challengeCase
    }

    package enum CallbackDefect: Sendable, Hashable {
        case wrongState, missingState
        case otherIssuer, missingIssuer
        case error(String)
        /// `code` comes twice.
        case duplicateCode
        /// Another response mode than the one that was asked for.
        case mode(String)
        /// The parameters themselves, although a JWT was asked for.
        case unsecured
    }
}
