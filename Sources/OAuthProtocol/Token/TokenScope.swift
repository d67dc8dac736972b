internal import JOSE

/// The member `scope` of a token response (RFC 6749 §5.1).
enum TokenScope {
    /// - Returns: The names; `nil` when the server did not say.
    static func read(
        _ value: JSONValue?, _ type: ResponseDialect.MemberType?, log: inout CheckLog
    ) throws(ProtocolError) -> [String]? {
        guard let value, !value.isBlank else {
            log.skip(Checks.scope, because: "no scope, so it is the one that was asked for")
            return nil
        }
        guard let names = Self.names(value, type) else {
            throw log.failure(
                Checks.scope, expected: "a text or a list of texts", actual: "another type", of: "scope")
        }
        log.pass(Checks.scope)
        return names.map { RemoteText.sanitize($0) }
    }

    /// The elements of a list, or of a text with separators; `nil` for anything else.
    static func names(_ value: JSONValue, _ type: ResponseDialect.MemberType?) -> [String]? {
        if let text = value.stringValue { return split(text, at: UInt8(ascii: type == .comma ? "," : " ")) }
        guard let list = value.arrayValue else { return nil }
        let names = list.compactMap { name($0) }
        return names.count == list.count ? names : nil
    }

    /// Some providers number their scopes.
    private static func name(_ element: JSONValue) -> String? {
        switch element {
        case .string(let text): text
        case .int, .bigInteger: element.scalarText
        case .null, .bool, .number, .array, .object: nil
        }
    }

    private static func split(_ text: String, at separator: UInt8) -> [String] {
        var text = text
        return text.withUTF8 { text in
            text.split(separator: separator).compactMap { part in
                let name = part.trimming { $0 == 0x20 }
                return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
            }
        }
    }
}
