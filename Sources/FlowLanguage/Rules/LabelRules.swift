internal import YAMLText

/// Secrecy and integrity: what flows where (flow/1 §4).
///
/// Data is followed, not control: that one value or another is taken may depend on anything, because both are the
/// author's choice.
struct LabelRules {
    /// The values that flow into one expression, and where that goes.
    struct Sunk: Sendable {
        let flows: [ValueFlow]
        let sink: Sink
        /// Whether a hook that is called decides what of it flows on.
        var isAnswered = false
    }

    private let rows: ContiguousArray<SlotRow>
    private let labels: SlotLabels

    /// - Returns: The labels that the expressions of the flow alone lead to, whatever hooks make of what they read.
    static func check(
        _ sunk: [Sunk], _ labels: SlotLabels, _ table: SlotTable, _ findings: inout Findings
    ) -> SlotLabels {
        let rules = LabelRules(rows: table.rows, labels: settle(sunk, labels))
        for sunk in sunk { rules.check(sunk, &findings) }
        return settle(sunk.filter { !$0.isAnswered }, labels)
    }

    /// Lets variables take over the labels of what is saved into them, until none changes.
    private static func settle(_ sunk: [Sunk], _ labels: SlotLabels) -> SlotLabels {
        let saves = sunk.flatMap { sunk -> [(flow: ValueFlow, slot: Int)] in
            guard case .variable(let slot) = sunk.sink.purpose else { return [] }
            return sunk.flows.map { ($0, slot) }
        }
        var labels = labels
        var isSettled = false
        while !isSettled {
            isSettled = true
            for save in saves where labels.save(save.flow, into: save.slot) { isSettled = false }
        }
        return labels
    }

    private func check(_ sunk: Sunk, _ findings: inout Findings) {
        for flow in sunk.flows {
            checkSecrecy(flow, sunk.sink, &findings)
            checkIntegrity(flow, sunk.sink, &findings)
        }
        if case .success(let end, let way) = sunk.sink.purpose {
            checkEmail(sunk.flows, Self.ending(end, way), &findings)
        }
    }

    /// FL062
    private func checkSecrecy(_ flow: ValueFlow, _ sink: Sink, _ findings: inout Findings) {
        let secrecy = labels.passed(flow).secrecy
        if case .variable(let slot) = sink.purpose {
            guard let limit = labels.fixedSecrecy(slot), secrecy > limit else { return }
            let message =
                "\(secrecy.rawValue) \(name(flow)) flows into \(sink.name), which is declared \(limit)"
            findings.report("FL062", at: flow.span, message)
            return
        }
        guard secrecy > sink.limit else { return }
        findings.report(
            "FL062", at: flow.span, "\(secrecy.rawValue) \(name(flow)) flows into \(sink.name)",
            hint: Self.hint(sink))
    }

    private static func hint(_ sink: Sink) -> String? {
        switch sink.purpose {
        case .condition, .success: "a condition may ask has() of it, or compare a value of type secret"
        case .value, .destination, .variable:
            sink.limit == .public ? "anybody may see it; mask_email() and fingerprint() show less" : nil
        }
    }

    /// FL063, FL065
    private func checkIntegrity(_ flow: ValueFlow, _ sink: Sink, _ findings: inout Findings) {
        let integrity = labels.passed(flow).integrity
        switch sink.purpose {
        case .value, .condition: return
        case .destination(let least):
            guard integrity > least else { return }
            findings.report(
                "FL063", at: flow.span,
                "\(integrity.rawValue) \(name(flow)) decides where \(sink.name) leads",
                hint: "pass it through allowed_url(value, list)")
        case .variable(let slot):
            guard let least = labels.fixedIntegrity(slot), integrity > least else { return }
            findings.report(
                "FL063", at: flow.span,
                "\(integrity.rawValue) \(name(flow)) flows into \(sink.name), which is declared \(least)",
                hint: "declare the variable with label: \(integrity), or pass the value through allowed_url")
        case .success(let end, let way):
            guard integrity == .untrusted else { return }
            findings.report(
                "FL065", at: flow.span,
                "whether the flow ends in \(Self.ending(end, way)) depends on untrusted \(name(flow))",
                hint: "anybody may have sent it; let a verified claim or a port decide")
        }
    }

    /// FL065: an address that the provider has not verified is anybody's.
    private func checkEmail(_ flows: [ValueFlow], _ ending: String, _ findings: inout Findings) {
        guard !flows.contains(where: { lastName($0) == "email_verified" }) else { return }
        for flow in flows where flow.isShown && lastName(flow) == "email" {
            guard labels.label(of: flow).secrecy == .pii else { continue }
            findings.report(
                "FL065", at: flow.span,
                "whether the flow ends in \(ending) depends on \(name(flow)), which may not be verified",
                hint: "ask for email_verified in the same condition")
        }
    }

    private static func ending(_ end: String, _ way: String?) -> String {
        "\"\(end)\"" + (way.map { " (\($0))" } ?? "")
    }

    private func name(_ flow: ValueFlow) -> String {
        "\"\(rows[flow.slot].path)\(flow.members.joined())\""
    }

    private func lastName(_ flow: ValueFlow) -> Substring? {
        (flow.members.last ?? rows[flow.slot].path).split(separator: ".").last
    }
}
