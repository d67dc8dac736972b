package import JOSE

/// What a server answered: status, fields in the order received, body bytes (already bounded by the
/// transport).
package struct HTTPResponse: Sendable, Hashable {
    package let status: Int
    package let fields: [HTTPField]
    package let body: [UInt8]

    package init(status: Int, fields: [HTTPField] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Whether it sends the client elsewhere (RFC 9110 §15.4); 304 does not.
    package var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The body without the mark that some servers put before it, which a reader may ignore (RFC 8259 §8.1).
    var unmarkedBody: ArraySlice<UInt8> { body.dropFirst(body.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0) }

    /// The body as a JSON value, whatever its type says; `nil` for one that is not JSON.
    package var json: JSONValue? { try? JSON.parse(unmarkedBody) }

    /// The body as a compact JWT, without the space or the end of a line that some servers put around it.
    package var tokenText: String {
        String(decoding: body.drop { $0 <= 0x20 }.prefix { $0 > 0x20 }, as: UTF8.self)
    }

    /// The first field of that name, compared without case (RFC 9110 §5.1).
    package func field(_ name: String) -> String? {
        fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value
    }

    /// The values of all fields of that name, in order.
    package func fields(_ name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    /// Type and subtype of the content in lower case, without parameters (RFC 9110 §8.3); `nil` without one.
    package var mediaType: String? {
        guard let value = field("Content-Type") else { return nil }
        // Nearly always it is written plainly.
        if !value.isEmpty, value.utf8.allSatisfy({ $0 != 0x3B && $0 > 0x20 && !(0x41...0x5A).contains($0) }) {
            return value
        }
        let type = value.utf8.prefix { $0 != UInt8(ascii: ";") }
        let text = String(Substring(type)).filter { $0 != " " && $0 != "\t" }.lowercased()
        return text.isEmpty ? nil : text
    }

    /// The character set that the content type names, as it is written there; `nil` where it names none.
    package var charset: String? {
        for parameter in field("Content-Type")?.split(separator: ";").dropFirst() ?? [] {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            let name = parts.first.map { $0.filter { $0 != " " && $0 != "\t" } } ?? ""
            guard parts.count == 2, name.equalsIgnoringASCIICase("charset") else { continue }
            let text = parts[1].filter { ![" ", "\t", "\"", "'"].contains($0) }
            return text.isEmpty ? nil : text
        }
        return nil
    }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹\(status), \(fields.count) fields, \(body.count) B›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension String {
    /// Compares without regard to the case of ASCII letters.
    package func equalsIgnoringASCIICase(_ other: String) -> Bool {
        isExactly(other)
            || utf8.elementsEqual(other.utf8) {
                ($0 | 0x20) == ($1 | 0x20) && ($0 == $1 || isASCIILetter($0))
            }
    }
}

private func isASCIILetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
}
