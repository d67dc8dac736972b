internal import YAMLText

/// Header fields that carry a credential, by their names.
package enum CredentialField {
    private static let names: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "token", "secret", "password", "x-auth", "x-secret",
    ]

    /// Ends of the names under which interfaces take keys and tokens; `idempotency-key` and its like are
    /// none.
    private static let endings = [
        "api-key", "apikey", "api_key", "access-key", "auth-key", "subscription-key", "functions-key",
        "-token", "-secret", "-password",
    ]

    /// Tokens against forged requests, which are no credentials and may be asked for by a word.
    private static let harmless = ["csrf", "xsrf"]

    /// - Parameter field: A name in any case (RFC 9110 §5.1).
    package static func holdsCredential(_ field: String) -> Bool {
        let name = field.lowercased()
        guard names.contains(name) || endings.contains(where: name.hasSuffix) else { return false }
        return !harmless.contains(where: name.contains)
    }

    /// Whether the text says more than how a credential is sent: `Bearer` alone is none.
    static func isLiteral(_ text: String) -> Bool {
        let schemes = ["basic", "bearer", "dpop", "token"]
        return !text.isEmpty && !TemplateScanner.isTemplate(text) && !schemes.contains(text.lowercased())
    }
}
