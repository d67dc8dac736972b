internal import OAuthProtocol
internal import YAMLText

/// The operators, by the rules of flow/1 §5.
extension ExpressionEmitter {
    mutating func binary(
        _ binary: BinaryOperator, _ left: Expression, _ right: Expression, _ whole: Expression,
        _ isGuarded: Bool
    ) -> FlowType? {
        switch binary {
        case .and: logical(left, right, jump: .jumpIfFalse, rightKnows: facts(of: left, when: true))
        case .or where right.isText: alternative(left, right, whole)
        case .or: logical(left, right, jump: .jumpIfTrue, rightKnows: facts(of: left, when: false))
        case .coalesce: coalesce(left, right, whole, isGuarded)
        case .equal, .notEqual: equality(binary, left, right, whole)
        case .less: order(.less, binary, left, right, whole)
        case .lessOrEqual: order(.lessOrEqual, binary, left, right, whole)
        case .greater: order(.greater, binary, left, right, whole)
        case .greaterOrEqual: order(.greaterOrEqual, binary, left, right, whole)
        case .contains: membership(left, right, whole)
        case .add, .subtract: arithmetic(binary, left, right, whole)
        }
    }

    private mutating func logical(
        _ left: Expression, _ right: Expression, jump: Instruction.Operation, rightKnows: Set<Fact>
    ) -> FlowType? {
        let isLeftBool = require(.bool, left)
        let end = emitJump(jump)
        let isRightBool = knowing(rightKnows) { $0.require(.bool, right) }
        land(end)
        return isLeftBool && isRightBool ? .bool : nil
    }

    /// `a || 'b'`, which other languages take for `a ?? 'b'`.
    private mutating func alternative(
        _ left: Expression, _ right: Expression, _ whole: Expression
    ) -> FlowType? {
        guard expression(left, isGuarded: true) != nil else { return nil }
        report(
            "FL054", whole.range, "|| joins conditions, and \(source(right)) is none",
            hint: "for a text where there is nothing else: \(source(left)) ?? \(source(right))")
        return nil
    }

    /// `a ?? b`, also the meaning of `default(a, b)`.
    ///
    /// JSON on the left takes the type of the right side: a member that holds something else counts as unset.
    /// Beside `[]` it is a list of JSON with every element that is there.
    mutating func coalesce(
        _ left: Expression, _ right: Expression, _ whole: Expression, _ isGuarded: Bool
    ) -> FlowType? {
        guard let leftType = expression(left, isGuarded: true) else {
            _ = expression(right, isGuarded: isGuarded)
            return nil
        }
        let leftEnd = code.instructions.count
        guard let found = expression(right, isGuarded: isGuarded) else { return nil }
        let rightType = Self.type(of: right, found, beside: leftType)
        let cast = leftType.required == .json ? rightType.required.castFromJSON : nil
        let taken = rightType.required == .emptyList ? FlowType.list(.json) : rightType
        guard let type = cast == nil ? leftType.required.united(with: rightType) : taken else {
            let hint =
                leftType.required == .secret && rightType.isText
                ? "a text is no secret: leave it out, and let what takes the value be an optional secret"
                : nil
            mismatch("??", leftType, rightType, whole, hint: hint)
            return nil
        }
        insertCoalesce(at: leftEnd, cast: cast)
        return type == .null ? .null : (rightType.isOptional ? type.asOptional : type.required)
    }

    /// The type of one of two values that may stand for each other: a literal beside a URL is one too, when
    /// it reads as one. Together with a text that is none, the URL is only a text.
    static func type(of expression: Expression, _ found: FlowType, beside other: FlowType) -> FlowType {
        guard found == .string, other.required == .url, case .literal(.string(let text), _) = expression.node,
            EndpointURL.check(text, allowLoopbackHTTP: true) == nil
        else { return found }
        return .url
    }

