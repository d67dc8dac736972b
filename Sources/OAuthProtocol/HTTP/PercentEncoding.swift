/// Percent-encoding of names and values, in queries (RFC 3986) and in forms.
package enum PercentEncoding {
    /// Which bytes stay as they are.
    struct Style: Sendable {
        /// By the byte.
        let plain: [Bool]
        let spaceIsPlus: Bool

        /// - Parameter others: Bytes that stay beside the unreserved ones.
        private init(_ others: String = "", spaceIsPlus: Bool = false) {
            let others = Set(others.utf8)
            plain = (0...UInt8.max).map { isUnreserved($0) || others.contains($0) }
            self.spaceIsPlus = spaceIsPlus
        }

        static let query = Style()
        static let form = Style(spaceIsPlus: true)
        static let host = Style(":")
        /// What RFC 3986 §3.4 allows in a query, without `&`, `=` and `%`.
        static let raw = Style("!$'()*+,;:@/?")
    }

    /// Encodes all but the unreserved characters of RFC 3986 §2.3; a space becomes `%20`.
    package static func encodeQuery(_ text: String) -> String {
        encode(text, .query)
    }

    /// Encodes all but the unreserved characters; a space becomes `+` (RFC 6749 Appendix B).
    package static func encodeForm(_ text: String) -> String {
        encode(text, .form)
    }

    /// Encodes all but the unreserved characters and the colon before a port: what is encoded makes no host.
    package static func encodeHost(_ text: String) -> String {
        encode(text, .host)
    }

    /// Decodes `%XX` and leaves `+` alone; `nil` for an invalid escape or a result that is not UTF-8.
    package static func decodeQuery(_ text: some StringProtocol) -> String? {
        decode(text.utf8, plusIsSpace: false)
    }

    /// Decodes `%XX`, and `+` as a space; `nil` for an invalid escape or a result that is not UTF-8.
    package static func decodeForm(_ text: some StringProtocol) -> String? {
        decode(text.utf8, plusIsSpace: true)
    }

    package static func decodeForm(_ bytes: some Collection<UInt8>) -> String? {
        decode(bytes, plusIsSpace: true)
    }

    /// RFC 3986 §2.3.
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func encode(_ text: String, _ style: Style) -> String {
        var bytes: [UInt8] = []
        append(text, style, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The encoded text behind what is there.
    static func append(_ text: String, _ style: Style, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { text in
            let plain = style.plain.withUnsafeBufferPointer { plain in
                text.firstIndex { !plain[Int($0)] } ?? text.endIndex
            }
            bytes.append(contentsOf: text[..<plain])
            for byte in text[plain...] { append(byte, style, to: &bytes) }
        }
    }

    private static func append(_ byte: UInt8, _ style: Style, to bytes: inout [UInt8]) {
        if style.plain[Int(byte)] {
            bytes.append(byte)
        } else if byte == UInt8(ascii: " "), style.spaceIsPlus {
            bytes.append(UInt8(ascii: "+"))
        } else {
            bytes.append(UInt8(ascii: "%"))
            bytes.append(hexDigit(byte >> 4))
            bytes.append(hexDigit(byte & 15))
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.next().flatMap(hexValue), let low = rest.next().flatMap(hexValue) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// As `decodeForm`, with what cannot be decoded left as it is.
    static func decodeLoosely(_ text: some Collection<UInt8>) -> String {
        let text = Array(text)
        var bytes: [UInt8] = []
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "%"), index + 2 < text.count, let high = hexValue(text[index + 1]),
                let low = hexValue(text[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(text[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : text[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
