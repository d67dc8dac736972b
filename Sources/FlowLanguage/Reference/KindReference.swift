package import JOSE

/// What the table of kinds says, for people and programs: the reference page, `flowrun kinds` and the schema.
///
/// Knows no kind by name.
package enum KindReference {
    /// How the value of an argument is written.
    package static func form(of argument: ArgumentSpec) -> String {
        switch argument.form {
        // That null is as good as nothing is not what a reader asks here.
        case .expression(let type): type.required.description
        case .word(let words): words.joined(separator: " | ")
        case .words(let words): "list of \(words.joined(separator: ", "))"
        case .openWord(let words): "\(words.joined(separator: " | ")), or a text"
        case .duration: "duration"
        case .bool: "bool"
        case .tokenSet, .optionalTokenSet: "token set"
        case .step(let kind): "\(kind.rawValue) step"
        case .templates: "names with texts"
        case .fields: "names with texts, secrets too"
        case .values: "names with values"
        case .payload: "any value, secrets too"
        case .statuses: "statuses with outcomes"
        case .classification: "list of {if, outcome, class}"
        case .extraction: "names with {at, type}"
        case .flow: "name of a flow"
        case .inputs: "names of its inputs with values"
        case .port: "name of a port"
        case .portArguments: "names of its arguments with values"
        }
    }

    /// What holds for an argument that is left out; empty when nothing does.
    package static func standard(of argument: ArgumentSpec) -> String {
        argument.isRequired ? "required" : argument.standard.map { "default: \($0)" } ?? ""
    }

    /// The outcomes of a kind by class, in the order of the classes.
    package static func outcomes(of spec: KindSpec) -> [(outcomeClass: OutcomeClass, names: [String])] {
        OutcomeClass.allCases.compactMap { outcomeClass in
            let names = spec.outcomes.filter { $0.outcomeClass == outcomeClass }.map(\.name)
            return names.isEmpty ? nil : (outcomeClass, names)
        }
    }

    package static func replay(of spec: KindSpec) -> String {
        switch spec.replay {
        case .idempotent: "sending it again changes nothing, so it may be retried after an unanswered request"
        case .burning where spec.transaction == .redeems:
            "the code works once: sent again only when it never arrived, or was answered with 429"
        case .burning: "its credential works once: never sent again after an unanswered request"
        case .once:
            "may have done its work when nobody answers: retried then only where the flow says that this is harmless"
        case .local: "sends nothing"
        }
    }

    // MARK: JSON

    /// All kinds as one object, whose form only ever grows.
    package static func json() -> JSONValue {
        ["language": "flow/1", "kinds": .array(StepKind.allCases.map { json(of: KindTable.spec(of: $0)) })]
    }

    package static func json(of spec: KindSpec) -> JSONValue {
        let arguments = spec.arguments.map { argument -> JSONValue in
            [
                "name": .string(argument.name), "form": .string(form(of: argument)),
                "required": .bool(argument.isRequired),
                "default": argument.standard.map(JSONValue.string) ?? .null,
                "summary": .string(argument.summary),
            ]
        }
        let fields = { (fields: [FieldSpec]) -> JSONValue in
            .array(fields.map { ["name": .string($0.name), "type": .string($0.type.description)] })
        }
        let outcomes = spec.outcomes.map { outcome -> JSONValue in
            [
                "name": .string(outcome.name),
                "class": .string(outcome.outcomeClass.rawValue),
            ]
        }
        return [
            "kind": .string(spec.kind.rawValue), "summary": .string(spec.summary),
            "example": .string(KindExamples.text(of: spec.kind) + "\n"),
            "arguments": .array(arguments), "fields": fields(spec.fields),
            "error_fields": fields(spec.errorFields), "outcomes": .array(outcomes),
            "open": .bool(spec.isOpen),
            "replay": .string(spec.replay.rawValue), "interactive": .bool(spec.isInteractive),
        ]
    }
}
