internal import FlowEngine

/// What the run was given and what it gave.
struct PageValues: Sendable {
    private let run: RunRecord

    init(_ run: RunRecord) {
        self.run = run
    }

    var content: Markup {
        let inputs = table("Input", run.start.inputs)
        let outputs = table("Output", run.end?.outputs ?? [])
        let pair: Markup =
            inputs.isEmpty && outputs.isEmpty
            ? .empty : "<div class=\"pair\">\n\(inputs)\(outputs)</div>\n"
        return "\(pair)\(registration)"
    }

    /// Which layer each value of the client's registration is from.
    private var registration: Markup {
        PageParts.table(
            "Registration", head: ["Client", "Value", "From"],
            run.start.registration.map {
                [PageParts.name($0.name), PageParts.value($0.value), "\($0.source)"]
            })
    }

    private func table(_ title: String, _ parameters: [TracedParameter]) -> Markup {
        PageParts.table(
            "\(title)s", head: [title, "Value"],
            parameters.map { [PageParts.name($0.name), PageParts.value($0.value)] })
    }
}

/// What was kept out of the trace, so that a reader knows what the placeholders stand for.
struct PageSecrets: Sendable {
    private let run: RunRecord

    init(_ run: RunRecord) {
        self.run = run
    }

    var content: Markup {
        let secrets = self.secrets
        let count = run.end?.secrets ?? 0
        if secrets.isEmpty, count == 0 { return .empty }
        let rows = secrets.map { kind, values -> [Markup] in
            ["\(kind)", values.map(PageParts.value).joined(" ")]
        }
        let words: Markup =
            count == 0
            ? "Secrets were" : count == 1 ? "One secret was" : "<strong>\(count) secrets</strong> were"
        return """
            <div class="panel">
            <p>\(words) kept out of the trace before anything was written. A placeholder names the kind, the length and a fingerprint of the value; the same fingerprint is the same value, in this run only.</p>
            <p>Signatures of tokens are left out. What says who somebody is, is <code>(personal)</code>; what a provider may put a secret into, is <code>(not shown)</code>.</p>
            \(PageParts.table("Placeholders", head: ["Kind", "Placeholders in this report"], rows))</div>

            """
    }

    /// The different values of each kind, in the order in which kinds first occur.
    private var secrets: [(kind: String, values: [TracedValue])] {
        var result: [(kind: String, values: [TracedValue])] = []
        for value in values {
            guard case .secret(let kind, let length, let fingerprint) = value.withoutPrefix else { continue }
            let plain = TracedValue.secret(kind: kind, length: length, fingerprint: fingerprint)
            if let index = result.firstIndex(where: { $0.kind == kind }) {
                if !result[index].values.contains(plain) { result[index].values.append(plain) }
            } else {
                result.append((kind, [plain]))
            }
        }
        return result
    }

    private var values: [TracedValue] {
        var parameters: [TracedParameter] = []
        for exchange in run.exchanges {
            parameters += exchange.request.query
            parameters += exchange.request.fields
            parameters += exchange.request.body
            parameters += exchange.response?.members ?? []
            for token in exchange.tokens { parameters += token.header + token.claims }
        }
        for hook in run.steps.flatMap(\.hooks) + run.otherHooks {
            parameters += hook.readValues + hook.writtenValues
        }
        return parameters.map { $0.value }
    }
}

extension TracedValue {
    fileprivate var withoutPrefix: TracedValue {
        switch self {
        case .text, .secret: self
        case .prefixed(_, let kind, let length, let fingerprint):
            .secret(kind: kind, length: length, fingerprint: fingerprint)
        }
    }
}
