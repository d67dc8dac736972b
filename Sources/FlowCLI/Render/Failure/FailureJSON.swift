internal import FlowEngine
package import FlowReport
package import JOSE
internal import OAuthProtocol

/// The same failure as `FailureForm` writes, for programs.
package enum FailureJSON {
    package static func object(_ report: FailureReport) -> JSONObject {
        let words = report.text
        var json: JSONObject = [
            "code": text(report.outcome), "class": text(report.failureClass.rawValue),
            "headline": text(words.headline),
        ]
        json["error"] = report.error.map(text)
        json["description"] = report.description.map(text)
        json["rule"] = report.rule.map(text)
        json["http"] = report.status.map { .int(Int64($0)) }
        json["host"] = report.host.map(text)
        json["step"] = text(report.step)
        json["hook"] = (report.hook?.id).map(text)
        json["where"] = report.place.map(place)
        if !report.calls.isEmpty { json["called_from"] = .array(report.calls.map(place)) }
        json["checks"] = .array(report.failedChecks.map(check))
        json["evidence"] = .array(report.evidence.map(evidence))
        json["causes"] = texts(report.evidence.compactMap(\.suspicion) + words.causes)
        json["fix"] = texts(words.fixes)
        // Seconds, as in the field of the answer (RFC 9110 §10.2.3).
        json["retry_after"] = report.retryAfter.map { .int(($0 + 999) / 1000) }
        json["retryable"] = .bool(words.isRetryable)
        json["trace"] = report.keptTrace.map(text)
        return json
    }

    private static func place(_ place: FailureReport.Place) -> JSONValue {
        ["file": text(place.file), "line": .int(Int64(place.line)), "col": .int(Int64(place.column))]
    }

    private static func check(_ check: TracedCheck) -> JSONValue {
        var json: JSONObject = ["id": text(check.name), "ref": text(check.reference)]
        if case .failed(let expected, let actual) = check.verdict {
            json["expected"] = text(expected)
            json["actual"] = text(actual)
        }
        return .object(json)
    }

    private static func evidence(_ evidence: FailureReport.Evidence) -> JSONValue {
        [
            "id": text(evidence.id), "value": text(evidence.value),
            "suspect": .bool(evidence.suspicion != nil),
        ]
    }

    private static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(text)) }

    /// What others wrote is among it, and somebody may look at the JSON in a terminal.
    private static func text(_ text: String) -> JSONValue { .string(RemoteText.sanitize(text)) }
}
