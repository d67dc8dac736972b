internal import FlowEngine
internal import OAuthProtocol

/// A card for each visit of a step, with all that the trace knows of it.
struct PageSteps: Sendable {
    private let run: RunRecord
    private let variables: ScriptVariables
    private let places: PlaceLinks

    init(_ run: RunRecord) {
        self.run = run
        variables = ScriptVariables(run.exchanges)
        places = PlaceLinks(run.flow)
    }

    var content: Markup {
        if run.steps.isEmpty { return "<p>No step was entered.</p>\n" + around }
        let cards = run.steps.indices.map(card)
        return """
            <div class="tools" hidden>
            <label>Filter <input type="search" id="filter" autocomplete="off" spellcheck="false" placeholder="state, token, RFC 9207…"></label>
            <button type="button" data-open="all">Open all</button>
            <button type="button" data-open="none">Close all</button>
            <p class="found" role="status"></p>
            </div>
            <ol class="cards">
            \(cards)</ol>
            \(around)
            """
    }

    /// Hooks before the first step and after the last.
    private var around: Markup {
        let hooks = run.otherHooks
        if hooks.isEmpty { return .empty }
        return "<h3>Hooks around the steps</h3>\n" + HookPart.table(hooks)
    }

    // MARK: One card

    private func card(_ index: Int) -> Markup {
        let step = run.steps[index]
        let tone = index == run.failedStep ? .bad : step.tone
        let open: Markup = index == run.failedStep ? " open" : .empty
        let kind: Markup =
            step.name == step.start.kind ? .empty : " <span class=\"kind\">\(step.start.kind)</span>"
        let checks: Markup =
            CheckSummary.text(step.checks).map { "<span class=\"gist\">\($0)</span>" }
            ?? step.end?.description.map { "<span class=\"gist\">\($0)</span>" } ?? .empty
        return """
            <li><details class="card \(tone.rawValue)" id="step-\(index + 1)"\(open)>
            <summary><span class="ordinal" aria-hidden="true">\(index + 1)</span>
            <h3>\(step.title)\(kind)</h3>
            <span class="way">\(PageParts.sign(tone))\(way(step))</span>
            \(checks)<span class="length">\(SpanText.of(step.duration))</span></summary>
            <div class="inside">
            \(story(step))\(exchanges(step))\(tokens(step))\(checkList(step))\(security(step))\(hooks(step))\(resolution(step))\(otherRoutes(step))</div>
            </details></li>

            """
    }

    /// `ok → verify`
    private func way(_ step: StepRecord) -> Markup {
        guard let end = step.end else { return "not finished" }
        return
            "\(end.outcome) <span aria-hidden=\"true\">→</span><span class=\"hidden\">, then</span> \(end.target)"
    }

    private func story(_ step: StepRecord) -> Markup {
        var rows: [(String, Markup)] = [("What it does", "\(step.start.summary)")]
        if let end = step.end {
            rows.append(
                (
                    "Why this way",
                    "<code>\(end.outcome)</code> is routed to <code>\(end.target)</code> (\(TracedWords.reason(end)))"
                ))
            let details = [end.status.map(String.init), end.error, end.description].compactMap(\.self)
            if !details.isEmpty { rows.append(("Details", "\(details.joined(separator: ", "))")) }
        }
        rows.append(("Written in", places.link(step.start.place)))
        for note in step.notes { rows.append(("Noted", "\(note)")) }
        for event in step.events { if let row = waiting(event) { rows.append(row) } }
        for warning in step.warnings {
            rows.append(("Warning", "\(PageParts.badge("warning", .warn)) \(warning)"))
        }
        if !step.saved.isEmpty { rows.append(("Set", codes(step.saved))) }
        return PageParts.facts(rows)
    }

    private func waiting(_ event: TraceEvent) -> (String, Markup)? {
        switch event.body {
        case .actionRequired(let action):
            let base = String(action.url.prefix { $0 != "?" && $0 != "#" })
            let opened = action.opened.map { ", opened in \($0)" } ?? ""
            return (
                "For a person", "<code>\(base)</code>\(opened), until \(PageParts.deadline(action.expiresAt))"
            )
        case .waiting(let what, let until):
            return ("Waited for", "\(what), until \(PageParts.deadline(until))")
        case .callbackIgnored(let reason):
            return ("Ignored", "\(PageParts.badge("ignored", .warn)) \(reason)")
        case .retry(let outcome, let attempt, let delay, let reason):
            return ("Tried again", "attempt \(attempt) after \(SpanText.of(delay)): \(outcome), \(reason)")
        case .runStart, .flow, .stepStart, .request, .response, .transportFailure, .token, .check, .security,
            .note, .warning, .hook, .saved, .stepEnd, .runEnd:
            return nil
        }
    }

    private func codes(_ texts: [String]) -> Markup {
        texts.map { "<code>\($0)</code>" as Markup }.joined(", ")
    }

    // MARK: What belongs to it

    private func exchanges(_ step: StepRecord) -> Markup {
        step.exchanges.map { PageExchange($0, variables, isDryRun: run.isDryRun).content }.joined()
    }

    private func tokens(_ step: StepRecord) -> Markup {
        step.tokens.map { token -> Markup in
            let rows = { (parameters: [TracedParameter]) in
                parameters.map { [PageParts.name($0.name), ClaimText.value($0)] as [Markup] }
            }
            return """
                <h4>What the \(token.kind) says</h4>
                <p class="quiet">Decoded; the signature is left out, so that this is no token.</p>
                <div class="pair">
                \(PageParts.table("Header of the \(token.kind)", head: ["Header", "Value"], rows(token.header)))\(PageParts.table("Claims of the \(token.kind)", head: ["Claim", "Value"], rows(token.claims)))</div>

                """
        }.joined()
    }

