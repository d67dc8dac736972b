/// An expression as it was written.
///
/// Ranges count Unicode scalars from the start of the YAML scalar that holds the expression.
struct Expression {
    let node: Node
    let range: Range<Int>

    indirect enum Node {
        case literal(Value, FlowType)
        /// A name with everything selected from it, such as `steps.verify.claims['sub']`.
        case path(root: String, [Selection])
        /// Something selected from a value that is no name.
        case select(Expression, [Selection])
        case call(name: String, nameRange: Range<Int>, [Expression])
        case list([Expression])
        case not(Expression)
        case binary(BinaryOperator, Expression, Expression)
    }

    /// A member or an element, and where it is named.
    struct Selection {
        enum Key {
            case member(String)
            case index(Int)
        }
        let key: Key
        let range: Range<Int>
    }
}

enum BinaryOperator: String {
    case or = "||"
    case and = "&&"
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case contains = "in"
    case coalesce = "??"
    case add = "+"
    case subtract = "-"
}

/// Why a text is not an expression, and where.
struct ExpressionError: Error {
    /// `FL008` for syntax, `FL056` for size.
    var code = "FL008"
    let message: String
    var hint: String?
    let range: Range<Int>

    static func tooLarge(_ range: Range<Int>) -> ExpressionError {
        ExpressionError(message: "this number does not fit 64 bits", range: range)
    }
}

/// Bounds of one expression (flow/1 §5).
enum ExpressionLimits {
    static let characters = 1_024
    static let nodes = 64
    static let depth = 12
    static let listElements = 64
}
