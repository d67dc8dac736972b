internal import JOSE
internal import OAuthProtocol

extension FunctionTable {
    static let textFunctions: [FunctionRow] = [
        FunctionRow(
            "length", [.oneOf([.string, .list(.null), .map, .json, .secret])], .type(.int), .declassifies
        ) {
            arguments in
            switch arguments[0] {
            case .secret(let secret): .int(Int64(secret.reveal().unicodeScalars.count))
            case .list(let values): .int(Int64(values.count))
            case .map(let map): .int(Int64(map.count))
            case .json(.array(let values)): .int(Int64(values.count))
            case .json(.object(let object)): .int(Int64(object.count))
            case let value: .int(Int64(value.text?.unicodeScalars.count ?? 0))
            }
        },
        FunctionRow("lower", [.text], .type(.string)) { arguments in
            mapText(arguments) { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
        },
        FunctionRow("upper", [.text], .type(.string)) { arguments in
            mapText(arguments) { (0x61...0x7A).contains($0) ? $0 - 32 : $0 }
        },
        FunctionRow("trim", [.text], .type(.string)) { arguments in
            guard let text = arguments.text(0) else { return .null }
            var rest = text.unicodeScalars[...]
            while let first = rest.first, ExpressionLexer.isSpace(first) { rest.removeFirst() }
            while let last = rest.last, ExpressionLexer.isSpace(last) { rest.removeLast() }
            return .string(String(rest))
        },
        FunctionRow("starts_with", [.text, .text], .type(.bool)) { arguments in
            test(arguments) { $0.starts(with: $1) }
        },
        FunctionRow("ends_with", [.text, .text], .type(.bool)) { arguments in
            test(arguments) { $0.count >= $1.count && $0.suffix($1.count).elementsEqual($1) }
        },
        FunctionRow("contains", [.text, .text], .type(.bool)) { arguments in
            test(arguments) { $1.isEmpty || TextSearch($1).first(in: $0[...]) != nil }
        },
        FunctionRow("before", [.text, .text], .type(.optional(.string))) { arguments in
            cut(arguments) { text, range in text[..<range.lowerBound] }
        },
        FunctionRow("after", [.text, .text], .type(.optional(.string))) { arguments in
            cut(arguments) { text, range in text[range.upperBound...] }
        },
        FunctionRow("split", [.text, .text], .type(.list(.string))) { arguments in
            guard let text = arguments.text(0), let separator = arguments.text(1) else { return .list([]) }
            return .list(pieces(text, separator).map(Value.string))
        },
        FunctionRow("join", [.texts, .text], .type(.string)) { arguments in
            ValueBounds.joined(arguments.texts(0) ?? [], separator: arguments.text(1) ?? "")
        },
        FunctionRow("replace", [.text, .text, .text], .type(.string)) { arguments in
            guard let text = arguments.text(0), let old = arguments.text(1), let new = arguments.text(2)
            else {
                return .null
            }
            return old.isEmpty ? .string(text) : ValueBounds.joined(pieces(text, old), separator: new)
        },
        FunctionRow("prefix", [.text, .int], .type(.string)) { arguments in
            let count = Int(clamping: max(0, arguments.int(1) ?? 0))
            return .string(
                String(String.UnicodeScalarView((arguments.text(0) ?? "").unicodeScalars.prefix(count))))
        },
        FunctionRow("mask_email", [.text], .type(.string), .declassifies) { arguments in
            guard let text = arguments.text(0), let at = text.lastIndex(of: "@") else {
                return .string("***")
            }
            return .string("\(text[..<at].prefix(1))***\(text[at...])")
        },
    ]

    /// ASCII only, so that no identifier changes its meaning with a locale.
    private static func mapText(_ arguments: FunctionArguments, _ change: (UInt8) -> UInt8) -> Value {
        guard let text = arguments.text(0) else { return .null }
        return .string(String(decoding: text.utf8.map(change), as: UTF8.self))
    }

    private static func test(_ arguments: FunctionArguments, _ body: ([UInt8], [UInt8]) -> Bool) -> Value {
        guard let text = arguments.text(0), let part = arguments.text(1) else { return .bool(false) }
        return .bool(body(Array(text.utf8), Array(part.utf8)))
    }

    private static func cut(
        _ arguments: FunctionArguments, _ take: ([UInt8], Range<Int>) -> ArraySlice<UInt8>
    ) -> Value {
        guard let text = arguments.text(0), let separator = arguments.text(1) else { return .null }
        let bytes = Array(text.utf8)
        guard let range = TextSearch(Array(separator.utf8)).first(in: bytes[...]) else { return .null }
        return .string(String(decoding: take(bytes, range), as: UTF8.self))
    }

    private static func pieces(_ text: String, _ separator: String) -> [String] {
        let separator = TextSearch(Array(separator.utf8))
        var rest = Array(text.utf8)[...]
        var pieces: [String] = []
        while let range = separator.first(in: rest) {
            pieces.append(String(decoding: rest[..<range.lowerBound], as: UTF8.self))
            rest = rest[range.upperBound...]
        }
        return pieces + [String(decoding: rest, as: UTF8.self)]
    }
}
