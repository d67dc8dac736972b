import JOSE
import Testing

@Suite("Hexadecimal")
struct HexadecimalTests {
    @Test("every byte reads back, in either case")
    func bytes() {
        let bytes = [UInt8](0...255)
        #expect(Hexadecimal.decode(Hexadecimal.encode(bytes).utf8) == bytes)
        #expect(Hexadecimal.decode(Hexadecimal.encode(bytes).uppercased().utf8) == bytes)
        #expect(Hexadecimal.decode("".utf8) == [])
    }

    @Test(
        "what is no such text has no bytes",
        arguments: ["0", "0g", "/0", ":0", "@0", "G0", "`0", "é0", " 00"])
    func none(text: String) {
        #expect(Hexadecimal.decode(text.utf8) == nil)
    }
}
