internal import FlowReport
internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import YAMLText

/// `version`: what this is.
enum VersionCommand {
    static let version = "0.1.0"

    static func text(_ form: Command.Form) -> String {
        switch form {
        case .text: return "flowrun \(version) (flow/1)\n"
        case .json:
            let facts: JSONObject = ["name": "flowrun", "version": .string(version), "languages": ["flow/1"]]
            return facts.serialize() + "\n"
        }
    }
}

/// `explain`: what a code of a diagnostic or of a failure means.
enum ExplainCommand {
    static func text(_ code: String, _ context: CommandContext) throws(Problem) -> String {
        let options = RenderOptions(context.common, context.surroundings.output, context.surroundings)
        let name = code.lowercased()
        if FailureCode.named(name) != nil || !FailureTexts.kinds(with: name).isEmpty {
            return text(ofFailure: name, options)
        }
        guard let rule = FlowRule.rule(of: code.uppercased()) else {
            let known = ArgumentReader.suggestion(code.uppercased(), FlowRule.all.map(\.code))
            throw Problem(.usage, "no diagnostic and no failure has the code \"\(code)\"\(known)")
        }
        guard let documentation = RuleDocumentation.of(rule.code) else {
            return "\(rule.code) (\(rule.severity.rawValue)): \(rule.title)\n\n\(rule.explanation)\n"
        }
        return documentation.text(of: rule, width: min(options.width, 90))
    }

    /// - Parameter name: Of a failure code, or what a provider or the engine says beside one.
    static func text(ofFailure name: String, _ options: RenderOptions) -> String {
        let code = FailureCode.named(name)
        var page = Page(options)
        // What some kind of step says of it comes after what holds for all.
        let kinds = FailureTexts.kinds(with: name)
        for kind in code != nil && kinds.first != "" ? [""] + kinds : kinds {
            var report = FailureReport()
            (report.flow, report.provider, report.kind) = ("FLOW", "PROVIDER", kind)
            (report.outcome, report.error) = (name, name)
            if let code { report.failureClass = code.failureClass }
            let text = report.text
            let facts = code.map { " (\($0.failureClass.rawValue), status \($0.exitStatus))" } ?? ""
            let subject = kind.isEmpty ? name + facts : "\(name) of \(kind)"
            page.line(Styled("\(subject): \(text.headline)"))
            page.line("")
            FailureForm.list("why", text.causes, &page)
            FailureForm.list("fix", text.fixes, &page)
            if kind != kinds.last, !kinds.isEmpty { page.line("") }
        }
        return page.take()
    }
}