    private mutating func equality(
        _ binary: BinaryOperator, _ left: Expression, _ right: Expression, _ whole: Expression
    ) -> FlowType? {
        let first = flows.count
        let (leftType, rightType) = (expression(left), expression(right))
        guard let leftType, let rightType else { return nil }
        guard leftType.isComparable(with: rightType) else {
            mismatch(binary.rawValue, leftType, rightType, whole)
            return nil
        }
        checkIdentifiers(left, right)
        checkChoices(left, right)
        // In constant time: no more than the answer is learnt.
        if leftType.holdsSecret || rightType.holdsSecret { hideFlows(since: first) }
        emit(binary == .equal ? .equal : .notEqual)
        return .bool
    }

    private mutating func order(
        _ operation: Instruction.Operation, _ binary: BinaryOperator, _ left: Expression, _ right: Expression,
        _ whole: Expression
    ) -> FlowType? {
        guard let (leftType, rightType) = operands(left, right) else { return nil }
        guard let type = leftType.united(with: rightType), type.isOrdered else {
            mismatch(
                binary.rawValue, leftType, rightType, whole,
                hint: "int, number, time and duration are ordered")
            return nil
        }
        emit(operation)
        return .bool
    }

    private mutating func membership(
        _ left: Expression, _ right: Expression, _ whole: Expression
    ) -> FlowType? {
        guard let (element, container) = operands(left, right) else { return nil }
        let isPossible: Bool
        switch container {
        // A search ends at the first hit, so its time would tell where a secret stands.
        case .list(let inner):
            isPossible =
                !element.holdsSecret && !inner.holdsSecret
                && (inner == .null || inner.isComparable(with: element))
        case .json: isPossible = !element.holdsSecret
        case .map: isPossible = element.isText
        case .string, .int, .number, .bool, .time, .duration, .bytes, .url, .secret, .sensitive, .tokenset,
            .optional, .null:
            isPossible = false
        }
        guard isPossible else {
            let hint =
                element.holdsSecret
                ? "secrets are compared by == and != only" : "use contains(text, part) for a part of a text"
            mismatch("in", element, container, whole, hint: hint)
            return nil
        }
        checkIdentifiers(left, right)
        checkChoices(left, right)
        emit(.contains)
        return .bool
    }

    private mutating func arithmetic(
        _ binary: BinaryOperator, _ left: Expression, _ right: Expression, _ whole: Expression
    ) -> FlowType? {
        guard let (leftType, rightType) = operands(left, right) else { return nil }
        let type: FlowType
        switch (leftType, binary, rightType) {
        case (.int, _, .int): type = .int
        case (.duration, _, .duration): type = .duration
        case (.time, _, .duration), (.duration, .add, .time): type = .time
        case (.time, .subtract, .time): type = .duration
        default:
            let isText = leftType.isText || rightType.isText
            let hint = isText && binary == .add ? "texts are joined by a template: ${a}${b}" : nil
            mismatch(binary.rawValue, leftType, rightType, whole, hint: hint)
            return nil
        }
        emit(binary == .add ? .add : .subtract)
        return type
    }

    /// Writes two operands that must be set.
    private mutating func operands(_ left: Expression, _ right: Expression) -> (FlowType, FlowType)? {
        let leftType = expression(left).flatMap { required($0, left) }
        let rightType = expression(right).flatMap { required($0, right) }
        guard let leftType, let rightType else { return nil }
        return (leftType, rightType)
    }

    private mutating func mismatch(
        _ symbol: String, _ left: FlowType, _ right: FlowType, _ whole: Expression, hint: String? = nil
    ) {
        report("FL054", whole.range, "'\(symbol)' does not fit \(left) and \(right)", hint: hint)
    }
}

extension FlowType {
    fileprivate var isOrdered: Bool {
        switch self {
        case .int, .number, .time, .duration: true
        case .string, .bool, .bytes, .url, .json, .map, .secret, .sensitive, .tokenset, .list, .optional,
            .null:
            false
        }
    }
}

extension Expression {
    fileprivate var isText: Bool {
        if case .literal(_, .string) = node { true } else { false }
    }
}
