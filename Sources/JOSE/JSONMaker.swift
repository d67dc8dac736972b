/// What becomes of the values of a JSON text while it is read: a tree of them, or a note of where each one is.
protocol JSONMaker {
    associatedtype Value
    associatedtype Elements
    associatedtype Members
    associatedtype Name

    mutating func scalar(_ scalar: JSONScalar) -> Value
    mutating func string(_ string: JSONString) -> Value

    mutating func elements() -> Elements
    mutating func add(_ value: Value, to elements: inout Elements)
    mutating func array(_ elements: Elements) -> Value

    mutating func members() -> Members
    /// - Returns: `nil` when a member before has the name.
    mutating func name(_ string: JSONString, in members: inout Members) -> Name?
    mutating func add(_ value: Value, named name: Name, to members: inout Members)
    mutating func object(_ members: Members) -> Value
}

/// A value that is no string and has no others in it.
enum JSONScalar {
    case null
    case bool(Bool)
    case int(Int64)
    /// An integer that does not fit, as it is written, and what it is as a double.
    case bigInteger(UnsafeBufferPointer<UInt8>, Double)
    case number(Double)
}

/// A string that was read.
struct JSONString {
    /// The bytes between the quotes.
    let written: UnsafeBufferPointer<UInt8>
    /// The byte after the opening quote.
    let place: Int
    let form: Form
    /// The text, where reading it took to make it: it is not as it is written, or not ASCII.
    let made: String?

    /// How the characters are written.
    enum Form: UInt8, Sendable {
        /// As they are, each in one byte.
        case ascii
        /// As they are.
        case utf8
        /// Some of them behind a backslash.
        case escaped
    }

    @inline(__always)
    var text: String {
        if let made { return made }
        // Half the cost of `String(decoding:as:)`, which looks for what is not UTF-8 before it copies.
        return String(unsafeUninitializedCapacity: written.count) { $0.initialize(fromContentsOf: written) }
    }

    @inline(__always)
    var mark: NameMark { form == .escaped ? NameMark(text) : NameMark(written) }
}
