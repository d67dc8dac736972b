import Testing

@testable import JOSE

@Suite("Searches for bytes")
struct StringBytesTests {
    @Test("a byte is found at every place of a text of every length, and not before the start")
    func firstIndex() {
        for length in 0...20 {
            for place in 0..<length {
                var bytes = [UInt8](repeating: 0xFF, count: length)
                bytes[place] = 0x24
                bytes.withUnsafeBufferPointer { text in
                    #expect(text.firstIndex(of: 0x24, from: 0) == place)
                    #expect(text.firstIndex(of: 0x24, from: place) == place)
                    #expect(text.firstIndex(of: 0x24, from: place + 1) == nil)
                    #expect(text.firstIndex(of: 0x25, from: 0) == nil)
                }
            }
        }
    }

    @Test(
        "a part is found wherever it stands as a whole",
        arguments: [
            ("", false), ("$", false), ("${", true), ("$ {", false), ("$$${", true), ("1234567${", true),
            ("12345678$", false), ("123456789012345678901234${", true), ("${234567890", true), ("é${", true),
        ])
    func holds(text: String, isHeld: Bool) {
        #expect(text.holds("${") == isHeld)
    }
}
