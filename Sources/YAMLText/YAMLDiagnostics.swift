/// The diagnostics that need more than a message.
extension Diagnostic {
    static func tab(at mark: SourceMark, in file: String) -> Diagnostic {
        Diagnostic(
            code: "FL002", file: file, span: SourceSpan(at: mark),
            message: "a tab is not indentation; use spaces")
    }

    /// FL001, or a nearer code for what libyaml merely calls unreadable.
    init(_ error: YAMLSyntaxError, openings: [YAMLComposer.Opening], source: YAMLSource) {
        let offset = SourceOffset.offset(of: error.mark, in: source.bytes)
        let rest = source.bytes[offset...]
        let span = SourceSpan(at: error.mark)
        if rest.first == UInt8(ascii: "\t") {
            self = .tab(at: error.mark, in: source.file)
        } else if error.concernsTag {
            self.init(
                code: "FL006", file: source.file, span: span,
                message: "tags are not allowed; the form of a value says its type")
        } else if error.missesColon, let mark = error.contextMark {
            // Reading stopped at the next key, lines below, or at the end of the file.
            self.init(
                code: YAMLSyntaxMessage.code, file: source.file, span: SourceSpan(at: mark),
                message: "expected \":\" after this key",
                hint: LookAlike.hint(in: source, from: mark.line, to: mark.line)
                    ?? "a key is followed by \":\" and a space, on the same line")
        } else if let opened = error.opened, let mark = error.contextMark, rest.allSatisfy({ $0 <= 0x20 }) {
            // The end of the file is far from the mistake.
            self.init(
                code: YAMLSyntaxMessage.code, file: source.file, span: SourceSpan(at: mark),
                message: "the file ends before this \(opened) does",
                related: [.init(span: span, message: "the file ends here")])
        } else {
            let character = String(decoding: rest.prefix(4), as: UTF8.self).unicodeScalars.first
            let message = YAMLSyntaxMessage(error, character: character)
            let lookAlike = LookAlike.hint(in: source, from: error.mark.line - 1, to: error.mark.line)
            self.init(
                code: YAMLSyntaxMessage.code, file: source.file, span: span, message: message.text,
                hint: lookAlike ?? message.hint, related: Self.open(at: error, openings))
        }
    }

    /// What was open where reading stopped: libyaml's word for it, else our innermost collection.
    private static func open(
        at error: YAMLSyntaxError, _ openings: [YAMLComposer.Opening]
    ) -> [Related] {
        if let opened = error.opened, let mark = error.contextMark {
            return [Related(span: SourceSpan(at: mark), message: "in the \(opened) that starts here")]
        }
        guard let innermost = openings.last else { return [] }
        let opened =
            switch (innermost.isFlow, innermost.isMapping) {
            case (true, true): "\"{\""
            case (true, false): "\"[\""
            case (false, true): "mapping"
            case (false, false): "list"
            }
        return [Related(span: SourceSpan(at: innermost.mark), message: "in the \(opened) that starts here")]
    }

    init(_ template: FlowTemplate, source: YAMLSource) {
        let text = String(decoding: source.bytes[template.bytes], as: UTF8.self)
        let isCured = template.isClosed && !text.contains("\"") && !text.contains("\\")
        self.init(
            code: "FL003", file: source.file,
            span: SourceSpan(
                start: SourceOffset.mark(of: template.bytes.lowerBound, in: source.bytes),
                end: SourceOffset.mark(of: template.bytes.upperBound, in: source.bytes)),
            message: "\"${\" inside { } or [ ] must be quoted",
            hint: isCured ? "write \"\(text)\" with the quotes" : nil, fix: isCured ? Fix("\"\(text)\"") : nil
        )
    }

    init(_ problem: YAMLTextCheck.Problem, bytes: [UInt8], file: String) {
        switch problem {
        case .directive(let offset):
            let mark = SourceOffset.mark(of: offset, in: bytes)
            self.init(
                code: "FL006", file: file, span: SourceSpan(at: mark),
                message: "directives are not allowed; the file is YAML 1.2 without tags")
        case .character(let scalar, let offset):
            let digits = String(scalar, radix: 16, uppercase: true)
            let name = String(repeating: "0", count: 4 - digits.count) + digits
            let mark = SourceOffset.mark(of: offset, in: bytes)
            self.init(
                code: "FL002", file: file, span: SourceSpan(at: mark),
                message: "character U+\(name) is not allowed in the file",
                hint: scalar == 0x0D ? "end lines with a line feed" : "write \"\\u\(name)\" in double quotes")
        }
    }
}
