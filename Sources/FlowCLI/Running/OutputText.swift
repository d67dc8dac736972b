internal import FlowReport
internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// The outputs of a run as text or JSON; secrets stay placeholders unless they are asked for, also where a server repeats
/// them.
struct OutputText: Sendable {
    private let revealsSecrets: Bool
    /// Of the run's secrets, where none may be shown.
    private let index: SecretIndex

    init(hiding secrets: [Secret], revealsSecrets: Bool) {
        self.revealsSecrets = revealsSecrets
        index = SecretIndex(revealsSecrets ? [] : secrets)
    }

    // MARK: Text

    /// A line for each output, with the members of a map indented below it; outputs without a value are left out.
    func text(_ outputs: [(name: String, value: Value)]) -> String {
        outputs.map { lines(JSONMember(name: $0.name, value: json($0.value)), indent: 0) }.joined()
    }

    private struct JSONMember {
        let name: String
        let value: JSONValue
    }

    private func lines(_ member: JSONMember, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent) + Self.visible(member.name) + ":"
        switch member.value {
        case .null: return ""
        case .object(let object):
            let rows = object.map { lines(JSONMember(name: $0.key, value: $0.value), indent: indent + 2) }
            return "\(margin)\n\(rows.joined())"
        case .array(let items) where items.allSatisfy({ $0.stringValue != nil }):
            return "\(margin) \(items.compactMap(\.stringValue).map(Self.visible).joined(separator: " "))\n"
        case .string(let text): return "\(margin) \(Self.visible(text))\n"
        case .bool, .int, .bigInteger, .number, .array:
            return "\(margin) \(Self.visible(member.value.serialize()))\n"
        }
    }

    /// Longer texts are tokens and pictures; JSON output has them whole.
    private static let longestText = 8_192

    /// A provider's text without what a terminal would act upon.
    private static func visible(_ text: String) -> String { RemoteText.sanitize(text, limit: longestText) }

    // MARK: JSON

    /// The result of a run.
    ///
    /// - Parameter failure: What explains the end; `nil` for a success.
    func object(_ outcome: RunOutcome, status: Int, _ failure: FailureReport? = nil) -> JSONObject {
        var result: JSONObject = [
            "flow": .string(outcome.plan.program.name),
            "provider": .string(outcome.plan.providers.map(\.descriptor.id).joined(separator: ",")),
            "run": .string(outcome.runID),
            "end": .string(outcome.end.name),
            "result": .string(outcome.end.result.rawValue),
        ]
        let message = outcome.end.error?.message ?? outcome.end.message
        result["message"] = message.map {
            .string(RemoteText.sanitize(index.replaced(in: $0), limit: Self.longestText))
        }
        result["error"] = outcome.errorCode.map { .string($0) }
        result["class"] = outcome.failureClass.map { .string($0.rawValue) }
        result["failure"] = failure.map { .object(FailureJSON.object($0)) }
        result["outputs"] = .object(JSONObject(outcome.end.outputs.map { ($0.name, json($0.value)) }))
        result["exit"] = ["code": .int(Int64(status)), "name": .string(ExitName.of(status))]
        return result
    }

    /// What kept a command from its work, in the same form, with its places in files.
    ///
    /// - Parameter known: What can be told all the same.
    static func json(_ problem: Problem, known: JSONObject = [:]) -> String {
        let status = problem.status.rawValue
        var result = known
        result["result"] = "failure"
        result["message"] = .string(RemoteText.sanitize(problem.message, limit: longestText))
        result["error"] = problem.code.map { .string($0) }
        if !problem.hints.isEmpty {
            result["fix"] = .array(
                problem.hints.map { .string(RemoteText.sanitize($0, limit: longestText)) })
        }
        if !problem.diagnostics.isEmpty {
            let list = JSONDiagnosticRenderer().render(problem.diagnostics, sources: problem.sources)
            result["diagnostics"] = try? JSON.parse(Array(list.utf8))
        }
        result["exit"] = ["code": .int(Int64(status)), "name": .string(ExitName.of(status))]
        return result.serialize() + "\n"
    }

    func json(_ value: Value) -> JSONValue {
        switch value {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .int(let number): index.replaced(in: .int(number))
        case .number(let number): index.replaced(in: .number(number))
        case .time(let instant): .string(TimeText.format(instant))
        case .duration(let length): .string(DurationText.format(length))
        case .string(let text): .string(index.replaced(in: text))
        case .json(let json): index.replaced(in: json)
        case .list(let items): .array(items.map(json))
        case .map(let members):
            .object(JSONObject(sorting: members, json))
        case .secret(let secret): .string(revealsSecrets ? secret.reveal() : secret.description)
        }
    }
}
