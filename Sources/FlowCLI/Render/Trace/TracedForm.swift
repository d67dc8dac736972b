internal import FlowEngine
internal import FlowReport

/// The vocabulary of events as styled text, the same in every renderer.
enum TracedForm {
    /// `‹code_verifier›`; in a live run `‹code_verifier 43 #c3d1›`.
    static func of(_ value: TracedValue) -> Styled {
        switch value {
        case .text(""): Styled("(empty)", .dim)
        case .text(let text): Styled(text)
        case .secret(let kind, let length, let fingerprint): secret(kind, length, fingerprint)
        case .prefixed(let prefix, let kind, let length, let fingerprint):
            Styled(unbroken(prefix)) + secret(kind, length, fingerprint)
        }
    }

    private static func secret(_ kind: String, _ length: Int?, _ fingerprint: String?) -> Styled {
        let parts = [kind, length.map(String.init), fingerprint.map { "#\($0)" }].compactMap(\.self)
        return Styled("‹\(parts.joined(separator: " "))›", .secret)
    }

    static func sign(_ verdict: TracedCheck.Verdict) -> Styled {
        switch verdict {
        case .passed: Styled(Symbol.passed, .good)
        case .failed: Styled(Symbol.failed, .bad)
        case .notApplicable: Styled(Symbol.choice, .dim)
        case .relaxed: Styled(Symbol.warning, .warning)
        }
    }

    static func words(_ verdict: TracedCheck.Verdict) -> Styled {
        switch verdict {
        case .passed: Styled("passed", .good)
        case .failed(let expected, let actual): Styled("expected \(expected), got \(actual)", .bad)
        case .notApplicable(let reason): Styled("not applicable: \(reason)", .dim)
        case .relaxed(let reason): Styled("relaxed: \(reason)", .warning)
        }
    }

    /// What a hook read, was given and wrote: `vars.tenant = acme, outcome.rejected`.
    static func facts(_ hook: TracedHook) -> [(word: String, values: Styled)] {
        // The names of what the expressions of an action read are in its values alone.
        let others = hook.readValues.map(\.name).filter { !hook.grants.contains($0) }
        let facts = [
            ("reads", others.isEmpty ? hook.reads : others, hook.readValues),
            ("given", hook.grants, hook.readValues), ("wrote", hook.wrote, hook.writtenValues),
        ]
        return facts.filter { !$0.1.isEmpty }.map { ($0.0, pairs($0.1, $0.2)) }
    }

    private static func pairs(_ names: [String], _ values: [TracedParameter]) -> Styled {
        var line = Styled("")
        for (index, name) in names.enumerated() {
            line.add(index == 0 ? name : ", \(name)")
            guard let value = values.first(where: { $0.name == name })?.value else { continue }
            line = line + " = " + of(value)
        }
        return line
    }

    /// `RFC 6749 §4.1.1` or nothing; a line may only be broken between two references.
    static func reference(_ text: String?) -> Styled {
        var line = String.UnicodeScalarView()
        for scalar in (text ?? "").unicodeScalars {
            line.append(scalar == " " && line.last != "," ? "\u{A0}" : scalar)
        }
        return Styled(String(line), .dim)
    }

    static func unbroken(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == " " ? "\u{A0}" : $0 }))
    }

    /// The address of a request, or what will name it.
    static func endpoint(_ endpoint: String) -> Styled {
        guard let member = TracedWords.metadataMember(endpoint) else { return Styled(endpoint, .strong) }
        return Styled("‹\(member)›", .secret) + " of the provider's metadata"
    }
}
