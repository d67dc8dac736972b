/// How a value of one type becomes a value of another.
enum TypeConversion: Hashable {
    /// As it is.
    case none
    /// By calling the function of that name first.
    case call(String)
}

extension FlowType {
    /// The type of a list without elements, which fits every list.
    static let emptyList = FlowType.list(.null)

    /// True for types whose values are texts.
    var isText: Bool {
        switch self {
        case .string, .url, .sensitive: true
        case .int, .number, .bool, .time, .duration, .bytes, .json, .map, .secret, .tokenset, .list,
            .optional,
            .null:
            false
        }
    }

    /// True for types that a template can write into a text.
    var isRenderable: Bool {
        switch self {
        case .string, .url, .sensitive, .int, .number, .bool, .time, .duration: true
        case .bytes, .json, .map, .secret, .tokenset, .list, .optional, .null: false
        }
    }

    /// True when the type is, or may hold, a secret.
    package var holdsSecret: Bool {
        switch self {
        case .secret, .tokenset: true
        case .list(let inner), .optional(let inner): inner.holdsSecret
        case .string, .url, .sensitive, .int, .number, .bool, .time, .duration, .bytes, .json, .map, .null:
            false
        }
    }

    /// How a value of this type may stand where `target` is expected; `nil` when it may not.
    ///
    /// Does not look at `optional` of this type: the caller has dealt with it. JSON becomes a typed value only where
    /// an optional is expected, because it may hold something else.
    func conversion(to target: FlowType) -> TypeConversion? {
        if self == target { return TypeConversion.none }
        if case .optional(let wanted) = target { return optionalConversion(to: wanted) }
        switch (self, target) {
        case (.int, .number): return TypeConversion.none
        case (.url, .string), (.sensitive, .string), (.string, .sensitive), (.url, .sensitive):
            return TypeConversion.none
        case (.list(let element), .list(let wanted)):
            if element == .null { return TypeConversion.none }
            return element.conversion(to: wanted) == TypeConversion.none ? TypeConversion.none : nil
        case (_, .json): return holdsSecret ? nil : .call(FunctionTable.toJSONValue)
        default: return nil
        }
    }

    private func optionalConversion(to wanted: FlowType) -> TypeConversion? {
        if self == .null { return TypeConversion.none }
        if self == .json, let cast = wanted.castFromJSON { return .call(cast) }
        return conversion(to: wanted)
    }

    /// What to write where JSON elements stand and texts are expected; `nil` elsewhere.
    func listHint(_ wanted: FlowType) -> String? {
        guard self == .list(.json), wanted.required == .list(.string) else { return nil }
        return
            "with a list of texts behind ??, such as ?? [''], one from JSON is taken, if all in it are texts"
    }

    /// The function that takes a value of this type out of JSON, or null when it holds something else.
    var castFromJSON: String? {
        switch self {
        case .string, .sensitive: FunctionTable.castString
        case .int: FunctionTable.castInt
        case .number: FunctionTable.castNumber
        case .bool: FunctionTable.castBool
        case .url: "url"
        case .list(.string): FunctionTable.castTexts
        // Nothing is said of the elements, so they stay what they are.
        case .list(.null): FunctionTable.castList
        case .time, .duration, .bytes, .json, .map, .secret, .tokenset, .list, .optional, .null: nil
        }
    }

    /// The type that holds values of both types; `nil` when there is none.
    func united(with other: FlowType) -> FlowType? {
        if self == other { return self }
        if isOptional || other.isOptional {
            let (left, right) = (required, other.required)
            if left == .null { return right.asOptional }
            if right == .null { return left.asOptional }
            return left.united(with: right)?.asOptional
        }
        switch (self, other) {
        case (.int, .number), (.number, .int): return .number
        case (.list(.null), .list): return other
        case (.list, .list(.null)): return self
        case (.json, _): return other.holdsSecret ? nil : .json
        case (_, .json): return holdsSecret ? nil : .json
        default:
            guard isText, other.isText else { return nil }
            return self == .sensitive || other == .sensitive ? .sensitive : .string
        }
    }

    /// True when `==` may compare values of both types; an unset value equals only another one.
    func isComparable(with other: FlowType) -> Bool {
        let (left, right) = (required, other.required)
        if left == .null || right == .null || left == right { return left != .tokenset }
        if left == .secret { return right.isText }
        if right == .secret { return left.isText }
        return left.united(with: right) != nil
    }
}
