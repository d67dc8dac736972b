import Testing

@testable import FlowCLI

@Suite("QR codes")
struct QRPictureTests {
    @Test("a short text is a square with the three finders, inside of a light margin")
    func finders() throws {
        let picture = try #require(QRPicture("HTTPS://A.EXAMPLE"))
        let rows = picture.lines.map { Array($0) }
        // Version 1 to 4 has 21 to 33 modules; the margin has two on each side.
        #expect((25...37).contains(picture.width))
        #expect(rows.count == (picture.width + 1) / 2)
        #expect(rows.allSatisfy { $0.count == picture.width })
        #expect(rows[0].allSatisfy { $0 == "█" })
        // A finder's upper edge: seven dark modules, of which the second row has only the two outer ones.
        #expect(String(rows[1][2..<9]) == " ▄▄▄▄▄ ")
        #expect(String(rows[1][(picture.width - 9)..<(picture.width - 2)]) == " ▄▄▄▄▄ ")
        #expect(rows.allSatisfy { $0[0] == "█" || $0 == rows[rows.count - 1] })
    }

    @Test("what fits no terminal is not drawn")
    func limits() {
        #expect(QRPicture("") == nil)
        #expect(QRPicture(String(repeating: "a", count: 301)) == nil)
        #expect(QRPicture("a\u{0}b") == nil)
    }
}
