internal import OAuthProtocol

/// What a header section says of the body's length, as far as it must agree with itself (RFC 9112 §6.3).
///
/// libcurl takes the last length of several: a body that ends where another reader sees no end would begin the next
/// answer of the connection.
struct AnnouncedLength {
    private var lengths: Set<Substring> = []
    private var isCoded = false

    mutating func take(_ name: String, _ value: String) {
        if name.equalsIgnoringASCIICase("Transfer-Encoding") {
            isCoded = true
        } else if name.equalsIgnoringASCIICase("Content-Length") {
            lengths.formUnion(value.split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmed))
        }
    }

    /// False for several lengths and for what is none, which have the answer thrown away; a coding of the transfer
    /// goes before every length.
    var isCertain: Bool { isCoded || lengths.count < 2 && lengths.allSatisfy(Self.isNumber) }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
