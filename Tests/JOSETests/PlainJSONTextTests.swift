import JOSE
import Testing

@Suite("Texts that JSON writes as they are")
struct PlainJSONTextTests {
    @Test("each byte counts, wherever it stands", arguments: [0, 1, 3, 7, 8, 9, 15, 16, 17, 25])
    func everyByteCounts(length: Int) {
        let plain = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        #expect(isPlain(plain))
        for place in plain.indices {
            for byte in UInt8.min...UInt8.max {
                var text = plain
                text[place] = byte
                let isExpected = (0x20..<0x7F).contains(byte) && byte != 0x22 && byte != 0x5C
                #expect(isPlain(text) == isExpected, "\(byte) at \(place) of \(length)")
            }
        }
    }

    @Test(
        "bytes next to each other do not hide each other",
        arguments: [0x00, 0x1F, 0x22, 0x5C, 0x7F, 0x80, 0xFF])
    func neighbours(byte: UInt8) {
        for neighbour in UInt8.min...UInt8.max {
            #expect(!isPlain([neighbour, byte, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61]))
            #expect(!isPlain([byte, neighbour, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61]))
        }
    }

    private func isPlain(_ text: [UInt8]) -> Bool {
        text.withUnsafeBufferPointer { PlainJSONText.isPlain($0) }
    }
}
