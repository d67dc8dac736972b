internal import FlowEngine
internal import JOSE

/// What `step.end` says of how the way on was found.
extension TraceSchema {
    static let lines = object([
        Member(name: "reason", schema: text), Member(name: "selector", schema: text),
        Member(name: "place", schema: text, isRequired: false), Member(name: "verdict", schema: verdict),
    ])

    static let alternatives = object([
        Member(name: "to", schema: text), Member(name: "place", schema: text),
        Member(name: "if", schema: text, isRequired: false),
        Member(name: "read_values", schema: parameters, isRequired: false),
        Member(name: "max", schema: number, isRequired: false),
        Member(name: "used", schema: number, isRequired: false), Member(name: "verdict", schema: verdict),
    ])

    static let retry = object([
        Member(name: "place", schema: text), Member(name: "from", schema: words(["step", "defaults"])),
        Member(name: "outcomes", schema: list(text)), Member(name: "attempts", schema: number),
        Member(name: "allowed", schema: number),
        Member(
            name: "verdict", schema: words(TracedResolution.Retry.Reason.allCases.map(\.rawValue))),
    ])

    private static let verdict = words(TracedResolution.Verdict.allCases.map(\.rawValue))
}
