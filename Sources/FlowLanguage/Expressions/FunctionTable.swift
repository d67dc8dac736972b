internal import JOSE
internal import OAuthProtocol

/// A function of the expression language: adding one is adding a row to `FunctionTable`.
struct FunctionRow: Sendable {
    enum Parameter: Sendable, Hashable {
        /// A value of one of these types.
        case oneOf([FlowType])
        /// A list of anything.
        case list
        /// A value of any type that holds no secret; it may be unset.
        case anything
        /// A literal JSON pointer (RFC 6901).
        case pointer
    }

    enum Result: Sendable, Hashable {
        case type(FlowType)
        /// The element type of the first argument, optional.
        case element
        /// The type of the first argument.
        case sameAsFirst
    }

    /// What the result's label has to do with those of the arguments.
    enum LabelEffect: Sendable, Hashable {
        /// It joins them.
        case joins
        /// The result shows nothing of the arguments that would have to be kept from anybody.
        case declassifies
        /// Only this argument has a say in where the result leads.
        case followsArgument(Int)
    }

    let name: String
    let parameters: [Parameter]
    let result: Result
    let effect: LabelEffect
    let evaluate: @Sendable (FunctionArguments) -> Value

    init(
        _ name: String, _ parameters: [Parameter], _ result: Result,
        _ effect: LabelEffect = .joins, _ evaluate: @escaping @Sendable (FunctionArguments) -> Value
    ) {
        self.name = name
        self.parameters = parameters
        self.result = result
        self.effect = effect
        self.evaluate = evaluate
    }
}

extension FunctionRow.Parameter {
    static let text = Self.oneOf([.string])
    static let int = Self.oneOf([.int])
    static let texts = Self.oneOf([.list(.string)])
    /// A list that texts are looked for in; what is no text is none of them.
    static let elements = Self.oneOf([.list(.string), .list(.json)])
    /// What digests take; secrets too, because a digest does not show them.
    static let material = Self.oneOf([.string, .bytes, .secret])
    static let encodable = Self.oneOf([.string, .bytes])
    static let members = Self.oneOf([.json, .map])
}

/// The arguments of one call.
///
/// Every reading is total: it answers `nil` where the value is something else than the checker promised.
struct FunctionArguments {
    private let values: ArraySlice<Value>

    init(_ values: ArraySlice<Value>) {
        self.values = values
    }

    subscript(index: Int) -> Value {
        let place = values.startIndex + index
        return place < values.endIndex ? values[place] : .null
    }

    func text(_ index: Int) -> String? { self[index].text }

    func texts(_ index: Int) -> [String]? { self[index].texts }

    /// The texts among the elements of a list.
    func textElements(_ index: Int) -> [String]? { list(index)?.compactMap(\.text) }

    func list(_ index: Int) -> [Value]? {
        switch self[index] {
        case .list(let values): values
        case .json(let value): value.arrayValue.map { $0.map { Value.json($0) } }
        case .null, .bool, .int, .number, .time, .duration, .string, .map, .secret: nil
        }
    }

    func int(_ index: Int) -> Int64? {
        if case .int(let value) = self[index] { value } else { nil }
    }

    /// The bytes of a text, of a secret, or of a `bytes` value, which is a list of integers from 0 to 255.
    func bytes(_ index: Int) -> [UInt8]? {
        switch self[index] {
        case .secret(let secret): return Array(secret.reveal().utf8)
        case .list(let values):
            let bytes = values.compactMap { value -> UInt8? in
                if case .int(let byte) = value { UInt8(exactly: byte) } else { nil }
            }
            return bytes.count == values.count ? bytes : nil
        case .string(let text): return Array(text.utf8)
        case .null, .bool, .int, .number, .time, .duration, .json, .map: return nil
        }
    }

