internal import YAMLText

/// Templates: scalars with `${ }`, and lists and mappings of them.
extension ExpressionEmitter {
    /// Writes the value of a node.
    ///
    /// - Returns: Its type, which is `expected` or narrower; `nil` after a report.
    mutating func template(_ node: YAMLNode, expecting expected: FlowType?) -> FlowType? {
        guard Self.holdsTemplate(node) else { return literal(node, expected) }
        return folding { emitter in
            switch node.content {
            case .scalar(let scalar):
                emitter.node = node
                emitter.scalars = Array(scalarsOf: scalar.text)
                return emitter.scalarTemplate(expected)
            case .sequence(let nodes): return emitter.list(nodes, node, expected)
            case .mapping(let mapping): return emitter.map(mapping, node, expected)
            }
        }
    }

    private static func holdsTemplate(_ node: YAMLNode) -> Bool {
        switch node.content {
        case .scalar(let scalar): TemplateScanner.isTemplate(scalar.text)
        case .sequence(let nodes): nodes.contains(where: holdsTemplate)
        case .mapping(let mapping): mapping.entries.contains { holdsTemplate($0.value) }
        }
    }

    private mutating func literal(_ node: YAMLNode, _ expected: FlowType?) -> FlowType? {
        var reader = LiteralReader(file: context.file)
        let type = expected ?? LiteralReader.type(of: node)
        let value = reader.read(node, as: type)
        diagnostics += reader.diagnostics
        guard let value else { return nil }
        warnOfNames(node)
        emitConstant(value)
        return value == .null ? .null : type.required
    }

    /// FL109: a text that is the name of a value here, or holds it as other programs write their templates.
    private mutating func warnOfNames(_ node: YAMLNode) {
        for element in node.sequence ?? [] { warnOfNames(element) }
        for entry in node.mapping?.entries ?? [] { warnOfNames(entry.value) }
        guard let text = node.scalar?.text else { return }
        for call in NameInText.calls(in: text) {
            let written = String(scalars: Array(scalarsOf: text)[call.range])
            diagnostics.append(
                Diagnostic(
                    code: "FL109", severity: .warning, file: context.file,
                    span: node.span(ofScalars: call.range),
                    message: "this is the text \"\(written)\", not what the function gives",
                    hint: "write ${\(call.function)(...)} for the value"))
        }
        for found in NameInText.all(in: text) {
            switch context.scope.resolve(found.path) {
            case .slot: break
            // Behind a beginning that is known.
            case .unknown(_, _, _, _, let index): guard index > 0, !found.isWhole else { continue }
            }
            let written = String(scalars: Array(scalarsOf: text)[found.range])
            diagnostics.append(
                Diagnostic(
                    code: "FL109", severity: .warning, file: context.file,
                    span: found.isWhole ? node.span : node.span(ofScalars: found.range),
                    message: "this is the text \"\(written)\", not the value of that name",
                    hint: "write ${\(found.path.joined(separator: "."))} for the value"))
        }
    }

    // MARK: Scalars

    private mutating func scalarTemplate(_ expected: FlowType?) -> FlowType? {
        do throws(ExpressionError) {
            let segments = try TemplateScanner.segments(scalars)
            if segments.count == 1, case .expression(let range) = segments[0] {
                let expression = try ExpressionParser.parse(scalars[range])
                let first = flows.count
                return self.expression(expression).flatMap {
                    convert($0, to: expected, expression, since: first)
                }
            }
            return text(segments).flatMap { fit($0, to: expected) }
        } catch {
            report(error)
            return nil
        }
    }

    /// Joins the segments; every mistake in every one of them is reported.
    private mutating func text(_ segments: [TemplateSegment]) -> FlowType? {
        folding { emitter in
            var type: FlowType? = .string
            var start = URLStart()
            for segment in segments {
                switch segment {
                case .text(let text):
                    if emitter.isDestination || emitter.context.plainInURL != nil { start.append(text) }
                    emitter.emitConstant(.string(text))
                case .expression(let range):
                    let first = emitter.flows.count
                    let part = emitter.part(range, encoding: start.encoding)
                    if emitter.isDestination, start.namesHost { emitter.disarmFlows(since: first) }
                    start.appendValue()
                    guard let part else {
                        type = nil
                        continue
                    }
                    if part == .secret, type != nil { type = .secret }
                    if part == .sensitive, type == .string { type = .sensitive }
                }
            }
            emitter.emit(.makeText, emitter.context.isLenient ? 1 : 0, count: segments.count)
            return type
        }
    }

