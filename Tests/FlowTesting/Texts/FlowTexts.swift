/// Flow files for tests of the machine: every outcome that a test is not about leads to `failed`.
package enum FlowTexts {
    package static let defaults = "defaults: { next: { any: failed, any.choice: failed } }"

    /// A flow of these steps.
    package static func flow(
        _ steps: String, start: String, extra: String = "", defaults: String = defaults,
        ends: String = "  done: { result: success }\n  failed: { result: failure }"
    ) -> String {
        """
        language: flow/1
        flow: example
        \(extra)
        \(defaults)
        start: \(start)
        steps:
        \(steps)
        ends:
        \(ends)

        """
    }

    /// A sign-in; steps may be replaced by name, and left out by an empty text.
    package static func signIn(_ changes: [String: String] = [:], extra: String = "", ends: String? = nil)
        -> String
    {
        let steps = [
            ("authorize", "{ next: callback }"), ("callback", "{ next: exchange }"),
            ("exchange", "{ next: verify }"),
            ("verify", "{ do: verify_id_token, next: { ok: userinfo, absent: userinfo } }"),
            ("userinfo", "{ next: store }"), ("store", "{ next: done }"),
        ]
        let text = lines(steps, changes)
        return ends.map { flow(text, start: "authorize", extra: extra, ends: $0) }
            ?? flow(text, start: "authorize", extra: extra)
    }

    /// A stored session is renewed, verified and stored again.
    package static func renew(_ changes: [String: String] = [:], extra: String = "", ends: String? = nil)
        -> String
    {
        let steps = [
            ("restore", "{ next: { ok: refresh, expired: refresh } }"), ("refresh", "{ next: verify }"),
            ("verify", "{ do: verify_id_token, next: { ok: store, absent: store } }"),
            ("store", "{ next: done }"),
        ]
        let text = lines(steps, changes)
        return ends.map { flow(text, start: "restore", extra: extra, ends: $0) }
            ?? flow(text, start: "restore", extra: extra)
    }

    /// A stored session is shown at the UserInfo endpoint.
    package static func ask(_ changes: [String: String] = [:], extra: String = "") -> String {
        let steps = [("restore", "{ next: userinfo }"), ("userinfo", "{ next: done }")]
        return flow(lines(steps, changes), start: "restore", extra: extra)
    }

    /// A stored session, then one step of its own.
    package static func stored(_ step: String, extra: String = "", ends: String? = nil) -> String {
        let text = "  restore: { next: work }\n  work: \(step)"
        return ends.map { flow(text, start: "restore", extra: extra, ends: $0) }
            ?? flow(text, start: "restore", extra: extra)
    }

    /// One step alone.
    package static func single(_ step: String, extra: String = "", ends: String? = nil) -> String {
        ends.map { flow("  work: \(step)", start: "work", extra: extra, ends: $0) }
            ?? flow("  work: \(step)", start: "work", extra: extra)
    }

    private static func lines(_ steps: [(String, String)], _ changes: [String: String]) -> String {
        let names = steps.map(\.0)
        let added = changes.filter { !names.contains($0.key) }.sorted { $0.key < $1.key }.map {
            ($0.key, $0.value)
        }
        let all = steps.map { ($0.0, changes[$0.0] ?? $0.1) } + added
        return all.filter { !$0.1.isEmpty }.map { "  \($0): \($1)" }.joined(separator: "\n")
    }
}
