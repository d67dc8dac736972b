package import FlowEngine

/// Where two traces part: what differs, which of it matters, and in which step it began.
package struct TraceDifference: Sendable, Hashable {
    /// One fact that is not the same in both.
    package struct Fact: Sendable, Hashable {
        /// The step; `nil` for the run as a whole.
        package let step: String?
        package let visit: Int
        /// `request token: redirect_uri`, `answer: status`, `check iss`.
        package let name: String
        /// `nil` where that trace has nothing of the kind.
        package let left: String?
        package let right: String?
        /// Whether it can be why the runs ended differently; times and what is random differ between any two runs.
        package let matters: Bool
    }

    /// Milliseconds of a step in both traces.
    package struct Duration: Sendable, Hashable {
        package let step: String
        package let left: Int64
        package let right: Int64
    }

    /// In the order of the steps.
    package let facts: [Fact]
    package let durations: [Duration]
    /// Names of the steps in front of the first fact that matters that are the same in both.
    package let common: [String]

    package var first: Fact? { facts.first(where: \.matters) }

    package init(_ left: [TraceEvent], _ right: [TraceEvent]) {
        let (one, other) = (TracePassage.all(of: left), TracePassage.all(of: right))
        var facts = Self.facts(
            TraceFacts.run(left), TraceFacts.run(right), step: nil, visit: 1)
        var durations: [Duration] = []
        var common: [String] = []
        var isSame = true
        for pair in Self.aligned(one, other) {
            let passage = pair.left ?? pair.right
            guard let passage else { continue }
            var found: [Fact]
            if let left = pair.left, let right = pair.right {
                found = Self.facts(
                    TraceFacts.step(left), TraceFacts.step(right), step: passage.name, visit: passage.visit)
                durations.append(Duration(step: passage.name, left: left.duration, right: right.duration))
            } else {
                found = [
                    Fact(
                        step: passage.name, visit: passage.visit, name: "step",
                        left: pair.left.map { $0.outcome ?? "entered" },
                        right: pair.right.map { $0.outcome ?? "entered" }, matters: true)
                ]
            }
            if found.contains(where: \.matters) { isSame = false }
            if isSame { common.append(passage.name) }
            facts += found
            found = []
        }
        facts += Self.facts(TraceFacts.end(left), TraceFacts.end(right), step: nil, visit: 1)
        self.facts = facts
        self.durations = durations
        self.common = common
    }

    private static func facts(
        _ left: [TraceFacts.Fact], _ right: [TraceFacts.Fact], step: String?, visit: Int
    ) -> [Fact] {
        // Another status has other members and other checks: they say nothing besides.
        let statusDiffers = left.contains { one in
            one.name.hasSuffix(": status") && right.contains { $0.name == one.name && $0.value != one.value }
        }
        var names: [String] = []
        for fact in left + right where !names.contains(fact.name) { names.append(fact.name) }
        return names.compactMap { name in
            let one = left.first { $0.name == name }
            let other = right.first { $0.name == name }
            guard one?.value != other?.value, one?.value != StrictRedaction.omitted,
                other?.value != StrictRedaction.omitted
            else { return nil }
            let isConsequence = statusDiffers && (one == nil || other == nil)
            let matters = (one ?? other)?.matters == true || Self.areUnlike(one?.value, other?.value)
            return Fact(
                step: step, visit: visit, name: name, left: one?.value, right: other?.value,
                matters: matters && !isConsequence)
        }
    }

    /// Whether one is a number and the other is none: what changes from run to run stays of one kind.
    private static func areUnlike(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return false }
        return (Int(left) == nil) != (Int(right) == nil)
    }

    /// The passages of both side by side: the longest common sequence of names, the rest alone.
    private static func aligned(
        _ left: [TracePassage], _ right: [TracePassage]
    ) -> [(left: TracePassage?, right: TracePassage?)] {
        var lengths = Array(repeating: Array(repeating: 0, count: right.count + 1), count: left.count + 1)
        for i in left.indices.reversed() {
            for j in right.indices.reversed() {
                lengths[i][j] =
                    left[i].name == right[j].name
                    ? lengths[i + 1][j + 1] + 1 : max(lengths[i + 1][j], lengths[i][j + 1])
            }
        }
        var pairs: [(left: TracePassage?, right: TracePassage?)] = []
        var (i, j) = (0, 0)
        while i < left.count || j < right.count {
            if i < left.count, j < right.count, left[i].name == right[j].name {
                pairs.append((left[i], right[j]))
                (i, j) = (i + 1, j + 1)
            } else if j == right.count || (i < left.count && lengths[i + 1][j] >= lengths[i][j + 1]) {
                pairs.append((left[i], nil))
                i += 1
            } else {
                pairs.append((nil, right[j]))
                j += 1
            }
        }
        return pairs
    }
}

/// One passage of a run through a step: everything from its entry to its end.
package struct TracePassage: Sendable, Hashable {
    package let name: String
    package let visit: Int
    package private(set) var events: [TraceEvent.Body] = []
    /// Milliseconds.
    package private(set) var duration: Int64 = 0
    package private(set) var end: StepEnd?

    package var outcome: String? { end?.outcome }

    /// The passages in the order of their entries.
    package static func all(of events: [TraceEvent]) -> [TracePassage] {
        var passages: [TracePassage] = []
        /// Of the passages that are open: a sub-flow's steps lie inside of one.
        var open: [(index: Int, since: Int64)] = []
        for event in events {
            switch event.body {
            case .stepStart(let start):
                open.append((passages.count, event.time))
                passages.append(TracePassage(name: event.step ?? "", visit: start.visit))
            case .stepEnd(let end):
                guard let last = open.popLast() else { continue }
                passages[last.index].end = end
                passages[last.index].duration = event.time - last.since
            case .runStart, .flow, .runEnd: break
            default:
                if let last = open.last { passages[last.index].events.append(event.body) }
            }
        }
        return passages
    }
}
