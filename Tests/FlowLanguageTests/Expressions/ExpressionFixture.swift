import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

/// A scope with one name for every type, and their values.
struct TestScope: ExpressionScope {
    static let names: [(path: String, type: FlowType, value: Value)] = [
        ("age", .int, .int(42)),
        ("ratio", .number, .number(0.5)),
        ("name", .string, .string("Ada")),
        ("on", .bool, .bool(true)),
        ("run.now", .time, .time(1_767_225_600_000)),
        ("wait", .duration, .duration(90_000)),
        ("home", .url, .string("https://a.example/x?y=1")),
        ("user_code", .sensitive, .string("WDJB-MJHT")),
        ("scopes", .list(.string), .list([.string("openid"), .string("email")])),
        (
            "body", .json,
            .json(["id": 7, "ok": true, "tags": ["a", "b"], "user": ["name": "Bo", "a b": 1]])
        ),
        ("extra", .map, .map(["user": .string("{\"n\":1}")])),
        ("token", .secret, .secret(Secret("s3cret", kind: .accessToken))),
        ("maybe", .optional(.string), .null),
        ("count", .optional(.int), .int(3)),
        ("other", .optional(.secret), .secret(Secret("s3cret", kind: .other))),
    ]

    static var values: ContiguousArray<Value> { ContiguousArray(names.map(\.value)) }

    static func slot(_ path: String) -> Int { names.firstIndex { $0.path == path } ?? -1 }

    func resolve(_ path: [String]) -> ScopeResolution {
        for count in 1...path.count {
            let name = path.prefix(count).joined(separator: ".")
            if let slot = Self.names.firstIndex(where: { $0.path == name }) {
                return .slot(slot, Self.names[slot].type, consumed: count)
            }
        }
        let isRun = path[0] == "run"
        return .unknown(
            code: "FL046", message: "nothing is named \"\(path.joined(separator: "."))\"", hint: nil,
            at: isRun ? 1 : 0)
    }
}

/// What became of one line of YAML.
struct Outcome: CustomStringConvertible {
    var compiled: CompiledExpression?
    var value: Value?
    var diagnostics: [Diagnostic]

    /// `code column: message` of each diagnostic.
    var description: String {
        diagnostics.map { "\($0.code) \($0.span.start.column): \($0.message)" }.joined(separator: "\n")
    }
}

enum ExpressionFixture {
    static func node(_ yaml: String) throws -> YAMLNode {
        let (root, diagnostics) = YAMLDocument.parse(SourceFile(path: "t.yaml", text: yaml))
        try #require(diagnostics.isEmpty, "\(diagnostics)")
        return try #require(root)
    }

    static func context(narrowed: Set<Int> = []) -> ExpressionContext {
        ExpressionContext(file: "t.yaml", scope: TestScope(), narrowed: narrowed)
    }

    /// Compiles a condition that stands alone in its file.
    static func condition(_ text: String, narrowed: Set<Int> = []) -> Outcome {
        let end = SourceMark(line: 1, column: 1 + text.unicodeScalars.count)
        let node = YAMLNode(
            span: SourceSpan(start: SourceMark(line: 1, column: 1), end: end),
            content: .scalar(YAMLScalar(text: text, style: .plain)))
        var code = CodeTable()
        var outcome = Outcome(diagnostics: [])
        outcome.compiled = ExpressionCompiler.condition(
            node, context(narrowed: narrowed), into: &code, &outcome.diagnostics)
        outcome.value = evaluate(outcome.compiled, code)
        return outcome
    }

    /// Compiles a template written as YAML.
    static func template(
        _ yaml: String, as type: FlowType? = nil, sink: Sink = Sink("text"), takesSecrets: Bool = false
    ) throws -> Outcome {
        var code = CodeTable()
        var context = context()
        context.sink = sink
        context.takesSecrets = takesSecrets
        var outcome = Outcome(diagnostics: [])
        outcome.compiled = ExpressionCompiler.template(
            try node(yaml), expecting: type, context, into: &code, &outcome.diagnostics)
        outcome.value = evaluate(outcome.compiled, code)
        return outcome
    }

    /// The value of one expression of any type.
    static func value(_ expression: String) throws -> Outcome {
        try template("'${" + expression.replacing("'", with: "''") + "}'")
    }

    private static func evaluate(_ compiled: CompiledExpression?, _ code: CodeTable) -> Value? {
        var stack: ContiguousArray<Value> = [.int(99)]
        let value = compiled.map { ExpressionMachine.evaluate($0.range, code, TestScope.values, &stack) }
        #expect(stack == [.int(99)])
        if case .bool(let isTrue)? = value, let compiled {
            // Guards are asked in a quicker way where their values are plain numbers.
            #expect(ExpressionMachine.holds(compiled.range, code, TestScope.values, &stack) == isTrue)
        }
        return value
    }
}
