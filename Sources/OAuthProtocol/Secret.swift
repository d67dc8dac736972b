internal import JOSE

/// A value that must not reach a text: every description of it is a placeholder.
///
/// It has no `Codable` conformance on purpose. Equality takes the same time wherever two values of one
/// length differ. `reveal()` belongs only where the value is sent, stored or compared.
public struct Secret: Sendable {
    /// What the value is, by its wire name; printed in place of the value.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case idToken = "id_token"
        case code
        case codeVerifier = "code_verifier"
        case state
        case nonce
        case clientSecret = "client_secret"
        case clientAssertion = "client_assertion"
        case deviceCode = "device_code"
        case authorization
        case dpopProof = "dpop_proof"
        case requestObject = "request"
        case requestURI = "request_uri"
        case assertion
        case registrationAccessToken = "registration_access_token"
        /// Whatever has no name of its own on the wire, such as a key, a passphrase, or the address of an answer.
        case other = "secret"
    }

    /// What stands for it in descriptions and traces.
    public let kind: Kind
    private let value: String

    /// Keeps the value; whatever else holds it is the caller's to forget.
    public init(_ value: String, kind: Kind) {
        self.kind = kind
        self.value = value
    }

    /// The value itself: for the socket, the sealed store and comparisons, nowhere else.
    public func reveal() -> String { value }

    /// Whether it is the same secret: for two that are both the caller's own, since the time tells where they differ.
    package func isSame(as other: Secret) -> Bool {
        kind == other.kind && value.hasSameBytes(as: other.value)
    }

    /// Length in UTF-8 bytes, which traces show.
    public var length: Int { value.utf8.count }

    /// Whether it has no bytes.
    public var isEmpty: Bool { value.isEmpty }
}

extension Secret: Hashable {
    /// In constant time for values of the same length.
    public static func == (left: Secret, right: Secret) -> Bool {
        left.kind == right.kind && ConstantTime.equal(left.value, right.value)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(value)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹\(kind.rawValue)›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