    fileprivate var isDestination: Bool {
        if case .destination = context.sink.purpose { true } else { false }
    }

    /// - Parameter encoding: How a value is written there if the text is a URL.
    private mutating func part(_ range: Range<Int>, encoding: URLEncoding?) -> FlowType? {
        do throws(ExpressionError) {
            var expression = try ExpressionParser.parse(scalars[range])
            if let plain = context.plainInURL, let encoding {
                expression = encoding.applied(to: expression, except: plain)
            }
            let first = flows.count
            guard let type = self.expression(expression) else { return nil }
            if type.required == .secret, context.takesSecrets {
                return required(type, expression, wanted: .secret)
            }
            if type.holdsSecret { return refuseSecret(expression, since: first) }
            if context.isLenient { return lenient(type, expression) }
            guard let found = required(type, expression, wanted: .string) else { return nil }
            guard found.isRenderable else {
                report(
                    "FL054", expression.range,
                    "\"\(source(expression))\" is \(found) and cannot stand in a text",
                    hint: Self.hint(asText: found, source(expression))
                )
                return nil
            }
            return found
        } catch {
            report(error)
            return nil
        }
    }

    /// A scalar as text, unset when there is none.
    private mutating func lenient(_ type: FlowType, _ expression: Expression) -> FlowType? {
        switch type.required {
        case .string, .url, .sensitive: return .string
        case .json, .int, .number, .bool:
            emitCall("string")
            return .string
        case .time, .duration, .bytes, .map, .secret, .tokenset, .list, .optional, .null:
            report(
                "FL054", expression.range, "\"\(source(expression))\" is \(type) and cannot stand in a text",
                hint: type == .bytes ? Self.hint(asText: type, source(expression)) : nil)
            return nil
        }
    }

    /// Reports a secret in a text; its references stay known.
    private mutating func refuseSecret(_ expression: Expression, since first: Int) -> FlowType {
        report("FL062", expression.range, "secret \"\(source(expression))\" flows into \(context.sink.name)")
        hideFlows(since: first)
        return .string
    }

    // MARK: Types

    /// Makes the value of an expression one of the expected type.
    private mutating func convert(
        _ type: FlowType, to expected: FlowType?, _ expression: Expression, since first: Int
    ) -> FlowType? {
        guard let expected else { return type }
        if type.required == .secret, context.takesSecrets { return type }
        if type.holdsSecret, expected.required.isText { return refuseSecret(expression, since: first) }
        if context.isLenient, expected == .string {
            let count = code.instructions.count
            let text = lenient(type, expression)
            endsInText = code.instructions.count > count
            return text
        }
        let isOptionalWanted = expected.isOptional || expected == .json
        guard let base = isOptionalWanted ? type.required : required(type, expression, wanted: expected)
        else {
            return nil
        }
        // The conversion to an optional target says null where JSON holds something else.
        guard let conversion = base.conversion(to: expected) ?? (type == .null ? TypeConversion.none : nil)
        else {
            report(
                "FL054", expression.range,
                "\"\(source(expression))\" is \(type), but \(expected) is expected here",
                hint: Self.conversionHint(base, expected) ?? castHint(source(expression), base, expected))
            return nil
        }
        return apply(conversion, from: type, to: expected)
    }

    private static func hint(asText found: FlowType, _ text: String) -> String {
        switch found {
        case .json: "write string(\(text)) ?? ''"
        case .bytes: "write hex(\(text)), base64(\(text)) or base64url(\(text))"
        default: "use join or to_json"
        }
    }

    private static func conversionHint(_ found: FlowType, _ expected: FlowType) -> String? {
        if found == .json { return "write string(...), int(...) or another conversion" }
        if found == .string, expected.required == .url {
            return "url(...) reads a text as one; a literal is one when it is https, or http to this machine"
        }
        return found.listHint(expected)
    }

