import FlowLanguage
import JOSE
import YAMLText

/// What must hold for any bytes at all: nothing traps, everything ends soon, and what is said fits the file.
///
/// The fuzzer and the replay of its corpus call the same functions.
enum FuzzTarget: String, CaseIterable {
    case loader, expressions, compiler
    case jwt, encryption, jwk
    case callback, discovery
    case tokenResponse = "token-response"

    /// - Returns: What does not hold; `nil` when all is well.
    func check(_ bytes: [UInt8]) -> String? {
        switch self {
        case .loader: Self.load(bytes)
        case .expressions: Self.evaluate(bytes)
        case .compiler: Self.compile(bytes)
        case .jwt: TokenFuzzing.signature(bytes) ?? TokenFuzzing.claims(bytes)
        case .encryption: TokenFuzzing.encryption(bytes)
        case .jwk: TokenFuzzing.keySet(bytes)
        case .callback: AnswerFuzzing.callback(bytes)
        case .discovery: AnswerFuzzing.metadata(bytes)
        case .tokenResponse: AnswerFuzzing.tokenResponse(bytes)
        }
    }

    // MARK: Loader

    private static func load(_ bytes: [UInt8]) -> String? {
        let file = SourceFile(path: "fuzz.yaml", bytes: bytes)
        let (root, diagnostics) = YAMLDocument.parse(file)
        _ = TextDiagnosticRenderer().render(diagnostics, sources: [file])
        guard let root else { return diagnostics.isEmpty ? "no document and no diagnostic" : nil }
        let size = measure(root)
        if size.nodes > YAMLLimits.flow.nodes { return "\(size.nodes) nodes" }
        if size.depth > YAMLLimits.flow.depth { return "\(size.depth) levels" }
        return reformat(file)
    }

    private static func measure(_ node: YAMLNode) -> (nodes: Int, depth: Int) {
        var (nodes, depth) = (1, 0)
        let children = node.sequence ?? node.mapping?.entries.map(\.value) ?? []
        nodes += node.mapping?.entries.count ?? 0
        for child in children {
            let size = measure(child)
            nodes += size.nodes
            depth = max(depth, size.depth)
        }
        return (nodes, node.scalar == nil ? depth + 1 : depth)
    }

    /// The canonical form of a file is its own canonical form.
    private static func reformat(_ file: SourceFile) -> String? {
        do throws(YAMLFormatter.Problem) {
            let once = try YAMLFormatter.format(file)
            let twice = try YAMLFormatter.format(SourceFile(path: "fuzz.yaml", text: once))
            return once == twice ? nil : "formatting a formatted file changes it"
        } catch {
            switch error {
            // What the formatter cannot write so that it reads back the same, it leaves alone.
            case .unreadable, .changed: return nil
            }
        }
    }

    // MARK: Expressions

    /// A name of every type.
    private struct Scope: ExpressionScope {
        static let names: [(name: String, type: FlowType, value: Value)] = [
            ("number", .int, .int(42)), ("ratio", .number, .number(0.5)),
            ("text", .string, .string("Ada's é")),
            ("flag", .bool, .bool(true)), ("now", .time, .time(1_767_225_600_000)),
            ("wait", .duration, .duration(90_000)), ("home", .url, .string("https://a.example/x?y=1#z")),
            ("list", .list(.string), .list([.string("openid"), .string("")])),
            ("body", .json, .json(["id": 7, "tags": ["a", ["b": .null]], "user": ["a b": 1.5]])),
            ("map", .map, .map(["a": .string("{\"n\":1}")])), ("maybe", .optional(.string), .null),
            ("count", .optional(.int), .int(.min)),
        ]

        func resolve(_ path: [String]) -> ScopeResolution {
            guard let slot = Self.names.firstIndex(where: { $0.name == path[0] }) else {
                return .unknown(code: "FL046", message: "unknown", hint: nil, at: 0)
            }
            return .slot(slot, Self.names[slot].type, consumed: 1)
        }
    }

    /// The first byte chooses between a condition and a template.
    private static func evaluate(_ bytes: [UInt8]) -> String? {
        guard let first = bytes.first, let text = String(validating: bytes.dropFirst(), as: UTF8.self) else {
            return nil
        }
        let span = SourceSpan(at: SourceMark(line: 1, column: 1))
        let node = YAMLNode(
            span: span, content: .scalar(YAMLScalar(text: text, style: .singleQuoted)))
        let context = ExpressionContext(file: "fuzz.yaml", scope: Scope())
        var code = CodeTable()
        var diagnostics: [Diagnostic] = []
        let compiled =
            first % 2 == 0
            ? ExpressionCompiler.condition(node, context, into: &code, &diagnostics)
            : ExpressionCompiler.template(node, expecting: nil, context, into: &code, &diagnostics)
        guard let compiled else { return diagnostics.hasErrors ? nil : "refused without an error" }
        var stack: ContiguousArray<Value> = []
        let value = ExpressionMachine.evaluate(
            compiled.range, code, ContiguousArray(Scope.names.map(\.value)), &stack)
        if !stack.isEmpty { return "\(stack.count) values are left on the stack" }
        if let constant = compiled.constant, constant != value, value == value {
            return "\(value) at run time, \(constant) when compiled"
        }
        guard first % 2 == 0 else { return nil }
        if case .bool = value { return nil }
        return "a condition that is \(value)"
    }

    // MARK: Compiler

    private static func compile(_ bytes: [UInt8]) -> String? {
        let file = SourceFile(path: "fuzz.flow.yaml", bytes: bytes)
        let first = FlowCompiler.compile(file)
        _ = TextDiagnosticRenderer().render(first.diagnostics, sources: [file])
        let isClean = !first.diagnostics.hasErrors
        guard let program = first.program else { return isClean ? "no program and no error" : nil }
        guard isClean else { return "a program in spite of errors" }
        if FlowCompiler.compile(file).program?.digest != program.digest {
            return "another digest the second time"
        }
        for step in program.steps {
            for route in step.routes where route != RouteRow.none {
                guard program.routes.indices.contains(Int(route)) else { return "a route beyond the table" }
                let edges = program.routes[Int(route)].edges.map { program.edges[$0] }
                guard edges.contains(where: { $0.guardCode == nil && $0.maximum == nil }) else {
                    return "a route that is not total"
                }
            }
        }
        return nil
    }
}
