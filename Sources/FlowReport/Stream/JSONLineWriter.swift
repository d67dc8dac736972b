/// Writes one JSON object after the other into one buffer (RFC 8259).
///
/// Members are written as they come: the caller sees to it that names differ and that what it opens it closes.
package struct JSONLineWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    package mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    package mutating func member(_ name: String, _ text: String) {
        key(name)
        string(text)
    }

    package mutating func member(_ name: String, _ number: Int64) {
        key(name)
        bytes.append(contentsOf: String(number).utf8)
    }

    package mutating func member(_ name: String, _ flag: Bool) {
        key(name)
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    package mutating func member(_ name: String, _ texts: [String]) {
        array(name, of: texts) { $0.element($1) }
    }

    /// Leaves the member out when there is nothing to say.
    package mutating func member(_ name: String, ifPresent text: String?) {
        if let text { member(name, text) }
    }

    package mutating func member(_ name: String, ifPresent number: Int64?) {
        if let number { member(name, number) }
    }

    package mutating func object(_ name: String, _ members: (inout JSONLineWriter) -> Void) {
        key(name)
        braces(members)
    }

    package mutating func array<Element>(
        _ name: String, of elements: [Element], _ write: (inout JSONLineWriter, Element) -> Void
    ) {
        key(name)
        bytes.append(UInt8(ascii: "["))
        needsComma = false
        for element in elements { write(&self, element) }
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// An object as an element, or as the whole line.
    package mutating func element(_ members: (inout JSONLineWriter) -> Void) {
        separate()
        braces(members)
    }

    package mutating func element(_ text: String) {
        separate()
        string(text)
        needsComma = true
    }

    package mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    private mutating func braces(_ members: (inout JSONLineWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        members(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func key(_ name: String) {
        separate()
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = true
    }

    /// Escapes also U+2028 and U+2029, which end a line for some readers, and DEL.
    private mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5C:
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(UInt8(scalar.value))
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069, 0x200E, 0x200F:
                escape(scalar.value)
            default: bytes.append(contentsOf: String(scalar).utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ unit: UInt32) {
        let digits = String(unit, radix: 16)
        bytes.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8)
    }
}
