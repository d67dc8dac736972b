package import JOSE

extension JSONValue {
    /// The value unless it is null.
    ///
    /// Written without a conditional expression: there, `nil` would be the JSON null again.
    package var present: JSONValue? {
        guard self != .null else { return .none }
        return self
    }
}

/// A path into parsed JSON: `a.b`, `a[0]`, `a[?primary].email` (first element whose member is true),
/// `a[?type=work].email` (whose member is that text), `a[?meta.primary]` (whose member has such a one), `a[*].b`,
/// `["a.b"].c` (a member whose name has dots or brackets in it).
package struct ValuePath: Sendable, Hashable {
    package enum Segment: Sendable, Hashable {
        case member(String)
        case index(Int)
        // Apart, so that the others stay small.
        indirect case firstWhere(Condition)
        case every
    }

    /// What the first of several elements has to have: something true, or a text.
    package struct Condition: Sendable, Hashable {
        fileprivate let members: [Segment]
        fileprivate let text: String?

        /// - Parameter written: `a.b` or `a.b=TEXT`.
        fileprivate init?(_ written: String) {
            let parts = written.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let names = parts[0].split(separator: ".", omittingEmptySubsequences: false)
            guard names.allSatisfy({ !$0.isEmpty }) else { return nil }
            members = names.map { .member(String($0)) }
            text = parts.count > 1 ? String(parts[1]) : nil
        }

        fileprivate func holds(for element: JSONValue) -> Bool {
            let value = ValuePath.walk(members[...], element)
            return text.map { value?.scalarText == $0 } ?? (value == .bool(true))
        }

        /// An element for which it holds.
        fileprivate func met(by element: JSONObject) -> JSONObject {
            var element = element
            ValuePath.place(text.map { .string($0) } ?? true, at: members[...], in: &element)
            return element
        }
    }

    package let segments: [Segment]
    /// The path as written, for messages.
    package let text: String

    /// Parses a path; `nil` when the text is not one.
    package init?(_ text: String) {
        guard let segments = Self.parse(text) else { return nil }
        self.segments = segments
        self.text = text
    }

    /// The value at the path; `nil` where a member is missing. A JSON null counts as missing.
    package func value(in root: JSONValue) -> JSONValue? {
        Self.walk(segments[...], root)
    }

    /// Puts a value where the path leads, making the objects and lists on the way.
    package func place(_ value: JSONValue, in object: inout JSONObject) {
        Self.place(value, at: segments[...], in: &object)
    }

    /// A value in which the path finds this one.
    package func wrapping(_ value: JSONValue) -> JSONValue { Self.placing(value, at: segments[...], in: nil) }

    private static func place(
        _ value: JSONValue, at path: ArraySlice<Segment>, in object: inout JSONObject
    ) {
        guard case .member(let name)? = path.first else { return }
        object[name] = placing(value, at: path.dropFirst(), in: object[name])
    }

    /// Longest list that is made; an index beyond is the last.
    private static let mostItems = 20

    private static func placing(
        _ value: JSONValue, at path: ArraySlice<Segment>, in old: JSONValue?
    ) -> JSONValue {
        switch path.first {
        case nil: return value
        case .member:
            var object = old?.objectValue ?? [:]
            place(value, at: path, in: &object)
            return .object(object)
        case .index(let index):
            var items = old?.arrayValue ?? []
            while items.count <= min(index, mostItems) { items.append([:]) }
            items[min(index, mostItems)] = placing(value, at: path.dropFirst(), in: nil)
            return .array(items)
        case .every: return .array([placing(value, at: path.dropFirst(), in: nil)])
        case .firstWhere(let condition):
            let item = placing(value, at: path.dropFirst(), in: nil)
            return .array([item.objectValue.map { .object(condition.met(by: $0)) } ?? item])
        }
    }

    private static func walk(_ segments: ArraySlice<Segment>, _ value: JSONValue) -> JSONValue? {
        guard let segment = segments.first else { return value.present }
        let rest = segments.dropFirst()
        switch segment {
        case .member(let name):
            return value[name].flatMap { walk(rest, $0) }
        case .index(let index):
            guard let items = value.arrayValue, items.indices.contains(index) else { return nil }
            return walk(rest, items[index])
        case .firstWhere(let condition):
            return value.arrayValue?.first { condition.holds(for: $0) }.flatMap { walk(rest, $0) }
        case .every:
            guard let items = value.arrayValue else { return nil }
            return .array(items.compactMap { walk(rest, $0) })
        }
    }

    private static func parse(_ text: String) -> [Segment]? {
        // Most paths are one name.
        guard text.isEmpty || holdsMark(text) else { return [.member(text)] }
        var segments: [Segment] = []
        var rest = Array(text.utf8)[...]
        var expectsName = true
        while let first = rest.first {
            if first == UInt8(ascii: "[") {
                guard let close = end(ofBracket: rest),
                    let segment = bracket(rest[(rest.startIndex + 1)..<close])
                else { return nil }
                segments.append(segment)
                rest = rest[(close + 1)...]
                expectsName = false
            } else if first == UInt8(ascii: ".") {
                guard !expectsName else { return nil }
                rest = rest.dropFirst()
                expectsName = true
                guard let next = rest.first, next != UInt8(ascii: "."), next != UInt8(ascii: "[") else {
                    return nil
                }
            } else {
                guard expectsName else { return nil }
                let end = rest.firstIndex(where: isMark) ?? rest.endIndex
                guard end > rest.startIndex else { return nil }
                segments.append(.member(String(decoding: rest[..<end], as: UTF8.self)))
                rest = rest[end...]
                expectsName = false
            }
        }
        return segments.isEmpty ? nil : segments
    }

    private static func holdsMark(_ text: String) -> Bool {
        for byte in text.utf8 where isMark(byte) { return true }
        return false
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
    }

    /// Where the bracket closes that the bytes begin with: a quoted name may have brackets of its own.
    private static func end(ofBracket bytes: ArraySlice<UInt8>) -> Int? {
        let inside = bytes.dropFirst()
        guard inside.first == UInt8(ascii: "\"") else { return inside.firstIndex(of: UInt8(ascii: "]")) }
        guard let quote = inside.dropFirst().firstIndex(of: UInt8(ascii: "\"")),
            bytes[(quote + 1)...].first == UInt8(ascii: "]")
        else { return nil }
        return quote + 1
    }

    private static func bracket(_ bytes: ArraySlice<UInt8>) -> Segment? {
        let text = String(decoding: bytes, as: UTF8.self)
        if text == "*" { return .every }
        if bytes.first == UInt8(ascii: "\"") {
            return bytes.count > 2
                ? .member(String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)) : nil
        }
        if bytes.first == UInt8(ascii: "?") {
            return Condition(String(decoding: bytes.dropFirst(), as: UTF8.self)).map { .firstWhere($0) }
        }
        return Int(text).flatMap { $0 >= 0 ? .index($0) : nil }
    }
}
