internal import FlowLanguage
internal import OAuthProtocol
internal import YAMLText

/// Puts a registration into the text of `flowrun.yaml` and leaves every other byte as it is.
///
/// What comes out is read again: it must say what was wanted, and of the other providers what it said before.
enum RegistrationEdit {
    /// The place for it cannot be found, or the result would not say what is wanted.
    struct Failure: Error, Sendable, Hashable {}

    /// - Parameter text: Of the file; `nil` where there is none yet.
    static func apply(_ draft: RegistrationDraft, to text: String?, path: String) throws(Failure) -> String {
        if let text, text.unicodeScalars.first == "\u{FEFF}" {
            // Places in a file do not count the byte order mark.
            return "\u{FEFF}" + (try apply(draft, to: String(text.unicodeScalars.dropFirst()), path: path))
        }
        let start = text ?? "# Client registrations. Secrets are kept elsewhere: see flowrun help files.\n"
        let source = SourceFile(path: path, text: start)
        let before = RegistrationReader.read(source)
        guard !before.diagnostics.hasErrors else { throw Failure() }
        var edit = TextEdit(start)
        try place(draft, YAMLDocument.parse(source).root, &edit)
        let result = edit.result
        try check(result, draft, path, before.registrations)
        return result
    }

    /// Takes keys out of a provider's entry; an entry that has no others goes with them.
    static func remove(
        _ keys: Set<String>, of provider: String, from text: String, path: String
    ) throws(Failure) -> String {
        var draft = RegistrationDraft(provider: provider)
        draft.drops = keys
        let source = SourceFile(path: path, text: text)
        let before = RegistrationReader.read(source)
        let root = YAMLDocument.parse(source).root
        guard !before.diagnostics.hasErrors,
            let entry = root?.mapping?["registrations"]?.value.mapping?[provider],
            let members = entry.value.mapping
        else { throw Failure() }
        guard members.entries.allSatisfy({ keys.contains($0.key) }) else {
            return try apply(draft, to: text, path: path)
        }
        var edit = TextEdit(text)
        guard !edit.isFlow(entry.value), text.unicodeScalars.first != "\u{FEFF}" else { throw Failure() }
        edit.removeLines(entry.keySpan.start.line...edit.lastLine(of: entry))
        let result = edit.result
        let after = RegistrationReader.read(SourceFile(path: path, text: result))
        let others = before.registrations.filter { $0.provider != provider }.map(Summary.init)
        guard !after.diagnostics.hasErrors, after.registrations.map(Summary.init) == others else {
            throw Failure()
        }
        return result
    }

    // MARK: Placing

    private static func place(
        _ draft: RegistrationDraft, _ root: YAMLNode?, _ edit: inout TextEdit
    ) throws(Failure) {
        guard let registrations = root?.mapping?["registrations"] else {
            guard root == nil || root?.value == .null || root?.mapping != nil else { throw Failure() }
            return edit.append(["registrations:"] + draft.lines(indentation: 2))
        }
        guard let mapping = registrations.value.mapping else {
            // The key alone.
            return edit.insert(draft.lines(indentation: 2), afterLine: registrations.keySpan.end.line)
        }
        guard let entry = mapping[draft.provider] else {
            return try add(draft, to: registrations, mapping, &edit)
        }
        for dropped in entry.value.mapping?.entries ?? [] where draft.drops.contains(dropped.key) {
            guard !edit.isFlow(entry.value) else { throw Failure() }
            edit.removeLines(dropped.keySpan.start.line...edit.lastLine(of: dropped))
        }
        try set(draft.fields, in: entry, &edit)
    }

    private static func add(
        _ draft: RegistrationDraft, to registrations: YAMLMapping.Entry, _ mapping: YAMLMapping,
        _ edit: inout TextEdit
    ) throws(Failure) {
        if edit.isFlow(registrations.value) {
            guard mapping.entries.isEmpty else { throw Failure() }
            edit.replace(registrations.value.span, with: "")
            return edit.insert(draft.lines(indentation: 2), afterLine: registrations.value.span.end.line)
        }
        guard let first = mapping.entries.first, let last = mapping.entries.last else { throw Failure() }
        edit.insert(
            draft.lines(indentation: first.keySpan.start.column - 1), afterLine: edit.lastLine(of: last))
    }

