internal import FlowLanguage
internal import JOSE
internal import YAMLText

/// A file that is to hold a JSON object, for messages that show where it does not.
struct JSONFile: Sendable {
    let path: String
    private let bytes: [UInt8]
    /// As long as `bytes`.
    private let shown: [UInt8]
    private let source: SourceFile

    /// - Parameter hidden: Members whose texts are shown to nobody.
    init(path: String, bytes: [UInt8], hiding hidden: [String]) {
        self.path = path
        self.bytes = bytes
        shown = Self.masked(bytes, hidden)
        source = SourceFile(path: path, bytes: shown)
    }

    /// - Throws: With the place of what is wrong.
    func object() throws(Problem) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSON.parse(bytes)
        } catch {
            throw problem("\(path) holds no JSON object", [diagnostic(error)])
        }
        guard case .object(let object) = value else {
            let start = bytes.firstIndex { !Self.isSpace($0) } ?? 0
            let words = "the file holds \(value.kind), and a JSON object is wanted"
            throw problem(
                "\(path) holds no JSON object",
                [diagnostic("FL011", at: start, words, hint: "put the members between { and }")])
        }
        return object
    }

    /// What is said of members that should not be there, each with its place.
    ///
    /// - Parameter names: Of members of the object that the file holds.
    func problem(_ message: String, members names: [String], _ words: String, hint: String) -> Problem {
        let entries = YAMLDocument.parse(source).root?.mapping?.entries ?? []
        let diagnostics = names.map { name in
            // A text that only JSON readers take has no places here.
            let span = entries.first { $0.key == name }?.keySpan ?? SourceSpan(at: .start)
            return Diagnostic(
                code: "FL010", file: path, span: span, message: "\"\(name)\" \(words)", hint: hint)
        }
        return problem(message, diagnostics)
    }

    private func problem(_ message: String, _ diagnostics: [Diagnostic]) -> Problem {
        Problem(.config, message, diagnostics: diagnostics, sources: [source])
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    // MARK: Mistakes

    private func diagnostic(_ error: JSONError) -> Diagnostic {
        switch error.kind {
        case .syntax: syntax(error.offset)
        case .unexpectedEnd:
            diagnostic(
                "FL001", at: (bytes.lastIndex { !Self.isSpace($0) } ?? -1) + 1,
                bytes.allSatisfy(Self.isSpace) ? "the file is empty" : "the file ends inside of a value",
                hint: "a quotation mark, a brace or a bracket may not be closed")
        case .trailingData:
            diagnostic("FL001", at: error.offset, "this stands behind the end of the value")
        case .duplicateMember(let name):
            diagnostic("FL004", at: error.offset, "the member \"\(name)\" is there twice")
        case .tooDeep(let limit): diagnostic("FL002", at: error.offset, "more than \(limit) levels")
        case .tooLarge(let limit): diagnostic("FL002", at: 0, "more than \(limit) bytes")
        case .notUTF8: diagnostic("FL002", at: error.offset, "no UTF-8 from here on; save the file as UTF-8")
        case .byteOrderMark:
            diagnostic(
                "FL002", at: 0, "the file begins with a byte order mark; save it without (RFC 8259 §8.1)")
        case .controlCharacter:
            diagnostic(
                "FL001", at: error.offset, "a control character in a text; a line break is written \\n",
                hint: "a quotation mark may be missing")
        case .loneSurrogate:
            diagnostic("FL001", at: error.offset, "an escape that is half of a character")
        case .numberOutOfRange: diagnostic("FL001", at: error.offset, "a number that is too large")
        }
    }

    private func syntax(_ offset: Int) -> Diagnostic {
        let byte = offset < bytes.count ? bytes[offset] : 0
        let shown = (0x21...0x7E).contains(byte) ? "'\(Character(Unicode.Scalar(byte)))'" : "this"
        let last = bytes[..<min(offset, bytes.count)].last { !Self.isSpace($0) }
        let hint: String? =
            switch (byte, last) {
            case (UInt8(ascii: "}"), UInt8(ascii: ",")), (UInt8(ascii: "]"), UInt8(ascii: ",")):
                "leave out the comma in front of it"
            case (UInt8(ascii: "'"), _): "texts stand between \" and \""
            case (UInt8(ascii: "/"), _), (UInt8(ascii: "#"), _): "JSON has no comments"
            case (UInt8(ascii: "\""), UInt8(ascii: "\"")), (UInt8(ascii: "\""), UInt8(ascii: "}")),
                (UInt8(ascii: "\""), UInt8(ascii: "]")):
                "a comma may be missing in front of it"
            default: nil
            }
        return diagnostic("FL001", at: offset, "\(shown) cannot stand here", hint: hint)
    }

    private func diagnostic(
        _ code: String, at offset: Int, _ message: String, hint: String? = nil
    ) -> Diagnostic {
        let mark = SourceOffset.mark(of: min(offset, bytes.count), in: shown)
        return Diagnostic(code: code, file: path, span: SourceSpan(at: mark), message: message, hint: hint)
    }

    // MARK: Secrets

    /// The text with stars for the texts of some members, whether or not it is JSON.
    private static func masked(_ bytes: [UInt8], _ names: [String]) -> [UInt8] {
        var result = bytes
        for name in names {
            let key = Array("\"\(name)\"".utf8)
            var index = 0
            while index + key.count <= bytes.count {
                guard bytes[index..<(index + key.count)].elementsEqual(key) else {
                    index += 1
                    continue
                }
                index += key.count
                while index < bytes.count, isSpace(bytes[index]) || bytes[index] == UInt8(ascii: ":") {
                    index += 1
                }
                // Up to the end of the line where the text has no end.
                let isText = index < bytes.count && bytes[index] == UInt8(ascii: "\"")
                if isText { index += 1 }
                let ends: [UInt8] =
                    isText ? [UInt8(ascii: "\""), 0x0A] : [UInt8(ascii: ","), UInt8(ascii: "}"), 0x0A]
                while index < bytes.count, !ends.contains(bytes[index]) {
                    let isEscape = isText && bytes[index] == UInt8(ascii: "\\")
                    result[index] = UInt8(ascii: "*")
                    index += 1
                    if isEscape, index < bytes.count, bytes[index] != 0x0A {
                        result[index] = UInt8(ascii: "*")
                        index += 1
                    }
                }
            }
        }
        return result
    }
}