    private func checkList(_ step: StepRecord) -> Markup {
        let told = step.checks.filter { !$0.isNotApplicable }
        let silent = step.checks.filter(\.isNotApplicable)
        if step.checks.isEmpty { return .empty }
        var content: Markup = "<h4>Checks</h4>\n"
        if !told.isEmpty { content += "<ul class=\"checks\">\n\(told.map(check))</ul>\n" }
        if !silent.isEmpty {
            let words = silent.count == 1 ? "1 check did not apply" : "\(silent.count) checks did not apply"
            content +=
                "<details class=\"more\"><summary>\(words)</summary>\n<ul class=\"checks\">\n\(silent.map(check))</ul></details>\n"
        }
        return content
    }

    private func check(_ check: TracedCheck) -> Markup {
        let words: Markup =
            switch check.verdict {
            case .passed: .empty
            case .notApplicable(let reason): " <span class=\"detail\">\(reason)</span>"
            case .failed, .relaxed: " <span class=\"detail\">\(check.verdict.plain)</span>"
            }
        return """
            <li class="\(check.tone.rawValue)">\(PageParts.sign(check.tone))<span class="name">\(check.name)</span>\(words) <span class="rule">\(PageParts.reference(check.reference)), rule \(check.number)</span></li>

            """
    }

    private func security(_ step: StepRecord) -> Markup {
        let events = step.security
        if events.isEmpty { return .empty }
        return "<h4>Security</h4>\n<ul class=\"checks\">\n\(events.map(SecurityPart.item))</ul>\n"
    }

    private func hooks(_ step: StepRecord) -> Markup {
        if step.hooks.isEmpty { return .empty }
        return "<h4>Hooks</h4>\n" + HookPart.table(step.hooks)
    }

    private func resolution(_ step: StepRecord) -> Markup {
        step.end.map { PageResolution($0, places).content } ?? .empty
    }

    private func otherRoutes(_ step: StepRecord) -> Markup {
        guard let end = step.end, !end.otherRoutes.isEmpty else { return .empty }
        let rows = TracedWords.grouped(end.otherRoutes).map { group -> [Markup] in
            ["\(group.target)", codes(group.outcomes)]
        }
        return """
            <details class="more"><summary>Where it could have gone</summary>
            \(PageParts.table("Other routes of \(step.title)", head: ["To", "On"], rows))</details>

            """
    }
}

/// Claims as people read them.
enum ClaimText {
    private static let instants: Set<String> = ["exp", "iat", "nbf", "auth_time", "updated_at"]

    static func value(_ claim: TracedParameter) -> Markup {
        let value = PageParts.value(claim.value)
        guard instants.contains(claim.name), case .text(let text) = claim.value, let seconds = Int64(text),
            (0..<253_402_300_800).contains(seconds)
        else { return value }
        return "\(value) <span class=\"quiet\">\(PageParts.time(seconds * 1000))</span>"
    }
}

enum SecurityPart {
    static func item(_ event: SecurityEvent) -> Markup {
        let tone: PageParts.Tone =
            switch event.severity {
            case .critical: .bad
            case .warning: .warn
            case .info: .plain
            }
        let host: Markup = event.host.map { " at <code>\($0)</code>" } ?? .empty
        let evidence = event.evidence.map {
            "<li>\($0.name): <code>\($0.value)</code></li>\n" as Markup
        }
        let list: Markup = evidence.isEmpty ? .empty : "<ul>\n\(evidence)</ul>"
        return """
            <li>\(PageParts.sign(tone))<span class="name">\(event.check.name)</span> <span class="detail">\(event.decision.rawValue)\(host): \(event.summary)</span> <span class="rule">\(PageParts.reference(event.check.reference)), rule \(event.check.number)</span>\(list)</li>

            """
    }
}

enum HookPart {
    static func table(_ hooks: [TracedHook]) -> Markup {
        let rows = hooks.map { hook -> [Markup] in
            let message: Markup = hook.message.map { ": \($0)" } ?? .empty
            let sign: Markup = hook.isBad ? PageParts.sign(.bad) : .empty
            let call: Markup = hook.callText.map { "<br><span class=\"quiet\">\($0)</span>" } ?? .empty
            let took: Markup = hook.duration.map { "\(SpanText.of($0))" } ?? .empty
            let read = { (names: [String]) -> Markup in values(names, hook.readValues) }
            // The names of what the expressions of an action read are in its values alone.
            let others = hook.readValues.map(\.name).filter { !hook.grants.contains($0) }
            return [
                "\(hook.id)", "\(hook.point)", "\(hook.action)\(call)", "\(sign)\(hook.decision)\(message)",
                took, read(others.isEmpty ? hook.reads : others), read(hook.grants),
                values(hook.wrote, hook.writtenValues),
            ]
        }
        return PageParts.table(
            "Hooks", head: ["Hook", "At", "Does", "Decided", "Took", "Reads", "Given", "Wrote"], rows)
    }

    /// Names, each with its value where it has one.
    private static func values(_ names: [String], _ values: [TracedParameter]) -> Markup {
        names.map { name -> Markup in
            guard let value = values.first(where: { $0.name == name })?.value else { return "\(name)" }
            return "\(PageParts.name(name)) = \(PageParts.value(value))"
        }.joined(",<br>")
    }
}
