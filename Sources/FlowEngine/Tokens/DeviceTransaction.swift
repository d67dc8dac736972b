package import JOSE
package import OAuthProtocol

/// What must be remembered between a device authorization and its tokens (RFC 8628 §3.2).
package struct DeviceTransaction: Sendable {
    package let deviceCode: Secret
    /// `nil` for a provider that is asked without PKCE.
    package let codeVerifier: Secret?
    package let tokenEndpoint: String
    package let scopes: [String]
    /// The answer that began it, without the device code.
    package let answer: JSONObject
    /// Milliseconds since 1970.
    package let expiresAt: Int64
    /// Milliseconds between two questions; grows when the server asks for patience.
    package var interval: Int64
}