    /// Sets keys of the mapping that an entry has as its value; an entry without value gets one.
    private static func set(
        _ fields: [RegistrationDraft.Field], in entry: YAMLMapping.Entry, _ edit: inout TextEdit
    ) throws(Failure) {
        guard let mapping = entry.value.mapping else {
            let lines = RegistrationDraft.lines(fields, indentation: entry.keySpan.start.column + 1)
            return edit.insert(lines, afterLine: entry.keySpan.end.line)
        }
        var further: [RegistrationDraft.Field] = []
        for field in fields {
            guard let known = mapping.entries.first(where: { Self.isKey($0.key, field) }) else {
                further.append(field)
                continue
            }
            switch field {
            case .text(_, let value): edit.replace(known.value.span, with: value)
            case .mapping(_, let fields): try set(fields, in: known, &edit)
            }
        }
        guard !further.isEmpty else { return }
        if edit.isFlow(entry.value) {
            return try edit.insert(further, inFlow: entry.value, isEmpty: mapping.entries.isEmpty)
        }
        guard let first = mapping.entries.first, let last = mapping.entries.last else { throw Failure() }
        let lines = RegistrationDraft.lines(further, indentation: first.keySpan.start.column - 1)
        edit.insert(lines, afterLine: edit.lastLine(of: last))
    }

    private static func isKey(_ key: String, _ field: RegistrationDraft.Field) -> Bool {
        field.key == RegistrationDraft.quoted(key) || field.key == key
    }

    // MARK: Checking

    private static func check(
        _ text: String, _ draft: RegistrationDraft, _ path: String, _ before: [Registration]
    ) throws(Failure) {
        let after = RegistrationReader.read(SourceFile(path: path, text: text))
        guard !after.diagnostics.hasErrors else { throw Failure() }
        let others = { (registrations: [Registration]) in
            registrations.filter { $0.provider != draft.provider }.map(Summary.init)
        }
        let entries = after.registrations.filter { $0.provider == draft.provider }
        guard others(before) == others(after.registrations), entries.count == 1, let entry = entries.first,
            says(entry, draft)
        else { throw Failure() }
    }

    private static func says(_ entry: Registration, _ draft: RegistrationDraft) -> Bool {
        let variables = draft.variables.allSatisfy { name, value in
            entry.variables.contains { $0.name == name && $0.value.value == value }
        }
        return (draft.clientID == nil || entry.clientID?.value == draft.clientID)
            && (draft.secret == nil || entry.secret?.value == draft.secret)
            && (!draft.drops.contains("client_secret") || draft.secret != nil || entry.secret == nil)
            && (draft.privateKey == nil || entry.privateKey?.value == draft.privateKey)
            && (draft.assertion == nil || entry.assertion?.value == draft.assertion)
            && (draft.certificate == nil || entry.certificate?.value == draft.certificate)
            && (draft.certificateKey == nil || entry.certificateKey?.value == draft.certificateKey)
            && (draft.environment == nil || entry.environment?.value == draft.environment)
            && (draft.scopes.isEmpty || entry.scopes == draft.scopes)
            && (draft.redirectURI == nil || entry.redirectURI?.value == draft.redirectURI)
            && (draft.authenticationMethod == nil
                || entry.authenticationMethod?.value == draft.authenticationMethod)
            && (draft.issuer == nil || entry.issuer?.value == draft.issuer)
            && (!draft.drops.contains("issuer") || draft.issuer != nil || entry.issuer == nil)
            && (draft.managementURI == nil || entry.managementURI?.value == draft.managementURI)
            && (draft.managementToken == nil || entry.managementToken?.value == draft.managementToken)
            && variables
    }

    /// Everything that a registration says but its place.
    private struct Summary: Equatable {
        let provider: String
        let texts: [String?]
        let sources: [SecretSource?]
        let variables: [Registration.VariableValue]
        let names: [String]

