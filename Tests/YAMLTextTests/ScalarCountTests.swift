import Testing

@testable import YAMLText

@Suite("Counting scalars")
struct ScalarCountTests {
    @Test(
        "scalars are counted as Swift counts them",
        arguments: ["", "a", "é", "日本語のテキスト", "a😀b", "abcdefgh", "ééééééééé"])
    func scalarCount(text: String) {
        let count = Array(text.utf8).withUnsafeBufferPointer(\.scalarCount)
        #expect(count == text.unicodeScalars.count)
    }
}