    /// The function that makes the one type of the other, and what to do where it cannot.
    private func castHint(_ text: String, _ found: FlowType, _ expected: FlowType) -> String? {
        let wanted = expected.required
        let isReadable = [.int, .number, .bool, .time, .duration].contains(wanted) && found == .string
        let isWritable = wanted == .string && [.int, .number, .bool, .time, .duration, .url].contains(found)
        guard isReadable || isWritable else { return nil }
        let stand = wanted == .string ? "''" : "<value>"
        return "write \(wanted)(\(text))" + (expected.isOptional ? "" : " ?? \(stand)")
    }

    private mutating func fit(_ type: FlowType, to expected: FlowType?) -> FlowType? {
        guard let expected, type != expected else { return type }
        if type == .secret, context.takesSecrets { return type }
        if type == .string, expected == .optional(.url) {
            // A text that turns out to be no URL is none.
            emitCall("url")
            return expected
        }
        guard let conversion = type.conversion(to: expected) else {
            let everything = scalars.indices
            report("FL054", everything, "this text is \(type), but \(expected) is expected here")
            return nil
        }
        return apply(conversion, from: type, to: expected)
    }

    private mutating func apply(
        _ conversion: TypeConversion, from type: FlowType, to expected: FlowType
    ) -> FlowType {
        switch conversion {
        case .none:
            return type.isOptional || type == expected ? type : expected.required
        case .call(let function):
            emitCall(function)
            return expected == .json ? .json : (type.required == .json ? expected : expected.required)
        }
    }

    // MARK: Collections

    private mutating func list(_ nodes: [YAMLNode], _ node: YAMLNode, _ expected: FlowType?) -> FlowType? {
        let wanted: FlowType?
        switch expected?.required {
        case .list(let element): wanted = element
        case .json, nil: wanted = .json
        case let other?: return wrongShape(node, other)
        }
        let types = nodes.map { template($0, expecting: wanted) }
        emit(.makeList, count: nodes.count)
        guard !types.contains(nil), let wanted else { return nil }
        if context.takesSecrets { return .json }
        guard wanted == .json, expected?.required != .list(.json) else { return .list(wanted) }
        emitCall(FunctionTable.toJSONValue)
        return .json
    }

    private mutating func map(
        _ mapping: YAMLMapping, _ node: YAMLNode, _ expected: FlowType?
    ) -> FlowType? {
        let isJSON = expected?.required == .json
        if let other = expected?.required, other != .map, !isJSON { return wrongShape(node, other) }
        let types = mapping.entries.map { template($0.value, expecting: isJSON ? .json : nil) }
        let names = constant(.list(mapping.entries.map { .string($0.key) }))
        emit(.makeMap, names, count: mapping.entries.count)
        guard !types.contains(nil) else { return nil }
        if isJSON { emitCall(FunctionTable.toJSONValue) }
        return isJSON ? .json : .map
    }

    private mutating func wrongShape(_ node: YAMLNode, _ expected: FlowType) -> FlowType? {
        diagnostics.append(
            Diagnostic(
                code: "FL054", file: context.file, span: node.span,
                message: "expected \(expected), found \(node.shape)"))
        return nil
    }
}

/// How much of a URL the pieces of a template have written so far.
private struct URLStart {
    /// Whether what follows can no longer change where the URL leads: its host has ended.
    private(set) var namesHost = false
    private var text = ""
    /// How a value that comes next is written; `nil` for one that the URL begins with.
    var encoding: URLEncoding? { text.isEmpty ? nil : namesHost ? .segment : .host }
    private var isAfterValue = false

    mutating func append(_ more: String) {
        // Two slashes may be those before the host.
        if isAfterValue, let first = more.first, Self.ends(first), !more.hasPrefix("//") { namesHost = true }
        isAfterValue = false
        text += more
        guard let scheme = text.firstRange(of: "://") else { return }
        if text[scheme.upperBound...].dropFirst().contains(where: Self.ends) { namesHost = true }
    }

    mutating func appendValue() {
        isAfterValue = true
        // A stand-in of one character.
        text += "x"
    }

    private static func ends(_ character: Character) -> Bool {
        character == "/" || character == "?" || character == "#"
    }
}