        init(_ entry: Registration) {
            provider = entry.provider
            texts = [
                entry.clientID?.value, entry.environment?.value, entry.redirectURI?.value,
                entry.authenticationMethod?.value.rawValue, entry.managementURI?.value, entry.issuer?.value,
            ]
            sources = [
                entry.secret?.value, entry.privateKey?.value, entry.assertion?.value,
                entry.certificate?.value, entry.certificateKey?.value, entry.managementToken?.value,
            ]
            variables = entry.variables.map(\.value.value)
            names = entry.variables.map(\.name) + entry.scopes
        }
    }
}

/// Changes of a text at places of its own, made all at once.
private struct TextEdit {
    private let scalars: [Unicode.Scalar]
    /// Offset of the first scalar of each line.
    private let lineStarts: [Int]
    private let lineBreak: String
    /// By offset: how much goes away, what comes; several at one offset keep their order.
    private var changes: [(offset: Int, length: Int, text: String)] = []

    init(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        self.scalars = scalars
        lineStarts = [0] + scalars.indices.filter { scalars[$0] == "\n" }.map { $0 + 1 }
        lineBreak = text.contains("\r\n") ? "\r\n" : "\n"
    }

    var result: String {
        var result = String.UnicodeScalarView()
        var offset = 0
        for change in changes.enumerated().sorted(by: {
            ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset)
        }).map(\.element) {
            result.append(contentsOf: scalars[offset..<max(offset, change.offset)])
            result.append(contentsOf: change.text.unicodeScalars)
            offset = max(offset, change.offset + change.length)
        }
        result.append(contentsOf: scalars[min(offset, scalars.count)...])
        return String(result)
    }

    private func offset(_ mark: SourceMark) -> Int {
        guard mark.line <= lineStarts.count else { return scalars.count }
        return min(scalars.count, lineStarts[mark.line - 1] + mark.column - 1)
    }

    func isFlow(_ node: YAMLNode) -> Bool {
        let start = offset(node.span.start)
        return start < scalars.count && scalars[start] == "{"
    }

    /// The last line that belongs to an entry; the comment behind its value does.
    func lastLine(of entry: YAMLMapping.Entry) -> Int {
        let end = max(entry.value.span.end, entry.keySpan.end)
        // A block ends where the next line begins.
        return end.column == 1 && end.line > entry.keySpan.start.line ? end.line - 1 : end.line
    }

    mutating func replace(_ span: SourceSpan, with text: String) {
        let start = offset(span.start)
        changes.append((start, offset(span.end) - start, text))
    }

    mutating func removeLines(_ lines: ClosedRange<Int>) {
        let start = lineStarts[lines.lowerBound - 1]
        let end = lines.upperBound < lineStarts.count ? lineStarts[lines.upperBound] : scalars.count
        changes.append((start, end - start, ""))
    }

    mutating func insert(_ lines: [String], afterLine line: Int) {
        guard line < lineStarts.count else { return append(lines) }
        changes.append((lineStarts[line], 0, lines.map { $0 + lineBreak }.joined()))
    }

    mutating func append(_ lines: [String]) {
        let isBroken = scalars.isEmpty || scalars.last == "\n"
        changes.append(
            (scalars.count, 0, (isBroken ? "" : lineBreak) + lines.map { $0 + lineBreak }.joined()))
    }

    /// Before the bracket that closes a mapping on one line.
    mutating func insert(
        _ fields: [RegistrationDraft.Field], inFlow node: YAMLNode, isEmpty: Bool
    ) throws(RegistrationEdit.Failure) {
        let place = offset(node.span.end) - 1
        guard place >= 0, place < scalars.count, scalars[place] == "}" else {
            throw RegistrationEdit.Failure()
        }
        let texts = fields.map(Self.inFlow)
        changes.append((place, 0, (isEmpty ? "" : ", ") + texts.joined(separator: ", ")))
    }

    private static func inFlow(_ field: RegistrationDraft.Field) -> String {
        switch field {
        case .text(let key, let value): "\(key): \(value)"
        case .mapping(let key, let fields): "\(key): {\(fields.map(inFlow).joined(separator: ", "))}"
        }
    }
}
