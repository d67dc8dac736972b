internal import FlowEngine

/// Steps and requests over the time of the run. Where a person was waited for, the axis is folded.
struct PageTimeline: Sendable {
    private let run: RunRecord
    private let axis: TimeAxis

    init(_ run: RunRecord) {
        self.run = run
        axis = TimeAxis(run)
    }

    var content: Markup {
        if run.steps.isEmpty { return .empty }
        let folded: Markup =
            axis.isFolded
            ? "<p class=\"quiet\">Waiting for you is drawn shorter than it was, so that the rest can be seen.</p>\n"
            : .empty
        let rows = run.steps.indices.map(row)
        return """
            \(folded)<div class="timeline">
            <ol>
            \(rows)</ol>
            </div>

            """
    }

    private func row(_ index: Int) -> Markup {
        let step = run.steps[index]
        let form = step.waitsForPerson ? "human" : "machine"
        var bars = [bar(step.startedAt, step.endedAt, form, y: 5, height: 6)]
        for exchange in step.exchanges where !exchange.isBrowser {
            let end = min(step.endedAt, exchange.sentAt + exchange.duration)
            bars.append(bar(exchange.sentAt, end, "network", y: 2, height: 12))
        }
        for event in step.events {
            guard let duration = event.hook?.duration else { continue }
            bars.append(bar(event.time - duration, event.time, "hooks", y: 2, height: 12))
        }
        if index == run.failedStep { bars.append(bar(step.endedAt, step.endedAt, "bad", y: 0, height: 16)) }
        let network: Markup =
            step.networkTime > 0
            ? "<span class=\"quiet\">, network \(SpanText.of(step.networkTime))</span>" : .empty
        let hooks: Markup =
            step.hookTime > 0
            ? "<span class=\"quiet\">, hooks \(SpanText.of(step.hookTime))</span>" : .empty
        return """
            <li><a href="#step-\(index + 1)">\(step.title)</a>
            <svg viewBox="0 0 1000 16" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="track" x="0" y="7" width="1000" height="2"/>\(bars)</svg>
            <span class="length">\(SpanText.of(step.duration))\(network)\(hooks)</span></li>

            """
    }

    private func bar(_ start: Int64, _ end: Int64, _ form: String, y: Int, height: Int) -> Markup {
        let (left, right) = (axis.place(start), axis.place(end))
        // What is short stays visible, also at the very end.
        let x = min(left, 1000 - 4)
        return
            "<rect class=\"\(form)\" x=\"\(x)\" y=\"\(y)\" width=\"\(max(4, right - x))\" height=\"\(height)\" rx=\"1\"/>"
    }
}

/// Instants of a run as places from 0 to 1000.
private struct TimeAxis {
    private let start: Int64
    private let end: Int64
    /// In order, without overlap.
    private let waits: [(start: Int64, end: Int64)]
    /// How much of the axis the waits take, in thousandths.
    private let share: Int64

    /// Waits take no more of the axis than this.
    private static let most: Int64 = 300

    init(_ run: RunRecord) {
        start = run.startedAt
        end = max(run.endedAt, run.startedAt + 1)
        waits = run.steps.filter(\.waitsForPerson).map { ($0.startedAt, $0.endedAt) }
        let waited = waits.reduce(0) { $0 + $1.end - $1.start }
        share = min(Self.most, waited * 1000 / (end - start))
    }

    private var waited: Int64 { waits.reduce(0) { $0 + $1.end - $1.start } }

    var isFolded: Bool { waited * 1000 / (end - start) > Self.most }

    func place(_ instant: Int64) -> Int64 {
        let instant = min(max(instant, start), end)
        let before = waits.reduce(0) { $0 + max(0, min(instant, $1.end) - $1.start) }
        let rest = end - start - waited
        let folded = waited > 0 ? before * share / waited : 0
        guard rest > 0 else { return folded }
        return folded + (instant - start - before) * (1000 - share) / rest
    }
}
