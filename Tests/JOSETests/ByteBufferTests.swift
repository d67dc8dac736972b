import Testing

@testable import JOSE

@Suite("Bytes that are appended to")
struct ByteBufferTests {
    @Test("the buffer grows with what is written, whatever it began with", arguments: [0, 1, 7, 4096])
    func growth(capacity: Int) {
        var buffer = ByteBuffer(capacity: capacity)
        var expected = ""
        for number in 0..<1_000 {
            buffer.append(UInt8(ascii: "a"))
            buffer.append("bcd" as StaticString)
            buffer.append("é\(number)")
            expected += "abcdé\(number)"
        }
        #expect(buffer.withBytes { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test(
        "a number is written as Swift writes it",
        arguments: [0, 1, 9, 10, 99, 100, -1, -10, 123_456_789, Int64.max, Int64.min])
    func digits(number: Int64) {
        var buffer = ByteBuffer(capacity: 0)
        buffer.append(digitsOf: number)
        #expect(buffer.withBytes { String(decoding: $0, as: UTF8.self) } == String(number))
    }

    @Test("nothing was written at first, and nothing is what nothing appends")
    func empty() {
        var buffer = ByteBuffer(capacity: 0)
        buffer.append("")
        buffer.append(UnsafeBufferPointer(start: nil, count: 0))
        #expect(buffer.withBytes { $0.isEmpty })
    }
}
