internal import JOSE

/// Names of members and parameters that say that their value is a secret.
package enum SecretName {
    /// Whether the value under such a name is a secret, whoever wrote it; not what is told about tokens and secrets, such as a
    /// method or an address.
    ///
    /// - Parameter name: As `normal` writes it.
    package static func tells(_ name: String) -> Bool {
        isAlike(name) && !about.contains(where: name.hasSuffix)
    }

    /// The same also of what is told about them.
    ///
    /// - Parameter name: As `normal` writes it.
    package static func isAlike(_ name: String) -> Bool {
        !harmless.contains(name) && words.contains { name.holds($0) }
    }

    /// In lower case, with one sign between the parts of the name.
    package static func normal(_ name: some StringProtocol) -> String {
        let hyphen = UInt8(ascii: "-")
        return String(
            decoding: name.lowercased().utf8.map { $0 == hyphen ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
    }

    /// Names of what is told to everybody.
    package static let harmless: Set<String> = [
        "token_type", "scope", "issued_token_type", "error", "error_description", "error_uri", "message",
        "verification_uri", "token_endpoint", "token_endpoint_auth_method", "client_id", "session_state",
    ]
    private static let about = [
        "_alg", "_enc", "_method", "_supported", "_endpoint", "_uri", "_type", "_at", "_in", "_details",
    ]
    private static let words: [StaticString] = [
        "token", "secret", "password", "passwd", "assertion", "credential", "session", "api_key", "apikey",
        "private", "device_code", "authorization", "signature",
    ]
}
