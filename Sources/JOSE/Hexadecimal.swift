/// Lower-case hexadecimal text of bytes.
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

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
