internal import FlowEngine

/// The verdict, and the numbers that sum the run up.
struct PageHeader: Sendable {
    private let run: RunRecord

    init(_ run: RunRecord) {
        self.run = run
    }

    var content: Markup {
        """
        <header class="\(tone.rawValue)">
        <div class="verdict">
        <p class="mark" aria-hidden="true">\(tone.sign)</p>
        <div><h1>\(run.start.flow) <span class="with">with \(TracedWords.providers(run.start))</span></h1>
        <p class="result">\(result)</p></div>
        </div>
        \(notice)\(TimeShares(run).content)<ul class="tiles">
        \(tiles)</ul>
        \(facts)</header>

        """
    }

    private var tone: PageParts.Tone {
        guard let end = run.end else { return .warn }
        switch end.result {
        case "success": return run.isDryRun ? .plain : .good
        case "cancelled": return .warn
        default: return .bad
        }
    }

    private var result: Markup {
        guard let end = run.end else { return "The trace breaks off: the run had not ended." }
        let message: Markup = end.message.map { " \($0)" } ?? .empty
        return "<strong>\(end.end)</strong> \(PageParts.badge(end.result, tone))\(message)"
    }

    private var notice: Markup {
        guard run.isDryRun else { return .empty }
        return
            "<p class=\"notice\">A dry run: nothing was sent, opened or written. Answers are made up, times are simulated.</p>\n"
    }

    private var tiles: [Markup] {
        let checks = run.checks
        let failed = checks.count(where: \.isFailed)
        let sent = run.exchanges.count { !$0.isBrowser }
        let retries = run.end?.retries ?? 0
        var tiles = [
            tile(String(run.steps.count), run.steps.count == 1 ? "step" : "steps"),
            tile(String(sent), sent == 1 ? "request" : "requests"),
            tile(String(checks.count(where: \.isPassed)), "checks passed"),
        ]
        if failed > 0 {
            tiles.append(tile(String(failed), failed == 1 ? "check failed" : "checks failed", .bad))
        }
        if retries > 0 { tiles.append(tile(String(retries), retries == 1 ? "retry" : "retries", .warn)) }
        // A process that ends before its run has not counted them.
        if let end = run.end, end.errorCode != "crashed" {
            tiles.append(tile(String(end.secrets), "secrets kept out"))
        }
        return tiles
    }

    private func tile(_ number: String, _ label: String, _ tone: PageParts.Tone = .plain) -> Markup {
        "<li class=\"\(tone.rawValue)\"><span class=\"number\">\(number)</span> <span class=\"label\">\(label)</span></li>\n"
    }

    private var facts: Markup {
        var rows: [(String, Markup)] = [
            ("Started", PageParts.time(run.startedAt)), ("Took", "\(SpanText.of(run.duration))"),
            ("Run", "<code>\(run.start.run)</code>"),
            ("Flow", "\(run.start.flow), version \(run.start.version)"),
        ]
        if let end = run.end { rows.append(("Exit", "\(end.exit) (\(ExitName.of(end.exit)))")) }
        rows.append(("Program", "<code>\(String(run.start.digest.prefix(16)))…</code>"))
        return PageParts.facts(rows)
    }
}

/// Whose time the run took, as one bar.
private struct TimeShares {
    private let run: RunRecord

    init(_ run: RunRecord) {
        self.run = run
    }

    var content: Markup {
        let shares = [
            (name: "human", label: "you", length: run.spent.human),
            (name: "network", label: "network", length: run.spent.network),
            (name: "hooks", label: "hooks", length: run.spent.hooks),
            (name: "machine", label: "this machine", length: run.machineTime),
        ].filter { $0.length > 0 }
        let total = shares.reduce(0) { $0 + $1.length }
        guard total > 0 else { return .empty }
        var start: Int64 = 0
        var bars: [Markup] = []
        for share in shares {
            // What is short stays visible.
            let width = max(6, share.length * 1000 / total)
            bars.append(
                "<rect class=\"\(share.name)\" x=\"\(start)\" width=\"\(width)\" y=\"0\" height=\"10\"/>")
            start += width
        }
        let legend = shares.map {
            "<li><span class=\"dot \($0.name)\" aria-hidden=\"true\"></span>\($0.label) <strong>\(SpanText.of($0.length))</strong></li>\n"
                as Markup
        }
        return """
            <div class="shares">
            <svg viewBox="0 0 \(start) 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">\(bars)</svg>
            <ul>
            \(legend)</ul>
            </div>

            """
    }
}
