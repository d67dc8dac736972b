/// How values are written that stand in a URL: so that none of them says more than the place it fills.
enum URLEncoding: String {
    /// A segment of the path, or a name or value of the query (RFC 3986 §3.3 and §3.4).
    case segment = "#segment"
    /// A part of the host, or the port behind it: what would end them makes no URL then.
    case host = "#host"

    /// Functions after whose use nothing is left to encode.
    private static let encoders: Set<String> = ["urlencode", "base64url", "hex"]

    /// The expression with what it takes from other names encoded; what its author has encoded is left alone.
    ///
    /// - Parameter plain: Names whose values are written as they are.
    func applied(to expression: Expression, except plain: Set<String>) -> Expression {
        switch expression.node {
        case .call(let name, let range, let arguments) where name == "if" && arguments.count == 3:
            let choices = arguments.dropFirst().map { applied(to: $0, except: plain) }
            return expression.with(.call(name: name, nameRange: range, [arguments[0]] + choices))
        case .call(let name, let range, let arguments) where name == "default":
            return expression.with(
                .call(name: name, nameRange: range, arguments.map { applied(to: $0, except: plain) }))
        case .binary(.coalesce, let left, let right):
            return expression.with(
                .binary(.coalesce, applied(to: left, except: plain), applied(to: right, except: plain)))
        case .call(let name, _, _) where Self.encoders.contains(name): return expression
        case .literal, .path, .select, .call, .list, .not, .binary:
            guard !expression.readsOnly(plain) else { return expression }
            let range = expression.range
            let text = expression.with(.call(name: "string", nameRange: range, [expression]))
            return expression.with(.call(name: rawValue, nameRange: range, [text]))
        }
    }
}

extension Expression {
    fileprivate func with(_ node: Node) -> Expression { Expression(node: node, range: range) }

    fileprivate func readsOnly(_ names: Set<String>) -> Bool {
        switch node {
        case .literal: true
        case .path(let root, _): names.contains(root)
        case .select(let base, _): base.readsOnly(names)
        case .call(_, _, let parts), .list(let parts): parts.allSatisfy { $0.readsOnly(names) }
        case .not(let operand): operand.readsOnly(names)
        case .binary(_, let left, let right): left.readsOnly(names) && right.readsOnly(names)
        }
    }
}
