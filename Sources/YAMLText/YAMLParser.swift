internal import CYAML

/// One event of libyaml, in our types; its text stays with the parser until it is asked for.
struct YAMLEvent {
    enum Kind {
        case streamStart, streamEnd, documentStart, documentEnd
        case alias, scalar, sequenceStart, sequenceEnd, mappingStart, mappingEnd
    }

    let kind: Kind
    let span: SourceSpan
    var style = YAMLScalar.Style.plain
    /// True for a scalar with a text of its own.
    var hasText = false
    /// True for a collection written with brackets.
    var isFlow = false
    var hasAnchor = false
    var hasTag = false
}

/// Why libyaml cannot read on, in its words.
struct YAMLSyntaxError: Error, Hashable {
    let problem: String
    let mark: SourceMark
    /// What was being read, and where that began.
    let context: String?
    let contextMark: SourceMark?
}

/// Reads YAML text event by event: the only owner of a `yaml_parser_t`.
struct YAMLParser: ~Copyable {
    // On the heap: the parser stores its own address.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    /// What was read last; always either empty or libyaml's to delete.
    private let event: UnsafeMutablePointer<yaml_event_t>
    private let input: UnsafeMutableBufferPointer<UInt8>

    /// - Parameter bytes: UTF-8 without a byte order mark.
    init(_ bytes: [UInt8]) {
        parser = .allocate(capacity: 1)
        event = .allocate(capacity: 1)
        event.initialize(to: yaml_event_t())
        input = .allocate(capacity: bytes.count)
        _ = input.initialize(from: bytes)
        // Fails only without memory, in which case Swift itself could not go on either.
        guard yaml_parser_initialize(parser) == 1 else { preconditionFailure("no memory for a YAML parser") }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    }

    deinit {
        yaml_event_delete(event)
        yaml_parser_delete(parser)
        parser.deallocate()
        event.deallocate()
        input.deallocate()
    }

    /// The next event; not to be called again after `streamEnd` or an error.
    ///
    /// - Throws: `YAMLSyntaxError` where the text stops being YAML.
    mutating func next() throws(YAMLSyntaxError) -> YAMLEvent {
        yaml_event_delete(event)
        guard yaml_parser_parse(parser, event) == 1 else { throw syntaxError() }
        return YAMLEvent(event)
    }

    /// The text of the scalar, or the name of the alias, that `next` answered last.
    var text: String {
        switch event.pointee.type {
        case YAML_SCALAR_EVENT:
            let bytes = UnsafeBufferPointer(
                start: event.pointee.data.scalar.value, count: event.pointee.data.scalar.length)
            return String(decoding: bytes, as: UTF8.self)
        case YAML_ALIAS_EVENT: return String(cString: event.pointee.data.alias.anchor)
        default: return ""
        }
    }

    /// Whether the scalar that `next` answered last, written plain, can be nothing but a string in any version of YAML.
    ///
    /// True for nearly every key, at the price of looking at two letters.
    var isTextSurelyString: Bool {
        guard event.pointee.data.scalar.length > 0, let text = event.pointee.data.scalar.value else {
            return false
        }
        // Behind the last letter stands a zero.
        let (first, second) = (text[0], text[1])
        if second == 0 { return first >= UInt8(ascii: "A") && !"yYnN".utf8.contains(first) }
        switch (first | 0x20, second | 0x20) {
        // yes, no, null, on, off, true, false, in any case (the bit is what tells the cases apart).
        case (UInt8(ascii: "y"), UInt8(ascii: "e")), (UInt8(ascii: "n"), UInt8(ascii: "o")),
            (UInt8(ascii: "n"), UInt8(ascii: "u")), (UInt8(ascii: "o"), UInt8(ascii: "n")),
            (UInt8(ascii: "o"), UInt8(ascii: "f")), (UInt8(ascii: "t"), UInt8(ascii: "r")),
            (UInt8(ascii: "f"), UInt8(ascii: "a")):
            return false
        default: return first >= UInt8(ascii: "A")
        }
    }

    private func syntaxError() -> YAMLSyntaxError {
        let state = parser.pointee
        let context = state.context.map { String(cString: $0) }
        return YAMLSyntaxError(
            problem: state.problem.map { String(cString: $0) } ?? "no memory",
            // The reader knows no mark of its own; that of the parser is near.
            mark: SourceMark(state.error == YAML_READER_ERROR ? state.mark : state.problem_mark),
            context: context,
            contextMark: context == nil ? nil : SourceMark(state.context_mark))
    }
}

extension SourceMark {
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(inSmallFile: mark.line + 1, column: mark.column + 1)
    }
}

extension YAMLEvent {
    /// Reads through the pointer, so that nothing of the large union is copied.
    fileprivate init(_ event: UnsafePointer<yaml_event_t>) {
        let span = SourceSpan(
            start: SourceMark(event.pointee.start_mark), end: SourceMark(event.pointee.end_mark))
        switch event.pointee.type {
        case YAML_STREAM_START_EVENT: self.init(kind: .streamStart, span: span)
        case YAML_DOCUMENT_START_EVENT: self.init(kind: .documentStart, span: span)
        case YAML_DOCUMENT_END_EVENT: self.init(kind: .documentEnd, span: span)
        case YAML_ALIAS_EVENT: self.init(kind: .alias, span: span)
        case YAML_SCALAR_EVENT:
            self.init(
                kind: .scalar, span: span, style: YAMLScalar.Style(event.pointee.data.scalar.style),
                hasText: event.pointee.data.scalar.length > 0,
                hasAnchor: event.pointee.data.scalar.anchor != nil,
                hasTag: event.pointee.data.scalar.tag != nil)
        case YAML_SEQUENCE_START_EVENT:
            let start = event.pointee.data.sequence_start
            self.init(
                kind: .sequenceStart, span: span, isFlow: start.style == YAML_FLOW_SEQUENCE_STYLE,
                hasAnchor: start.anchor != nil, hasTag: start.tag != nil)
        case YAML_MAPPING_START_EVENT:
            let start = event.pointee.data.mapping_start
            self.init(
                kind: .mappingStart, span: span, isFlow: start.style == YAML_FLOW_MAPPING_STYLE,
                hasAnchor: start.anchor != nil, hasTag: start.tag != nil)
        case YAML_SEQUENCE_END_EVENT: self.init(kind: .sequenceEnd, span: span)
        case YAML_MAPPING_END_EVENT: self.init(kind: .mappingEnd, span: span)
        default:
            // libyaml answers "no event" when asked again after the end.
            self.init(kind: .streamEnd, span: span)
        }
    }
}

extension YAMLScalar.Style {
    fileprivate init(_ style: yaml_scalar_style_t) {
        switch style {
        case YAML_SINGLE_QUOTED_SCALAR_STYLE: self = .singleQuoted
        case YAML_DOUBLE_QUOTED_SCALAR_STYLE: self = .doubleQuoted
        case YAML_LITERAL_SCALAR_STYLE: self = .literal
        case YAML_FOLDED_SCALAR_STYLE: self = .folded
        default: self = .plain
        }
    }
}
