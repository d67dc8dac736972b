internal import FlowReport
internal import JOSE

/// `trace diff`: where two runs part.
struct TraceDiffCommand: Sendable {
    let context: CommandContext
    let form: Command.Form

    func run(_ left: TraceFiles.Found, _ right: TraceFiles.Found) -> Int {
        let difference = TraceDifference(left.events, right.events)
        switch form {
        case .json: context.write(Self.json(difference).serialize() + "\n")
        case .text: write(difference, left.name, right.name)
        }
        return difference.first == nil ? ExitStatus.ok.rawValue : ExitStatus.assertion.rawValue
    }

    private func write(_ difference: TraceDifference, _ left: String, _ right: String) {
        var page = Page(RenderOptions(context.common, context.surroundings.output, context.surroundings))
        page.line(Styled("A  ", .dim) + Styled(left))
        page.line(Styled("B  ", .dim) + Styled(right))
        page.blank()
        guard let first = difference.first else {
            page.line(Styled("\(Symbol.passed) ", .good) + "nothing that matters differs")
            writeRest(difference, after: nil, &page)
            return context.write(page.take())
        }
        if !difference.common.isEmpty {
            page.line(
                Styled("the same  ", .dim) + Styled(difference.common.joined(separator: " \(Symbol.arrow) ")),
                hanging: 10)
        }
        page.line(Styled("\(Symbol.failed) the first difference that matters: ", .bad) + Self.place(first))
        page.table(
            [
                [Styled("A", .dim), Self.value(first.left)], [Styled("B", .dim), Self.value(first.right)],
            ], indent: 4)
        writeRest(difference, after: first, &page)
        context.write(page.take())
    }

    private func writeRest(
        _ difference: TraceDifference, after first: TraceDifference.Fact?, _ page: inout Page
    ) {
        let isDetailed = context.common.verbosity > 1
        let rest = difference.facts.filter { $0 != first && ($0.matters || isDetailed) }
        if !rest.isEmpty {
            page.blank()
            page.line(Styled(first == nil ? "differs all the same" : "differs besides", .strong))
            page.table(
                rest.map { fact in
                    [Self.place(fact), Self.value(fact.left), Styled("|", .dim), Self.value(fact.right)]
                }, indent: 2)
        }
        guard !difference.durations.isEmpty else { return }
        page.blank()
        page.line(Styled("time", .strong))
        page.table(
            difference.durations.map { duration in
                [
                    Styled(duration.step), Styled(SpanText.of(duration.left)), Styled("|", .dim),
                    Styled(SpanText.of(duration.right)),
                ]
            }, indent: 2)
    }

    private static func place(_ fact: TraceDifference.Fact) -> Styled {
        guard let step = fact.step else { return Styled(fact.name) }
        let visit = fact.visit > 1 ? "@\(fact.visit)" : ""
        return Styled("\(step)\(visit)", .strong) + Styled("  \(fact.name)")
    }

    private static func value(_ text: String?) -> Styled {
        text.map { Styled($0) } ?? Styled("(not there)", .dim)
    }

    private static func json(_ difference: TraceDifference) -> JSONValue {
        func object(_ fact: TraceDifference.Fact) -> JSONValue {
            var json: JSONObject = ["name": .string(fact.name), "matters": .bool(fact.matters)]
            json["step"] = fact.step.map { .string($0) }
            json["visit"] = .int(Int64(fact.visit))
            json["a"] = fact.left.map { .string($0) }
            json["b"] = fact.right.map { .string($0) }
            return .object(json)
        }
        return [
            "first": difference.first.map(object) ?? .null,
            "common": .array(difference.common.map { .string($0) }),
            "differences": .array(difference.facts.map(object)),
            "durations": .array(
                difference.durations.map {
                    ["step": .string($0.step), "a": .int($0.left), "b": .int($0.right)]
                }
            ),
        ]
    }
}
