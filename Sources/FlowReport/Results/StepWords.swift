internal import FlowEngine

/// A visit of a step in a few lines, for reports of tests.
enum StepWords {
    static func lines(_ step: StepRecord) -> [String] {
        var lines = step.exchanges.map(line)
        lines += step.retries.map {
            "\($0.outcome), attempt \($0.attempt) in \(SpanText.of($0.delay)), \($0.reason)"
        }
        lines += step.hooks.map(hook)
        lines += step.warnings.map { "warning: \($0)" }
        if let checks = CheckSummary.text(step.checks) { lines.append(checks) }
        if let end = step.end { lines.append(outcome(end)) }
        return lines.map(PlainLine.of)
    }

    private static func line(_ exchange: Exchange) -> String {
        let request = "\(exchange.request.method) \(exchange.request.endpoint)"
        switch exchange.answer {
        case .response(let response, _):
            return "\(request): \(response.status), \(SpanText.of(exchange.duration))"
        case .failure(let cause, _, let message, _): return "\(request): \(cause), \(message)"
        case nil: return exchange.isBrowser ? "\(request): in the browser" : request
        }
    }

    /// `hook audit at step.after: failed: it exited with status 1, 12 ms`
    private static func hook(_ hook: TracedHook) -> String {
        let took = hook.duration.map { ", \(SpanText.of($0))" } ?? ""
        let words = [hook.decision, hook.message, hook.callText].compactMap(\.self)
        return "hook \(hook.id) at \(hook.point): \(words.joined(separator: ": "))\(took)"
    }

    /// `absent: no session is stored, then authorize`
    static func outcome(_ end: StepEnd) -> String {
        let details = [end.status.map(String.init), end.error, end.description].compactMap(\.self)
        let why = details.isEmpty ? "" : ": \(details.joined(separator: ", "))"
        return "\(end.outcome)\(why), then \(end.target)"
    }

    /// `0.214`
    static func seconds(_ milliseconds: Int64) -> String {
        let span = max(0, milliseconds)
        let rest = String(span % 1000)
        return "\(span / 1000).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)"
    }
}
