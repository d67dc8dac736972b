/// Why composing ended before the document did.
enum YAMLStop: Error {
    case syntax(YAMLSyntaxError)
    /// A limit was passed; the diagnostic is written.
    case limit
}

/// Turns the events of one document into nodes and collects what the flow language forbids on the way.
struct YAMLComposer: ~Copyable {
    /// A collection whose end has not come yet.
    struct Opening {
        let mark: SourceMark
        let isFlow: Bool
        let isMapping: Bool
    }

    private(set) var diagnostics: [Diagnostic] = []
    /// What is open, outermost first.
    private(set) var openings: [Opening] = []
    /// A place between two tokens, before which nothing is wrong: where to look for the cause of an error.
    private(set) var lastSound = SourceMark.start
    private var parser: YAMLParser
    private var nodes = 0
    private var lines: LineCursor
    private let source: YAMLSource
    private let limits: YAMLLimits

    init(_ source: YAMLSource, limits: YAMLLimits) {
        self.source = source
        self.limits = limits
        parser = YAMLParser(source.bytes)
        lines = LineCursor(source.bytes)
        openings.reserveCapacity(min(limits.depth, 16))
    }

    /// The root of the only document; a `null` for a file with nothing in it.
    mutating func document() throws(YAMLStop) -> YAMLNode {
        _ = try next()  // the start of the stream
        guard try next().kind == .documentStart else {
            let scalar = YAMLScalar(text: "", style: .plain)
            return YAMLNode(span: SourceSpan(start: .start, end: .start), content: .scalar(scalar))
        }
        let root = try node(try next())
        _ = try next()  // the end of the document
        let after = try next()
        if after.kind == .documentStart {
            report("FL002", after.span, "a second document begins here; a file holds one")
        }
        return root
    }

    private mutating func next() throws(YAMLStop) -> YAMLEvent {
        let event: YAMLEvent
        do throws(YAMLSyntaxError) {
            event = try parser.next()
        } catch {
            throw .syntax(error)
        }
        // A plain scalar may itself be the half of something that libyaml has cut in two; an empty one
        // may be what libyaml put between the halves.
        let isPlain = event.kind == .scalar && event.style == .plain
        if !isPlain { lastSound = event.span.end } else if event.hasText { lastSound = event.span.start }
        return event
    }

    /// The text of the event that was read last.
    private func text(of event: YAMLEvent) -> String {
        if source.hasMasks, let text = source.unmaskedText(of: event) { return text }
        return parser.text
    }

    private mutating func node(_ event: YAMLEvent) throws(YAMLStop) -> YAMLNode {
        try admit(event)
        switch event.kind {
        case .scalar: return scalar(event)
        case .sequenceStart: return try sequence(event)
        case .mappingStart: return try mapping(event)
        case .alias:
            report("FL006", event.span, "alias \"*\(parser.text)\" is not allowed; write the value out")
            return YAMLNode(span: event.span, content: .scalar(YAMLScalar(text: "", style: .plain)))
        case .streamStart, .streamEnd, .documentStart, .documentEnd, .sequenceEnd, .mappingEnd:
            preconditionFailure("libyaml sent \(event.kind) where a node begins")
        }
    }

    private mutating func scalar(_ event: YAMLEvent) -> YAMLNode {
        let text = text(of: event)
        guard event.style == .literal || !event.span.isSingleLine else {
            return YAMLNode(
                span: event.span, content: .scalar(YAMLScalar(text: text, style: event.style)))
        }
        let indentation =
            event.style == .literal ? lines.indentation(ofLiteral: text, at: event.span.start) : nil
        let scalar = YAMLScalar(
            text: text, style: event.style, blockIndentation: indentation,
            lines: event.style == .literal ? [] : lines.lines(ofFolded: text, event.style, event.span))
        return YAMLNode(span: event.span, content: .scalar(scalar))
    }

    private mutating func sequence(_ start: YAMLEvent) throws(YAMLStop) -> YAMLNode {
        try open(start)
        var items: [YAMLNode] = []
        items.reserveCapacity(4)
        while true {
            let event = try next()
            if event.kind == .sequenceEnd {
                return close(start, at: event, lastEnd: items.last?.span.end, .sequence(items))
            }
            items.append(try node(event))
        }
    }

    private mutating func mapping(_ start: YAMLEvent) throws(YAMLStop) -> YAMLNode {
        try open(start)
        // The first level has most keys.
        var keys = YAMLKeyIndex(expecting: openings.count == 1 ? 24 : 4)
        var event = try next()
        while event.kind != .mappingEnd {
            let key = try key(event)
            let told = diagnostics.count
            let value = try node(try next())
            // The aliases that a merge key brings in are refused with it.
            if key == nil { diagnostics[told...].removeAll { $0.code == "FL006" } }
            if let key {
                if let first = keys.position(of: key, isASCII: event.isASCII(key)) {
                    reportDuplicate(key, event.span, of: keys.entries[first])
                } else {
                    keys.append(YAMLMapping.Entry(key: key, keySpan: event.span, value: value))
                }
            }
            event = try next()
        }
        let entries = keys.entries
        return close(
            start, at: event, lastEnd: entries.last?.value.span.end, .mapping(YAMLMapping(entries: entries)))
    }
}

