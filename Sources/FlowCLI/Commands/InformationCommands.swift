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

/// `explain`: what a code of a diagnostic means.
enum ExplainCommand {
    static func text(_ code: String, _ context: CommandContext) throws(Problem) -> String {
        let code = code.uppercased()
        guard let rule = FlowRule.rule(of: code) else {
            let known = ArgumentReader.suggestion(code, FlowRule.all.map(\.code))
            throw Problem(.usage, "no diagnostic has the code \"\(code)\"\(known)")
        }
        guard let documentation = RuleDocumentation.of(code) else {
            return "\(rule.code) (\(rule.severity.rawValue)): \(rule.title)\n\n\(rule.explanation)\n"
        }
        let options = RenderOptions(context.common, context.surroundings.output, context.surroundings)
        return documentation.text(of: rule, width: min(options.width, 90))
    }
}
