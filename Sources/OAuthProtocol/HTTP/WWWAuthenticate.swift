/// One challenge of a `WWW-Authenticate` field.
package struct AuthenticationChallenge: Sendable, Hashable {
    /// As written; compared without case.
    package let scheme: String
    /// In order, values unquoted and free of control characters.
    package let parameters: [Parameter]

    package struct Parameter: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    /// The first parameter of that name, compared without case.
    package func parameter(_ name: String) -> String? {
        parameters.first { $0.name.equalsIgnoringASCIICase(name) }?.value
    }

    /// What the challenge says in OAuth's words; `nil` without `error` (RFC 6750 §3).
    package var oauthError: OAuthError? {
        guard let code = parameter("error"), !code.isEmpty else { return nil }
        return OAuthError(
            code: code, description: parameter("error_description"), uri: parameter("error_uri"))
    }
}

/// The field `WWW-Authenticate` (RFC 9110 §11.6.1).
package enum WWWAuthenticate {
    /// Reads the challenges; from the first text that is not one on, everything is ignored.
    package static func parse(_ value: String) -> [AuthenticationChallenge] {
        var reader = ChallengeReader(bytes: Array(value.utf8))
        return reader.challenges()
    }
}

/// Reads challenges byte by byte; never goes back further than one parameter.
private struct ChallengeReader {
    let bytes: [UInt8]
    var offset = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func challenges() -> [AuthenticationChallenge] {
        var result: [AuthenticationChallenge] = []
        skipSeparators()
        while let scheme = token() {
            let hasContent = skipSpaces()
            var parameters: [AuthenticationChallenge.Parameter] = []
            if hasContent && !skipToken68() {
                while let parameter = parameter() { parameters.append(parameter) }
            }
            result.append(AuthenticationChallenge(scheme: scheme, parameters: parameters))
            let end = offset
            skipSeparators()
            // Something that belongs to no challenge.
            guard offset > end || offset == bytes.count else { break }
        }
        return result
    }

    /// Reads `name = value` and what separates it from the next; stays in place when there is none.
    private mutating func parameter() -> AuthenticationChallenge.Parameter? {
        let start = offset
        skipSeparators()
        guard let name = token() else { return give(up: start) }
        skipSpaces()
        guard take("=") else { return give(up: start) }
        skipSpaces()
        guard let value = quotedString() ?? token() else { return give(up: start) }
        return AuthenticationChallenge.Parameter(
            name: RemoteText.sanitize(name), value: RemoteText.sanitize(value))
    }

    private mutating func give(up start: Int) -> AuthenticationChallenge.Parameter? {
        offset = start
        return nil
    }

    /// Skips a token68 such as `YII=`, which is a whole challenge; stays in place when it is a parameter's
    /// name.
    private mutating func skipToken68() -> Bool {
        let start = offset
        while let byte = peek(), isTokenCharacter(byte) || byte == UInt8(ascii: "/") { offset += 1 }
        while take("=") {}
        if offset > start {
            skipSpaces()
            if peek() == nil || peek() == UInt8(ascii: ",") { return true }
        }
        offset = start
        return false
    }

    private mutating func quotedString() -> String? {
        let start = offset
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while let byte = peek() {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = peek() else { break }
                text.append(escaped)
                offset += 1
            default: text.append(byte)
            }
        }
        offset = start
        return nil
    }

    private mutating func token() -> String? {
        let start = offset
        while let byte = peek(), isTokenCharacter(byte) { offset += 1 }
        return offset > start ? String(decoding: bytes[start..<offset], as: UTF8.self) : nil
    }

    @discardableResult
    private mutating func skipSpaces() -> Bool {
        let start = offset
        while peek() == 0x20 || peek() == 0x09 { offset += 1 }
        return offset > start
    }

    private mutating func skipSeparators() {
        while let byte = peek(), byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: ",") { offset += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private func peek() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }
}
