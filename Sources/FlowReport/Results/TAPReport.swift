internal import FlowEngine
internal import JOSE

/// A run in the Test Anything Protocol: a test point for each visit of a step.
///
/// - SeeAlso: TAP 14, <https://testanything.org/tap-version-14-specification.html>
struct TAPReport: Sendable {
    private let run: RunRecord
    private let failure: FailureWords?

    init(_ run: RunRecord) {
        self.run = run
        failure = FailureWords.of(run)
    }

    var text: String {
        let needsOwnPoint = failure != nil && run.unfinishedStep == nil
        let count = run.steps.count + (needsOwnPoint ? 1 : 0)
        let mode = run.isDryRun ? "dry run" : "run"
        var text = "TAP version 14\n1..\(count)\(count == 0 ? " # SKIP no step was entered" : "")\n"
        text += "# \(mode) \(run.start.run) of \(run.start.flow) with \(run.start.provider)\n".plainLine
        text += run.steps.indices.map(point).joined()
        if needsOwnPoint, let failure {
            text += notOK(count, "run", place: run.failure?.hookPlace, failure)
        }
        if let end = run.end { text += "# \(end.end): \(end.result), exit \(end.exit)\n".plainLine }
        return text
    }

    private func point(_ index: Int) -> String {
        let step = run.steps[index]
        if let failure, index == run.unfinishedStep {
            return notOK(
                index + 1, step.title,
                place: run.failure?.hookPlace ?? FailureReport.Place(step.start.place), failure)
        }
        let outcome = step.end.map { " \($0.outcome), then \($0.target)" } ?? ""
        let time = "  duration_ms: \(step.duration)\n"
        return "ok \(index + 1) - \(Self.description(step.title + outcome))\n  ---\n\(time)  ...\n"
    }

    private func notOK(
        _ number: Int, _ title: String, place: FailureReport.Place?, _ failure: FailureWords
    ) -> String {
        var members = [("message", failure.headline), ("severity", "fail"), ("code", failure.code)]
        if let place { members += [("file", place.file), ("line", String(place.line))] }
        var text = members.map { "  \($0): \(Self.quoted($1))\n" }.joined()
        if !failure.rows.isEmpty {
            let rows = failure.rows.map {
                "    - fact: \(Self.quoted($0.label))\n      value: \(Self.quoted($0.value))\n"
            }
            text += "  evidence:\n" + rows.joined()
        }
        text += list("causes", failure.causes) + list("fixes", failure.fixes)
        text += "  exit: \(Self.quoted(failure.exit))\n"
        return "not ok \(number) - \(Self.description(title))\n  ---\n\(text)  ...\n"
    }

    private func list(_ name: String, _ lines: [String]) -> String {
        if lines.isEmpty { return "" }
        return "  \(name):\n" + lines.map { "    - \(Self.quoted($0))\n" }.joined()
    }

    /// What JSON writes between quotes YAML reads as the same text.
    private static func quoted(_ text: String) -> String { JSONValue.string(PlainLine.of(text)).serialize() }

    /// A number sign would begin a directive.
    private static func description(_ text: String) -> String {
        PlainLine.of(text).replacing("\\", with: "\\\\").replacing("#", with: "\\#")
    }
}

extension String {
    /// The line with nothing in it that would end it before its end.
    fileprivate var plainLine: String { PlainLine.of(String(dropLast())) + "\n" }
}
