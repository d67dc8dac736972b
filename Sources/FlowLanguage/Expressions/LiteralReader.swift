internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// Values written out in a file.
struct LiteralReader {
    let file: String
    var diagnostics: [Diagnostic] = []

    init(file: String) {
        self.file = file
    }

    /// The value of a node as a type; `nil` after a report.
    mutating func read(_ node: YAMLNode, as type: FlowType) -> Value? {
        if case .optional(let base) = type {
            return node.value == .null ? .null : read(node, as: base)
        }
        switch type {
        case .json: return .json(Self.json(node))
        case .list(let element): return list(node, element)
        case .map: return map(node)
        case .secret:
            diagnostics.append(
                .credential(
                    at: node.span, file, "a secret cannot be written in a file",
                    hint: "pass it as an input, which has no default"))
            return nil
        case .string, .int, .number, .bool, .time, .duration, .url, .sensitive, .bytes, .tokenset, .optional,
            .null:
            if let value = node.value.flatMap({ Self.scalar($0, as: type) }) { return value }
            if type == .url, case .string(let text)? = node.value,
                EndpointURL.check(text, allowLoopbackHTTP: true) == .insecure
            {
                InsecureURLRule.report(at: node.span, &diagnostics, file)
                return nil
            }
            let cure = Self.form(of: type).map { Cure($0) } ?? Self.cure(node, type)
            return wrong(node, "expected \(type), found \(node.shape)", cure)
        }
    }

    private static func scalar(_ value: YAMLScalar.Value, as type: FlowType) -> Value? {
        switch (type, value) {
        case (.string, .string(let text)), (.sensitive, .string(let text)): .string(text)
        case (.int, .int(let number)): .int(Int64(number))
        case (.number, .int(let number)): .number(Double(number))
        case (.number, .number(let number)): .number(number)
        case (.bool, .bool(let flag)): .bool(flag)
        case (.time, .string(let text)): TimeText.parse(text).map(Value.time)
        case (.duration, .string(let text)): DurationText.parse(text).map(Value.duration)
        case (.url, .string(let text)):
            EndpointURL.check(text, allowLoopbackHTTP: true) == nil ? .string(text) : nil
        case (.null, .null): .null
        default: nil
        }
    }

    private static func form(of type: FlowType) -> String? {
        switch type {
        case .time: "times are written 2026-01-31T12:00:00Z"
        case .duration: "durations are written 250ms, 20s, 5m, 24h or 30d"
        case .url: "https, or http to this machine"
        case .string, .int, .number, .bool, .bytes, .json, .map, .secret, .sensitive, .tokenset, .list,
            .optional,
            .null:
            nil
        }
    }

    /// What a text is probably to be.
    private static func cure(_ node: YAMLNode, _ type: FlowType) -> Cure? {
        if type == .string { return node.quoting }
        guard case .string(let text)? = node.value else { return nil }
        if roots.contains(where: text.hasPrefix) { return Cure("an expression is written ${\(text)}") }
        return type == .bool ? node.cureForBool : type == .int ? node.cureForInt : nil
    }

    private static let roots = [
        "inputs.", "vars.", "steps.", "out.", "tokens.", "provider.", "run.", "error.",
    ]

    private mutating func list(_ node: YAMLNode, _ element: FlowType) -> Value? {
        guard let nodes = node.sequence else {
            return wrong(node, "expected list<\(element)>, found \(node.shape)", node.cureForList)
        }
        let values = nodes.map { read($0, as: element) }
        let known = values.compactMap(\.self)
        return known.count == values.count ? .list(known) : nil
    }

    private mutating func map(_ node: YAMLNode) -> Value? {
        guard let mapping = node.mapping else {
            return wrong(node, "expected map, found \(node.shape)")
        }
        let members = mapping.entries.map { ($0.key, JSONForm.scalar(Self.json($0.value))) }
        return .map(Dictionary(members) { first, _ in first })
    }

    private mutating func wrong(_ node: YAMLNode, _ message: String, _ cure: Cure? = nil) -> Value? {
        diagnostics.append(
            Diagnostic(
                code: "FL054", file: file, span: node.span, message: message, hint: cure?.hint, fix: cure?.fix
            ))
        return nil
    }

    /// The node as JSON: YAML of this profile has no other values.
    static func json(_ node: YAMLNode) -> JSONValue {
        switch node.content {
        case .sequence(let nodes): .array(nodes.map(json))
        case .mapping(let mapping):
            .object(JSONObject(mapping.entries.map { (key: $0.key, value: json($0.value)) }))
        case .scalar(let scalar):
            switch scalar.value {
            case .null: .null
            case .bool(let value): .bool(value)
            case .int(let value): .int(Int64(value))
            case .number(let value): .number(value)
            case .string(let value): .string(value)
            }
        }
    }

    /// The type of a node by its own looks.
    static func type(of node: YAMLNode) -> FlowType {
        switch node.content {
        case .sequence: .json
        case .mapping: .map
        case .scalar(let scalar):
            switch scalar.value {
            case .null: .null
            case .bool: .bool
            case .int: .int
            case .number: .number
            case .string: .string
            }
        }
    }
}