    /// Names and texts of a map or JSON object in the order of the names; unset members are left out.
    func members(_ index: Int) -> [(name: String, value: String)]? {
        switch self[index] {
        case .map(let map):
            map.sorted { $0.key < $1.key }.filter { !$0.value.isNull }
                .map { ($0.key, TextForm.text(of: $0.value)) }
        case .json(.object(let object)):
            object.filter { !$0.value.isNull }.map { ($0.key, TextForm.text(of: .json($0.value))) }
        case .null, .bool, .int, .number, .time, .duration, .string, .json, .list, .secret: nil
        }
    }
}

/// All functions of the expression language (flow/1 §5), but for the forms `has`, `if`, `default` and `matches`.
enum FunctionTable {
    /// New ones come last: an instruction names a function by its place, and the digest of a flow is made of that.
    static let rows: [FunctionRow] =
        textFunctions + conversionFunctions + collectionFunctions + webFunctions + hiddenFunctions
        + signatureFunctions

    /// The forms that the compiler knows by itself: they do not evaluate all their arguments.
    static let forms = ["has", "if", "default", "matches"]

    /// Names for suggestions.
    static let names = forms + rows.map(\.name).filter { !$0.hasPrefix("#") }

    private static let indices = Dictionary(
        uniqueKeysWithValues: rows.enumerated().map { ($0.element.name, $0.offset) })

    static func index(of name: String) -> Int? { indices[name] }

    // Conversions that the compiler inserts; no author can write their names.
    static let castString = "#string"
    static let castInt = "#int"
    static let castNumber = "#number"
    static let castBool = "#bool"
    static let castTexts = "#texts"
    static let castList = "#list"
    static let toJSONValue = "#json"
    static let unsetWhenEmpty = "#set"

    private static let hiddenFunctions: [FunctionRow] = [
        FunctionRow(castString, [.anything], .type(.optional(.string))) { arguments in
            arguments.text(0).map(Value.string) ?? .null
        },
        FunctionRow(castInt, [.anything], .type(.optional(.int))) { arguments in
            switch arguments[0] {
            case .int(let value), .json(.int(let value)): .int(value)
            case .null, .bool, .number, .time, .duration, .string, .json, .list, .map, .secret: .null
            }
        },
        FunctionRow(castNumber, [.anything], .type(.optional(.number))) { arguments in
            switch arguments[0] {
            case .number(let value), .json(.number(let value)): .number(value)
            case .int(let value), .json(.int(let value)): .number(Double(value))
            case .json(.bigInteger(let digits)): NumberText.parse(digits).map(Value.number) ?? .null
            case .null, .bool, .time, .duration, .string, .json, .list, .map, .secret: .null
            }
        },
        FunctionRow(castBool, [.anything], .type(.optional(.bool))) { arguments in
            switch arguments[0] {
            case .bool(let value), .json(.bool(let value)): .bool(value)
            case .null, .int, .number, .time, .duration, .string, .json, .list, .map, .secret: .null
            }
        },
        FunctionRow(castTexts, [.anything], .type(.optional(.list(.string)))) { arguments in
            guard !arguments[0].isNull else { return .null }
            return arguments.texts(0).map { .list($0.map(Value.string)) } ?? .null
        },
        FunctionRow(castList, [.anything], .type(.optional(.list(.json)))) { arguments in
            arguments.list(0).map(Value.list) ?? .null
        },
        FunctionRow(toJSONValue, [.anything], .type(.json)) { .json(JSONForm.json(of: $0[0])) },
        FunctionRow(unsetWhenEmpty, [.anything], .type(.optional(.string))) { arguments in
            arguments.text(0).flatMap { $0.isEmpty ? nil : .string($0) } ?? .null
        },
        FunctionRow(URLEncoding.segment.rawValue, [.anything], .type(.optional(.string))) { arguments in
            arguments.text(0).map { .string(PercentEncoding.encodeQuery($0)) } ?? .null
        },
        FunctionRow(URLEncoding.host.rawValue, [.anything], .type(.optional(.string))) { arguments in
            arguments.text(0).map { .string(PercentEncoding.encodeHost($0)) } ?? .null
        },
    ]
}
