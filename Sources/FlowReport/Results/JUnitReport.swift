internal import FlowEngine

/// A run as the XML that build servers read: a test suite whose test cases are the visits of steps.
///
/// Only the step that the run failed for is a failure. One whose outcome the flow has an answer to is none, as long as
/// the run succeeds.
///
/// - SeeAlso: <https://llg.cubic.org/docs/junit/>
struct JUnitReport: Sendable {
    private let run: RunRecord
    private let failure: FailureWords?

    init(_ run: RunRecord) {
        self.run = run
        failure = FailureWords.of(run)
    }

    var text: String {
        let failures = failure == nil ? 0 : 1
        var tests = run.steps.indices.map(test).joined()
        var count = run.steps.count
        if let failure, run.unfinishedStep == nil {
            // Nothing but the run itself can bear it.
            tests += element(
                name: "run", time: run.duration, place: run.failure?.hookPlace, body: self.failure(failure))
            count += 1
        }
        let totals = "tests=\"\(count)\" failures=\"\(failures)\" errors=\"0\""
        let time = "time=\"\(Self.seconds(run.duration))\""
        let stamp = XMLText.quoted(String(CalendarText.utc(run.startedAt).dropLast()))
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="flowrun" \(totals) \(time)>
              <testsuite name=\(XMLText.quoted(run.start.flow)) \(totals) skipped="0" \(time) timestamp=\(stamp)>
            \(properties)\(tests)  </testsuite>
            </testsuites>

            """
    }

    private var properties: String {
        let facts = [
            ("run", run.start.run), ("provider", run.start.provider),
            ("mode", run.isDryRun ? "dry-run" : "live"), ("flow.digest", run.start.digest),
            ("end", run.end?.end ?? "none"), ("human.ms", String(run.spent.human)),
            ("network.ms", String(run.spent.network)), ("hooks.ms", String(run.spent.hooks)),
        ]
        let lines = facts.map {
            "      <property name=\(XMLText.quoted($0)) value=\(XMLText.quoted($1))/>\n"
        }
        return "    <properties>\n\(lines.joined())    </properties>\n"
    }

    private func test(_ index: Int) -> String {
        let step = run.steps[index]
        let isFailed = index == run.unfinishedStep
        let body = (isFailed ? failure.map(failure) ?? "" : "") + output(step)
        let place = (isFailed ? run.failure?.hookPlace : nil) ?? FailureReport.Place(step.start.place)
        return element(name: step.title, time: step.duration, place: place, body: body)
    }

    private func element(name: String, time: Int64, place: FailureReport.Place?, body: String) -> String {
        var head = "    <testcase name=\(XMLText.quoted(name)) classname=\(XMLText.quoted(run.start.flow)) "
        head += "time=\"\(Self.seconds(time))\""
        if let place { head += " file=\(XMLText.quoted(place.file)) line=\"\(place.line)\"" }
        return body.isEmpty ? head + "/>\n" : head + ">\n\(body)    </testcase>\n"
    }

    private func failure(_ words: FailureWords) -> String {
        let message = XMLText.quoted("\(words.verdict): \(words.headline)")
        let type = XMLText.quoted(run.failure?.failureClass.rawValue ?? words.code)
        let lines = XMLText.escaped((words.lines + ["exit: \(words.exit)"]).joined(separator: "\n"))
        return "      <failure message=\(message) type=\(type)>\(lines)</failure>\n"
    }

    private func output(_ step: StepRecord) -> String {
        let lines = StepWords.lines(step)
        guard !lines.isEmpty else { return "" }
        return "      <system-out>\(XMLText.escaped(lines.joined(separator: "\n")))</system-out>\n"
    }

    /// `0.214`
    private static func seconds(_ milliseconds: Int64) -> String { StepWords.seconds(milliseconds) }
}
