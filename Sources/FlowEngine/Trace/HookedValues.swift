package import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// A value that a hook was given or has changed, or that a guard has read, as the machine has it.
package struct HookedValue: Sendable {
    /// As the flow names it, such as `vars.tenant`; what is no variable as the trace lists it, such as `headers.x-tenant`.
    package let path: String
    package let value: Value
    /// By the labels of the flow.
    package let secrecy: Label.Secrecy

    init(_ path: String, _ value: Value, _ secrecy: Label.Secrecy = .public) {
        self.path = path
        self.value = value
        self.secrecy = secrecy
    }
}

/// A value of an event that a hook writes into the trace.
package struct EmittedValue: Sendable {
    /// As the flow calls it in the event.
    package let name: String
    package let value: Value
    /// What it shows something of.
    package let sources: [Source]

    package struct Source: Sendable {
        package let path: String
        /// By the labels of the flow.
        package let secrecy: Label.Secrecy
    }
}

/// What a hook was given, secrets among it, what it has changed, and what it says.
package struct HookedValues: Sendable {
    package var read: [HookedValue] = []
    package var written: [HookedValue] = []
    package var emitted: [EmittedValue] = []
}

/// Decides what of the values of hooks a trace may show.
///
/// By type, by the labels of the flow and by name, like everything else in a trace. A hook may write what it has read
/// under any name: texts about a person that one was given are not shown in what it writes either.
struct HookedValueScreen: Sendable {
    /// A rehearsal has no person to protect.
    let showsPeople: Bool
    /// What hooks were told about a person.
    private var personal = SecretIndex()
    /// The same whole: the index looks for short ones as words, and for the shortest not at all.
    private var personalTexts: Set<String> = []

    init(showsPeople: Bool) {
        self.showsPeople = showsPeople
    }

    /// The value with secrets as such and without what says who somebody is.
    mutating func screened(_ hooked: HookedValue) -> JSONPayload {
        let name = Self.isOfEngine(hooked.path) ? "" : Self.name(hooked.path)
        if hooked.secrecy == .pii { remember(hooked.value) }
        if hooked.secrecy >= .sensitive { return concealed(hooked.value) }
        return screened(hooked.value, named: name, isPersonal: hooked.secrecy == .pii)
    }

    /// A value that the labels call more than personal: texts are known as secrets, of all else that it is not shown.
    private func concealed(_ value: Value) -> JSONPayload {
        switch value {
        case .null, .bool, .string(""): .value(HookValue.json(value))
        case .string(let text): .secret(Secret(text, kind: .other))
        case .secret(let secret): .secret(secret)
        case .list(let items): .array(items.map(concealed))
        case .map(let members):
            .object(members.sorted { $0.key < $1.key }.map { ($0.key, concealed($0.value)) })
        case .int, .number, .time, .duration, .json: .value("(not shown)")
        }
    }

    private func screened(_ value: Value, named name: String, isPersonal: Bool) -> JSONPayload {
        switch value {
        case .secret(let secret): .secret(secret)
        case .list(let items): .array(items.map { screened($0, named: name, isPersonal: isPersonal) })
        case .map(let members):
            .object(
                members.sorted { $0.key < $1.key }.map {
                    ($0.key, screened($0.value, named: $0.key, isPersonal: isPersonal))
                })
        case .null, .bool, .int, .number, .time, .duration, .string, .json:
            screened(HookValue.json(value), named: name, isPersonal: isPersonal)
        }
    }