extension YAMLComposer {
    /// Counts a node and refuses what no node may have.
    @inline(__always)
    private mutating func admit(_ event: YAMLEvent) throws(YAMLStop) {
        nodes += 1
        if nodes > limits.nodes || event.hasAnchor || event.hasTag || source.hasTabs { try refuse(event) }
    }

    private mutating func refuse(_ event: YAMLEvent) throws(YAMLStop) {
        guard nodes <= limits.nodes else {
            report("FL002", event.span, "the file has more than \(limits.nodes) values and keys; split it")
            throw .limit
        }
        let start = event.span.start
        // With no value behind it, it stands for the value.
        let span = event.kind == .scalar && !event.hasText ? event.span : SourceSpan(at: start)
        if event.hasAnchor {
            report("FL006", span, "anchors are not allowed; write the value where it is used")
        }
        if event.hasTag {
            report("FL006", span, "tags are not allowed; the form of a value says its type")
        }
        if source.hasTabs, let tab = source.tabIndentations[start.line], tab.contentColumn == start.column {
            let mark = SourceMark(line: start.line, column: tab.tabColumn)
            diagnostics.append(.tab(at: mark, in: source.file))
        }
    }

    private mutating func open(_ start: YAMLEvent) throws(YAMLStop) {
        guard openings.count < limits.depth else {
            report("FL002", SourceSpan(at: start.span.start), "nested deeper than \(limits.depth) levels")
            throw .limit
        }
        openings.append(
            Opening(mark: start.span.start, isFlow: start.isFlow, isMapping: start.kind == .mappingStart))
    }

    private mutating func close(
        _ start: YAMLEvent, at end: YAMLEvent, lastEnd: SourceMark?, _ content: YAMLNode.Content
    ) -> YAMLNode {
        openings.removeLast()
        // libyaml ends a block collection where the next token begins, which may be lines below.
        let blockEnd = lastEnd ?? start.span.end
        let span = SourceSpan(start: start.span.start, end: start.isFlow ? end.span.end : blockEnd)
        return YAMLNode(span: span, content: content)
    }

    /// The key that `event` is or begins; `nil` when it was refused and can name nothing.
    private mutating func key(_ event: YAMLEvent) throws(YAMLStop) -> String? {
        guard event.kind == .scalar else {
            if event.kind != .alias {
                report("FL002", SourceSpan(at: event.span.start), "a key must be a string")
            }
            _ = try node(event)
            return nil
        }
        try admit(event)
        let text = text(of: event)
        return event.style == .plain ? plainKey(text, event) : text
    }

    /// Reports a key that is no string; keeps it, so that its value is checked too.
    private mutating func plainKey(_ text: String, _ event: YAMLEvent) -> String? {
        if parser.isTextSurelyString { return text }
        if text == "<<" {
            report("FL006", event.span, "merge key \"<<\" is not allowed; write the keys out")
            return nil
        }
        switch YAMLScalar(text: text, style: .plain).value {
        case .null where text.isEmpty:
            report("FL002", event.span, "a key must be a string; here is none")
            return nil
        // A status of HTTP reads the same everywhere.
        case .int(let number) where (100...599).contains(number) && text == String(number): break
        case .null, .bool, .int, .number:
            report(
                "FL002", event.span, "key \"\(text)\" is not a string",
                hint: "write \"\(text)\" with the quotes", fix: Diagnostic.Fix("\"\(text)\""))
        case .string:
            if let meaning = Self.booleansOfYAML11[text] {
                let reading = "other tools read it as \(meaning)"
                report(
                    "FL005", event.span, "key \"\(text)\" is a YAML 1.1 boolean; \(reading)",
                    hint: "write \"\(text)\" with the quotes, or give it another name where that is yours to "
                        + "choose", fix: Diagnostic.Fix("\"\(text)\""))
            }
        }
        return text
    }

    /// <https://yaml.org/type/bool.html> without `true` and `false`, which are no strings in YAML 1.2 either.
    private static let booleansOfYAML11: [String: Bool] = [
        "y": true, "Y": true, "yes": true, "Yes": true, "YES": true, "on": true, "On": true, "ON": true,
        "True": true, "TRUE": true,
        "n": false, "N": false, "no": false, "No": false, "NO": false, "off": false, "Off": false,
        "OFF": false, "False": false, "FALSE": false,
    ]

    private mutating func reportDuplicate(
        _ key: String, _ span: SourceSpan, of first: YAMLMapping.Entry
    ) {
        diagnostics.append(
            Diagnostic(
                code: "FL004", file: source.file, span: span, message: "duplicate key \"\(key)\"",
                related: [.init(span: first.keySpan, message: "first written here")]))
    }

    private mutating func report(
        _ code: String, _ span: SourceSpan, _ message: String, hint: String? = nil, fix: Diagnostic.Fix? = nil
    ) {
        diagnostics.append(
            Diagnostic(code: code, file: source.file, span: span, message: message, hint: hint, fix: fix))
    }
}

extension YAMLEvent {
    /// Whether the event's text has nothing but ASCII; `false` where that would have to be looked up.
    ///
    /// A plain scalar on one line is as wide as it has characters, so in ASCII it is as wide as it has bytes.
    fileprivate func isASCII(_ text: String) -> Bool {
        style == .plain && span.isSingleLine && span.end.column - span.start.column == text.utf8.count
    }
}
