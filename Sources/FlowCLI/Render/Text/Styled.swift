/// A text whose pieces have styles; nothing about its layout is decided yet.
struct Styled: Sendable, ExpressibleByStringInterpolation {
    private(set) var spans: [(text: String, style: Style)] = []

    init(_ text: String, _ style: Style = .plain) {
        if !text.isEmpty { spans.append((text, style)) }
    }

    init(stringLiteral value: String) {
        self.init(value)
    }

    static func + (left: Styled, right: Styled) -> Styled {
        var sum = left
        sum += right
        return sum
    }

    static func += (left: inout Styled, right: Styled) {
        left.spans.append(contentsOf: right.spans)
    }

    mutating func add(_ text: String, _ style: Style = .plain) {
        self += Styled(text, style)
    }
}

extension Sequence where Element == Styled {
    func joined(_ separator: Styled) -> Styled {
        var result = Styled("")
        for (index, element) in self.enumerated() {
            if index > 0 { result += separator }
            result += element
        }
        return result
    }
}
