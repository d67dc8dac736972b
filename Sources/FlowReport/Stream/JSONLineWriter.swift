internal import JOSE

/// Writes one JSON object after the other into one buffer (RFC 8259).
///
/// Members are written as they come: the caller sees to it that names differ and that what it opens it closes.
package struct JSONLineWriter: ~Copyable {
    private var output: ByteBuffer
    private var needsComma = false

    /// - Parameter capacity: Bytes that fit at first; those of the lines of most steps unless the caller knows better.
    package init(capacity: Int = 4096) {
        output = ByteBuffer(capacity: capacity)
    }

    /// Members without their braces, for `members(written:)`.
    package static func members(_ members: (inout JSONLineWriter) -> Void) -> [UInt8] {
        var writer = JSONLineWriter()
        members(&writer)
        return writer.bytes
    }

    /// What was written so far.
    package var bytes: [UInt8] { output.withBytes { Array($0) } }

    // MARK: Members

    @inline(__always)
    package mutating func member(_ name: StaticString, _ text: String) {
        key(name)
        string(text)
    }

    @inline(__always)
    package mutating func member(_ name: StaticString, _ number: Int64) {
        key(name)
        output.append(digitsOf: number)
    }

    package mutating func member(_ name: StaticString, _ flag: Bool) {
        key(name)
        output.append((flag ? "true" : "false") as StaticString)
    }

    package mutating func member(_ name: StaticString, _ texts: [String]) {
        array(name, of: texts) { $0.element($1) }
    }

    /// A member whose name is data.
    package mutating func member(named name: String, _ texts: [String]) {
        separate()
        string(name)
        output.append(UInt8(ascii: ":"))
        elements(texts) { $0.element($1) }
    }

    /// A member whose value is a word that needs no escape.
    @inline(__always)
    package mutating func member(_ name: StaticString, word: StaticString) {
        key(name)
        output.append(UInt8(ascii: "\""))
        output.append(word)
        output.append(UInt8(ascii: "\""))
    }

    /// Leaves the member out when there is nothing to say.
    package mutating func member(_ name: StaticString, ifPresent text: String?) {
        if let text { member(name, text) }
    }

    package mutating func member(_ name: StaticString, ifPresent number: Int64?) {
        if let number { member(name, number) }
    }

    package mutating func object(_ name: StaticString, _ members: (inout JSONLineWriter) -> Void) {
        key(name)
        braces(members)
    }

    package mutating func array<Element>(
        _ name: StaticString, of elements: [Element], _ write: (inout JSONLineWriter, Element) -> Void
    ) {
        key(name)
        self.elements(elements, write)
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
    package mutating func members(written: [UInt8]) {
        separate()
        written.withUnsafeBufferPointer { output.append($0) }
        needsComma = true
    }

    package mutating func endLine() {
        output.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    // MARK: Tokens

    private mutating func elements<Element>(
        _ elements: [Element], _ write: (inout JSONLineWriter, Element) -> Void
    ) {
        output.append(UInt8(ascii: "["))
        needsComma = false
        for element in elements { write(&self, element) }
        output.append(UInt8(ascii: "]"))
        needsComma = true
    }

    private mutating func braces(_ members: (inout JSONLineWriter) -> Void) {
        output.append(UInt8(ascii: "{"))
        needsComma = false
        members(&self)
        output.append(UInt8(ascii: "}"))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { output.append(UInt8(ascii: ",")) }
    }

    // Written into every caller, which knows the name's length and bytes.
    @inline(__always)
    private mutating func key(_ name: StaticString) {
        output.reserve(name.utf8CodeUnitCount + 4)
        if needsComma { output.put(UInt8(ascii: ",")) }
        output.put(UInt8(ascii: "\""))
        output.put(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        output.put(UInt8(ascii: "\""))
        output.put(UInt8(ascii: ":"))
        needsComma = true
    }

    /// Escapes also what ends a line for some readers, DEL, and what a terminal obeys or shows in another order.
    private mutating func string(_ text: String) {
        let written: Void? = text.utf8.withContiguousStorageIfAvailable { string($0) }
        if written == nil { Array(text.utf8).withUnsafeBufferPointer { string($0) } }
    }

    private mutating func string(_ text: UnsafeBufferPointer<UInt8>) {
        output.reserve(text.count + 2)
        output.put(UInt8(ascii: "\""))
        if PlainJSONText.isPlain(text) { output.put(text) } else { escaping(text) }
        output.append(UInt8(ascii: "\""))
    }

    // MARK: Escapes

    /// Copies what needs no escape, which is nearly everything, in long pieces.
    private mutating func escaping(_ text: UnsafeBufferPointer<UInt8>) {
        var copied = 0
        var index = 0
        while index < text.count {
            guard !Self.isPlain(text[index]), let (unit, width) = Self.escaped(text, at: index) else {
                index += 1
                continue
            }
            output.append(UnsafeBufferPointer(rebasing: text[copied..<index]))
            escape(unit)
            index += width
            copied = index
        }
        output.append(UnsafeBufferPointer(rebasing: text[copied...]))
    }

    /// Decides nearly every byte by itself.
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
        output.append(UInt8(ascii: "\\"))
        switch unit {
        case 0x22, 0x5C: output.append(UInt8(unit))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case 0x09: output.append(UInt8(ascii: "t"))
        default:
            output.append(UInt8(ascii: "u"))
            for shift in [12, 8, 4, 0] {
                let digit = UInt8(unit >> UInt32(shift) & 15)
                output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }
}
