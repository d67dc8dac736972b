internal import OAuthProtocol

/// What a header section says of the body's length (RFC 9112 §6.3).
enum BodyLength {
    /// False for several lengths and for what is none, which have the answer thrown away; a coding of the transfer goes
    /// before every length.
    ///
    /// libcurl takes the last length of several: a body that ends where another reader sees no end would begin the next
    /// answer of the connection.
    static func isCertain(_ fields: [HTTPField]) -> Bool {
        let has = { (field: HTTPField, name: String) in field.name.equalsIgnoringASCIICase(name) }
        if fields.contains(where: { has($0, "Transfer-Encoding") }) { return true }
        let lengths = fields.filter { has($0, "Content-Length") }.flatMap {
            $0.value.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
        }
        return lengths.allSatisfy { $0 == lengths[0] && isNumber($0) }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
