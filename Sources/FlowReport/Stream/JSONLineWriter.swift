/// Writes one JSON object after the other into one buffer (RFC 8259).
///
/// Members are written as they come: the caller sees to it that names differ and that what it opens it closes.
package struct JSONLineWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {
        // Most lines fit.
        bytes.reserveCapacity(512)
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

    /// Members that were written before, at least one.
    package mutating func members(written: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: written)
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

    /// Escapes also what ends a line for some readers, DEL, and what a terminal obeys or shows in another order.
    private mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { escaping($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Copies what needs no escape, which is nearly everything, in long pieces.
    private mutating func escaping(_ text: UnsafeBufferPointer<UInt8>) {
        var copied = 0
        var index = 0
        while index < text.count {
            guard !Self.isPlain(text[index]), let (unit, width) = Self.escaped(text, at: index) else {
                index += 1
                continue
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[copied..<index]))
            escape(unit)
            index += width
            copied = index
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[copied...]))
    }

    /// Decides nearly every byte by itself: the loop over a trace's text is most of what a trace costs.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x23 && byte < 0x7F && byte != 0x5C || byte == 0x20 || byte == 0x21
    }

    /// The character that begins at `index` and its width in bytes, when it must be escaped.
    private static func escaped(
        _ text: UnsafeBufferPointer<UInt8>, at index: Int
    ) -> (unit: UInt32, width: Int)? {
        let byte = UInt32(text[index])
        switch byte {
        case 0..<0x20, 0x22, 0x5C, 0x7F: return (byte, 1)
        case 0xC2 where text[index + 1] < 0xA0: return (UInt32(text[index + 1]), 2)
        case 0xD8 where text[index + 1] == 0x9C: return (0x061C, 2)
        case 0xE2:
            let unit = 0x2000 | UInt32(text[index + 1] & 0x3F) << 6 | UInt32(text[index + 2] & 0x3F)
            switch unit {
            case 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: return (unit, 3)
            default: return nil
            }
        default: return nil
        }
    }

    private mutating func escape(_ unit: UInt32) {
        bytes.append(UInt8(ascii: "\\"))
        switch unit {
        case 0x22, 0x5C: bytes.append(UInt8(unit))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            let digits = String(unit, radix: 16)
            bytes.append(UInt8(ascii: "u"))
            bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
            bytes.append(contentsOf: digits.utf8)
        }
    }
}