    private func screened(_ value: JSONValue, named name: String, isPersonal: Bool) -> JSONPayload {
        let isPersonal = isPersonal || TraceRedactor.personalMembers.contains(name)
        switch value {
        case .null, .bool: return .value(value)
        case .int, .bigInteger, .number:
            if AnswerScreen.isSecret(name) { return .value("(not shown)") }
            return .value(isPersonal && !showsPeople ? .string(Self.hidden) : value)
        case .string(""): return .value(value)
        case .string(let text):
            if AnswerScreen.isSecret(name) {
                return .secret(Secret(text, kind: Secret.Kind(rawValue: name) ?? .other))
            }
            return .value(showsPeople ? value : .string(shown(text, isPersonal: isPersonal)))
        case .array(let items):
            return .array(items.map { screened($0, named: name, isPersonal: isPersonal) })
        case .object(let members):
            return .object(
                members.map { ($0.key, screened($0.value, named: $0.key, isPersonal: isPersonal)) })
        }
    }

    // MARK: Events

    /// `tenant="acme"`, as an event of a hook has it; what says who somebody is only in a rehearsal.
    ///
    /// To be asked for after the values that the hook has read.
    func text(_ emitted: EmittedValue) -> String {
        // What is made of nothing, or of what only a mask or a digest shows, is for everybody.
        if showsPeople || emitted.sources.isEmpty { return "\(emitted.name)=\(TracedText.of(emitted.value))" }
        let isNamed = TraceRedactor.personalMembers.contains(SecretName.normal(emitted.name))
        let isPersonal = emitted.sources.contains { source in
            source.secrecy == .pii
                || !Self.isOfEngine(source.path)
                    && (isNamed || TraceRedactor.personalMembers.contains(Self.name(source.path)))
        }
        return "\(emitted.name)=\(TracedText.of(screened(emitted.value, isPersonal: isPersonal)))"
    }

    /// The value with what is personal in it replaced.
    private func screened(_ value: Value, isPersonal: Bool) -> Value {
        switch value {
        case .null, .bool, .secret, .string(""): value
        case .int, .number, .time, .duration: isPersonal ? .string(Self.hidden) : value
        case .string(let text): .string(shown(text, isPersonal: isPersonal))
        case .list(let items): .list(items.map { screened($0, isPersonal: isPersonal) })
        // Of which the names alone are shown.
        case .map: value
        case .json(let json):
            .json(screened(json, named: "", isPersonal: isPersonal).redacted)
        }
    }

    private func shown(_ text: String, isPersonal: Bool) -> String {
        if let address = Self.masked(text) { return address }
        if isPersonal || personalTexts.contains(text) { return Self.hidden }
        return personal.replaced(in: text)
    }

    private static let hidden = "(personal)"

    // MARK: People

    private mutating func remember(_ value: Value) {
        switch value {
        case .string(let text): remember(text)
        case .list(let items): for item in items { remember(item) }
        case .map(let members): for member in members.values { remember(member) }
        case .json(let json): remember(json)
        case .null, .bool, .int, .number, .time, .duration, .secret: break
        }
    }

    private mutating func remember(_ text: String) {
        if !text.isEmpty, personalTexts.insert(text).inserted { personal.add(text, as: "(personal)") }
    }

    private mutating func remember(_ json: JSONValue) {
        switch json {
        case .string(let text): remember(text)
        case .array(let items): for item in items { remember(item) }
        case .object(let members): for member in members { remember(member.value) }
        case .null, .bool, .int, .bigInteger, .number: break
        }
    }

    /// `a…@example.com` of a text that is an address; `nil` of any other.
    private static func masked(_ text: String) -> String? {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = parts[0].first, parts[1].contains("."), text.utf8.count <= 254,
            !text.contains(where: { $0.isWhitespace || $0 == "/" || $0 == ":" })
        else { return nil }
        return "\(first)…@\(parts[1])"
    }

    // MARK: Names

    /// Whether the engine itself has named the value, so that its name says nothing about what is in it.
    private static func isOfEngine(_ path: String) -> Bool {
        ["run.", "client.", "error.", "provider."].contains { path.hasPrefix($0) }
    }

    /// The last name of a path, as members of answers are named.
    private static func name(_ path: String) -> String {
        let dot = path.utf8.lastIndex(of: UInt8(ascii: "."))
        return SecretName.normal(dot.map { String(path[path.utf8.index(after: $0)...]) } ?? path)
    }
}
