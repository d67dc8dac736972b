/// Hexadecimal text of bytes, written in lower case.
package enum Hexadecimal {
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        withBytes(of: bytes) { bytes in
            String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
                for index in bytes.indices {
                    text[2 * index] = digit(bytes[index] >> 4)
                    text[2 * index + 1] = digit(bytes[index] & 15)
                }
                return 2 * bytes.count
            }
        }
    }

    /// The bytes of such a text, in either case; `nil` for one that is none.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let digits = text.compactMap(value)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
