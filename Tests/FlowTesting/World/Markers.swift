package import OAuthProtocol

/// Secret values that a test can search for: none of them may turn up where a person or a file could see it.
package enum Markers {
    package static let accessToken = "marker/access+token~0001"
    package static let refreshToken = "marker/refresh+token~0001"
    package static let rotatedToken = "marker/rotated+token~0002"
    package static let renewedToken = "marker/renewed+token~0002"
    package static let narrowToken = "marker/narrow+token~0003"
    package static let code = "marker/code+0001"
    package static let clientSecret = "marker client secret: 1 & 2"
    package static let clientID = "client-1"

    /// The random bytes of every transaction: 32 each for state, nonce and verifier.
    package static let randomness = (0..<96).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }

    package static let transaction = AuthorizationTransaction(
        randomBytes: randomness, wantsNonce: true, pkce: .s256(), redirectURI: "", issuer: nil, clientID: "",
        scopes: [], createdAt: 0)

    package static var state: String { transaction.state.reveal() }
    package static var nonce: String { transaction.nonce?.reveal() ?? "" }
    package static var verifier: String { transaction.pkce?.verifier.reveal() ?? "" }

    /// Every marker as it is and percent-encoded, as a parameter of an address has it and one of an address inside of
    /// that, with a name for a failure's message.
    package static let all: [(name: String, text: String)] = {
        let values = [
            ("access token", accessToken), ("refresh token", refreshToken), ("rotated token", rotatedToken),
            ("renewed token", renewedToken), ("narrow token", narrowToken), ("code", code),
            ("client secret", clientSecret),
            ("state", state),
            ("nonce", nonce), ("code verifier", verifier),
        ]
        return values.flatMap { name, value in
            let encoded = PercentEncoding.encodeForm(value)
            return [
                (name, value), ("\(name), encoded", encoded),
                ("\(name), encoded twice", PercentEncoding.encodeForm(encoded)),
            ]
        }
    }()

    /// The markers that a text holds; an ID token shows itself by the beginning of its header.
    package static func found(in text: String) -> [String] {
        all.filter { text.contains($0.text) }.map(\.name) + (text.contains("eyJ") ? ["ID token"] : [])
    }
}
