package import FlowLanguage
internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// One embedded test of a flow file (flow/1 §14): a rehearsal, and what differs from what the test expects.
package enum EmbeddedTestRun {
    /// An outcome of a step through which a run went.
    package struct Passage: Sendable, Hashable {
        package let step: String
        package let outcome: String

        package init(step: String, outcome: String) {
            self.step = step
            self.outcome = outcome
        }
    }

    package struct Result: Sendable {
        /// What differs, a line each; empty when the test passes.
        package let failures: [String]
        package let passages: Set<Passage>

        package init(failures: [String], passages: Set<Passage>) {
            self.failures = failures
            self.passages = passages
        }
    }

    /// - Parameter plan: A rehearsal with the assumptions and inputs of the test.
    package static func run(_ test: EmbeddedTest, _ plan: RunPlan) async -> Result {
        let effects = PlannedEffects(plan)
        let recorder = StepRecorder()
        let outcome = await FlowRun(plan: plan, handler: effects, sinks: [recorder]).run()
        let expectations = TestExpectations(
            test: test, outcome: outcome, path: recorder.path, lastFailure: recorder.lastFailure,
            requests: effects.requests)
        return Result(failures: expectations.failures, passages: recorder.passages)
    }
}

/// The steps of a run in the order they were entered, and how they ended.
private final class StepRecorder: TraceSink {
    private struct Record {
        var path: [String] = []
        var passages: Set<EmbeddedTestRun.Passage> = []
        var lastFailure: String?
    }

    private let record = Mutex(Record())

    var path: [String] { record.withLock { $0.path } }

    var passages: Set<EmbeddedTestRun.Passage> { record.withLock { $0.passages } }

    /// How the last step failed, as `fetch: rejected, no such member`; `nil` where it did not.
    var lastFailure: String? { record.withLock { $0.lastFailure } }

    func receive(_ event: TraceEvent) {
        guard let step = event.step else { return }
        record.withLock { record in
            if case .stepStart = event.body { record.path.append(step) }
            if case .stepEnd(let end) = event.body {
                record.passages.insert(.init(step: step, outcome: end.outcome))
                record.lastFailure = end.isFailure ? "\(step): \(end.words)" : nil
            }
        }
    }
}

extension StepEnd {
    /// A choice is an answer.
    fileprivate var isFailure: Bool { outcomeClass != "success" && outcomeClass != "choice" }

    fileprivate var words: String { [outcome, description].compactMap(\.self).joined(separator: ", ") }
}

/// Compares a rehearsal with what an embedded test expects of it.
private struct TestExpectations: Sendable {
    let test: EmbeddedTest
    let outcome: RunOutcome
    let path: [String]
    let lastFailure: String?
    let requests: [RehearsedRequest]

    /// What differs, a line each; empty when the test passes.
    var failures: [String] {
        end + steps + outputs + test.requests.compactMap { failure(of: $0.path, expected: $0.expected) }
    }

    private var end: [String] {
        guard let expected = test.end, expected != outcome.end.name else { return [] }
        let said = outcome.end.error?.message ?? outcome.end.message
        let told = outcome.isSuccess ? [said] : [lastFailure, said]
        let words = told.compactMap(\.self).joined(separator: "; ")
        let reason = words.isEmpty ? "" : " (\(words))"
        return ["end: expected \(expected), got \(outcome.end.name)\(reason)"]
    }

    private var steps: [String] {
        var failures: [String] = []
        if let expected = test.path {
            // The steps of sub-flows count where the test speaks of them.
            let isDeep = expected.contains { $0.contains("/") }
            let steps = isDeep ? path : path.filter { !$0.contains("/") }
            if expected != steps {
                failures.append(
                    "path: expected \(expected.joined(separator: " ")), got \(steps.joined(separator: " "))")
            }
        }
        for (step, expected) in test.visits {
            let count = path.count { $0 == step }
            if count != expected { failures.append("visits of \(step): expected \(expected), got \(count)") }
        }
        for step in test.never where path.contains(step) {
            failures.append("never: \(step) was entered")
        }
        return failures
    }

    private var outputs: [String] {
        test.outputs.compactMap { name, expected in
            let actual = outcome.end.outputs.first { $0.name == name }?.value ?? .null
            let (wanted, got) = (JSONForm.json(of: expected), JSONForm.json(of: actual))
            if wanted == got { return nil }
            return "output \(name): expected \(wanted.serialize()), got \(got.serialize())"
        }
    }

    // MARK: Requests

    /// - Parameters:
    ///   - path: `STEP.method`, `STEP.url`, or `STEP.PART.NAME` with query, form, json, body or headers for its part.
    ///   - expected: A text, `present` or `absent`.
    private func failure(of path: String, expected: String) -> String? {
        let names = path.split(separator: ".", maxSplits: 2).map(String.init)
        guard let step = names.first, names.count > 1 else { return "\(path): names no part of a request" }
        let plans = requests.filter { $0.step == step }.map(\.plan)
        guard !plans.isEmpty else { return "\(path): \(step) made no request" }
        guard let values = values(names.dropFirst(), plans) else {
            return "\(path): names no part of a request"
        }
        switch expected {
        case "present": return values.isEmpty ? "\(path): expected present, got absent" : nil
        case "absent": return values.isEmpty ? nil : "\(path): expected absent, got \(values[0])"
        default:
            if values.contains(expected) { return nil }
            return "\(path): expected \(expected), got \(values.first ?? "absent")"
        }
    }

    /// - Returns: `nil` when the names are those of no part.
    private func values(_ names: ArraySlice<String>, _ plans: [RequestPlan]) -> [String]? {
        guard let part = names.first else { return nil }
        guard let name = names.dropFirst().first else {
            switch part {
            case "method": return plans.map(\.method.rawValue)
            case "url": return plans.map(\.endpoint)
            default: return nil
            }
        }
        let isField = part == "headers" || part == "header"
        return plans.reduce([] as [String]?) { values, plan in
            guard let values, let parameters = Self.parameters(part, plan) else { return nil }
            return values
                + parameters.filter { $0.name == name || (isField && $0.name.isSameField(name)) }
                .map { Self.text(of: $0.value) }
        }
    }

    private static func parameters(_ part: String, _ plan: RequestPlan) -> [RequestParameter]? {
        switch part {
        case "query": plan.query
        case "body": plan.body
        case "form": plan.bodyFormat == .form ? plan.body : []
        case "json": plan.bodyFormat == .json ? plan.body : []
        case "headers", "header": plan.fields
        default: nil
        }
    }

    /// Secrets are compared by nothing but their presence.
    private static func text(of value: ParameterValue) -> String {
        switch value {
        case .text(let text): text
        case .secret(let secret): secret.description
        case .basic: "‹basic credentials›"
        case .scheme(let scheme, let secret): "\(scheme) \(secret.description)"
        case .json(let payload): payload.redacted.serialize()
        }
    }
}

extension String {
    /// Names of header fields do not differ by case (RFC 9110 §5.1).
    fileprivate func isSameField(_ other: String) -> Bool { lowercased() == other.lowercased() }
}
