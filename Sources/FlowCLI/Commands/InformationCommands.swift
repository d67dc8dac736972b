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
        if let failure = FailureCode.named(code.lowercased()) { return text(failure, options) }
        guard let rule = FlowRule.rule(of: code.uppercased()) else {
            let known = ArgumentReader.suggestion(code.uppercased(), FlowRule.all.map(\.code))
            throw Problem(.usage, "no diagnostic and no failure has the code \"\(code)\"\(known)")
        }
        guard let documentation = RuleDocumentation.of(rule.code) else {
            return "\(rule.code) (\(rule.severity.rawValue)): \(rule.title)\n\n\(rule.explanation)\n"
        }
        return documentation.text(of: rule, width: min(options.width, 90))
    }

    static func text(_ code: FailureCode, _ options: RenderOptions) -> String {
        var report = FailureReport()
        (report.flow, report.provider) = ("FLOW", "PROVIDER")
        (report.outcome, report.failureClass) = (code.name, code.failureClass)
        let text = report.text
        var page = Page(options)
        page.line(
            Styled(
                "\(code.name) (\(code.failureClass.rawValue), status \(code.exitStatus)): \(text.headline)"))
        page.line("")
        FailureForm.list("why", text.causes, &page)
        FailureForm.list("fix", text.fixes, &page)
        return page.take()
    }
}
