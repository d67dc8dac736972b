package import YAMLText

/// Turns the expressions of a file into instructions: the door to the expression language (flow/1 §5).
package enum ExpressionCompiler {
    /// A condition: a bare boolean expression, without `${ }`.
    ///
    /// - Returns: `nil` after a report.
    package static func condition(
        _ node: YAMLNode, _ context: ExpressionContext, into code: inout CodeTable,
        _ diagnostics: inout [Diagnostic]
    ) -> CompiledExpression? {
        guard let scalar = node.scalar else {
            let message = "a condition is an expression, not \(node.shape)"
            diagnostics.append(
                Diagnostic(code: "FL054", file: context.file, span: node.span, message: message))
            return nil
        }
        guard !scalar.text.utf8.starts(with: "${".utf8) else {
            let message = "conditions are expressions already; drop the ${ }"
            diagnostics.append(
                Diagnostic(code: "FL007", file: context.file, span: node.span, message: message))
            return nil
        }
        var emitter = ExpressionEmitter(node, context)
        defer { diagnostics += emitter.diagnostics }
        emitter.scalars = Array(scalarsOf: scalar.text)
        guard let expression = emitter.parse(), emitter.require(.bool, expression) else { return nil }
        let facts = emitter.facts(of: expression, when: true)
        let slots = Set(facts.lazy.filter { $0.path.isEmpty }.map(\.slot))
        return emitter.finish(.bool, slotsWhenTrue: slots, into: &code)
    }

    /// A template: a literal, a scalar with `${ }`, or a list or mapping of these.
    ///
    /// A scalar that is exactly one `${ }` keeps its type; with more it is a text. A secret in a text is reported, and
    /// compiled all the same so that its other mistakes show as well.
    ///
    /// - Parameter expected: The type that the value must have; `nil` takes any.
    /// - Returns: `nil` after a report. Its type is `expected` or narrower.
    package static func template(
        _ node: YAMLNode, expecting expected: FlowType?, _ context: ExpressionContext,
        into code: inout CodeTable, _ diagnostics: inout [Diagnostic]
    ) -> CompiledExpression? {
        var emitter = ExpressionEmitter(node, context)
        defer { diagnostics += emitter.diagnostics }
        guard let type = emitter.template(node, expecting: expected) else { return nil }
        return emitter.finish(type, into: &code)
    }

    /// A value written out in the file, without templates.
    ///
    /// - Returns: `nil` after a report.
    package static func literal(
        _ node: YAMLNode, as type: FlowType, file: String, _ diagnostics: inout [Diagnostic]
    ) -> Value? {
        if let scalar = node.scalar, TemplateScanner.isTemplate(scalar.text) {
            let message = "this value must be literal; ${ } is not evaluated here"
            diagnostics.append(Diagnostic(code: "FL054", file: file, span: node.span, message: message))
            return nil
        }
        var reader = LiteralReader(file: file)
        defer { diagnostics += reader.diagnostics }
        return reader.read(node, as: type)
    }
}

extension ExpressionEmitter {
    /// The whole scalar as an expression; `nil` after a report.
    mutating func parse() -> Expression? {
        do throws(ExpressionError) {
            return try ExpressionParser.parse(scalars[...])
        } catch {
            report(error)
            return nil
        }
    }
}
