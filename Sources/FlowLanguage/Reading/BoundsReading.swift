internal import YAMLText

/// Limits, defaults and retry policies (flow/1 §3, §7).
extension FlowReader {
    mutating func limits(_ flow: MappingReader) -> RunLimits {
        var limits = RunLimits()
        let keys = ["deadline", "transitions", "visits", "hook_time", "response_bytes"]
        let fields = flow.mapping(
            "limits", keys: keys, elsewhere: { OtherNames.limits.hint($0, among: keys) },
            &findings.diagnostics)
        guard let fields else { return limits }
        limits.deadline = fields.timeLimit("deadline", &findings.diagnostics) ?? limits.deadline
        limits.transitions =
            fields.int("transitions", in: 1...100_000, &findings.diagnostics) ?? limits.transitions
        limits.visits = fields.int("visits", in: 1...10_000, &findings.diagnostics) ?? limits.visits
        limits.hookTime = fields.timeLimit("hook_time", &findings.diagnostics) ?? limits.hookTime
        if let node = fields["response_bytes"] {
            if let count = Self.byteCount(node.scalar?.text ?? "") {
                limits.responseBytes = count
            } else {
                let form = "a size such as 4096, 64 KiB or 1 MiB"
                fields.wrong("response_bytes", node, form, &findings.diagnostics)
            }
        }
        return limits
    }

    /// At most 64 MiB: an answer is held in memory.
    private static func byteCount(_ text: String) -> Int? {
        let words = text.split(separator: " ")
        guard let first = words.first, let count = Int(first), count > 0 else { return nil }
        let units = ["": 1, "KiB": 1 << 10, "MiB": 1 << 20]
        guard words.count <= 2, let unit = units[words.count == 2 ? String(words[1]) : ""] else { return nil }
        let (bytes, overflows) = count.multipliedReportingOverflow(by: unit)
        return overflows || bytes > 64 << 20 ? nil : bytes
    }

    mutating func defaults(_ flow: MappingReader) -> DefaultsDefinition {
        var defaults = DefaultsDefinition()
        let keys = ["timeout", "retry", "next"]
        guard let fields = flow.mapping("defaults", keys: keys, &findings.diagnostics) else {
            return defaults
        }
        defaults.timeout = fields.timeLimit("timeout", &findings.diagnostics)
        defaults.retry = retry(fields)
        let routes = entries(fields, "next", of: "defaults")
        defaults.routes = routes.compactMap { route($0, of: "defaults") }
        return defaults
    }

    mutating func retry(_ owner: MappingReader) -> RetryDefinition? {
        if let node = owner["retry"], case .string(let text) = node.value {
            let name = Located(text, at: node.span)
            var retry = RetryDefinition(span: node.span)
            retry.reference = name
            return retry
        }
        let keys = ["outcomes", "attempts", "backoff", "retry_after"]
        let count = findings.diagnostics.count
        let fields = owner.mapping(
            "retry", keys: keys, elsewhere: { OtherNames.retry.hint($0, among: keys) },
            &findings.diagnostics)
        guard let fields else { return nil }
        fields.require("outcomes", diagnostics: &findings.diagnostics)
        var retry = RetryDefinition(span: fields.span)
        retry.outcomes = selectors("outcomes", of: fields) ?? []
        retry.policy.attempts = fields.int("attempts", in: 1...10, &findings.diagnostics) ?? 1
        backoff(fields, &retry.policy)
        let after = fields.mapping("retry_after", keys: ["honor", "max"], &findings.diagnostics)
        if let honors = after?.bool("honor", &findings.diagnostics) { retry.policy.honorsRetryAfter = honors }
        if let maximum = after?.duration("max", &findings.diagnostics) {
            retry.policy.retryAfterMaximum = maximum
        }
        retry.isSound = findings.diagnostics.count == count
        return retry
    }

    private mutating func backoff(_ retry: MappingReader, _ policy: inout RetryPolicy) {
        let keys = ["initial", "factor", "max", "jitter"]
        guard let fields = retry.mapping("backoff", keys: keys, &findings.diagnostics) else { return }
        policy.initial = fields.duration("initial", &findings.diagnostics) ?? policy.initial
        policy.maximum = fields.duration("max", &findings.diagnostics) ?? policy.maximum
        policy.jitter =
            fields.word("jitter", as: RetryPolicy.Jitter.self, &findings.diagnostics) ?? policy.jitter
        if let factor = fields.number("factor", &findings.diagnostics), let node = fields["factor"] {
            if (1...10).contains(factor) {
                policy.factor = factor
            } else {
                fields.wrong("factor", node, "a number from 1 to 10", &findings.diagnostics)
            }
        }
    }

    /// Outcomes and classes, as `retry` and the filters of hooks list them.
    mutating func selectors(_ key: String, of fields: MappingReader) -> [Located<OutcomeSelector>]? {
        names(key, of: fields)?.compactMap { name in
            selector(name.value, at: name.span).map { Located($0, at: name.span) }
        }
    }
}
