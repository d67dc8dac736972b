internal import FlowEngine

/// Why the run failed, with the evidence, the causes and what helps.
struct PageFailure: Sendable {
    private let run: RunRecord

    init(_ run: RunRecord) {
        self.run = run
    }

    var content: Markup {
        guard let failure = run.failure else { return .empty }
        let words = FailureWords(failure)
        return """
            <div class="panel bad">
            <p class="headline">\(words.headline)</p>
            <p>\(subject(failure, words))</p>
            \(list("Why", words.causes))\(list("What helps", words.fixes))\(evidence(words))</div>

            """
    }

    private func subject(_ failure: FailureReport, _ words: FailureWords) -> Markup {
        let step: Markup =
            run.failedStep.map { "<a href=\"#step-\($0 + 1)\">\(failure.step)</a>" } ?? "\(failure.step)"
        let host: Markup = failure.host.map { " at <code>\($0)</code>" } ?? .empty
        let place: Markup =
            failure.place.map { ", <code>\($0.file):\($0.line)</code>\(calls(failure))" } ?? .empty
        if let hook = failure.hook, !failure.isHookOutcome {
            let verb = hook.isFailed ? "failed" : "refused to go on"
            let within: Markup = failure.step.isEmpty ? .empty : " in step \(step)"
            return "Hook <code>\(hook.id)</code> at <code>\(hook.point)</code> \(verb)\(within)\(place)."
        }
        if failure.step.isEmpty {
            return "The run ended with <code>\(words.verdict)</code>, in no step."
        }
        return "Step \(step) ended with <code>\(words.verdict)</code>\(host)\(place)."
    }

    /// Of a step of a sub-flow, who runs it.
    private func calls(_ failure: FailureReport) -> Markup {
        failure.calls.map { ", run by <code>\($0.file):\($0.line)</code>" as Markup }.joined()
    }

    private func list(_ title: String, _ texts: [String]) -> Markup {
        if texts.isEmpty { return .empty }
        let items = texts.map { "<li>\(PageParts.prose($0))</li>\n" as Markup }
        return "<h3>\(title)</h3>\n<ol>\n\(items)</ol>\n"
    }

    private func evidence(_ words: FailureWords) -> Markup {
        if words.rows.isEmpty { return .empty }
        let rows = words.rows.map { row -> [Markup] in
            let suspect: Markup = row.suspicion == nil ? .empty : " \(PageParts.badge("likely", .warn))"
            return ["\(row.label)", "\(row.value)\(suspect)"]
        }
        return "<h3>Evidence</h3>\n"
            + PageParts.table("Evidence", head: ["Fact", "Found"], rows)
    }
}
