/// Steps, their edges, retries and hooks.
extension FlowShape {
    static let step: [KeyShape] = [
        KeyShape("do", .word(StepKind.allCases.map(\.rawValue)), "kind of the step", standard: "its id"),
        KeyShape("provider", .id, "alias of the provider", standard: "main"),
        KeyShape("if", .condition, "when false, nothing is done and the outcome is skipped"),
        KeyShape("with", .names(.template), "arguments; which ones depends on the kind"),
        KeyShape(
            "outcomes", .ids(.word(OutcomeClass.allCases.map(\.rawValue))), "further outcomes with classes"),
        KeyShape(
            "assert", assertion, "checked after a success; when false the outcome is assertion_failed"),
        KeyShape("save", .names(.template), "values of variables, as vars.NAME, after a success"),
        KeyShape("retry", .either([.named("retry", .keys(retry)), .text]), "when the step is tried again"),
        KeyShape("timeout", .duration, "time for one attempt"),
        KeyShape("deadline", .duration, "time for all attempts together"),
        KeyShape(
            "visits", .integer(1...10_000),
            "times that it may be entered; after that the outcome is exhausted"),
        KeyShape("hooks", .keys(inlineHooks), "hooks of this step"),
        KeyShape("next", .named("next", next), "where outcomes go; a name is for success"),
        KeyShape("note", .text, "for readers"),
    ]

    /// The keys that this flowrun reads.
    static let knownStep = known(step, FlowReader.stepKeys)

    static let next = ValueShape.either([.id, .selectors(edges), .list(edge)])

    static let edges = ValueShape.named("edges", .either([.id, .keys(edgeKeys), .list(edge)]))

    private static let edge = ValueShape.named("edge", .either([.id, .keys(edgeKeys)]))

    static let edgeKeys = [
        KeyShape("to", .id, "step or end", isRequired: true),
        KeyShape("if", .condition, "taken only when this holds"),
        KeyShape("max", .integer(0...10_000), "times that it may be taken in one run"),
        KeyShape("save", .names(.template), "values of variables, as vars.NAME"),
        KeyShape("note", .text, "for readers"),
    ]

    private static let assertion = ValueShape.either([
        .condition, .keys(assertionKeys), .list(.either([.condition, .keys(assertionKeys)])),
    ])

    static let assertionKeys = [
        KeyShape("that", .condition, "what must hold", isRequired: true),
        KeyShape("message", .text, "what is said when it does not"),
    ]

    // MARK: Retries (flow/1 §7)

    static let retry = [
        KeyShape(
            "outcomes", .list(.text), "outcomes to try again after; a class stands for its safe ones",
            isRequired: true),
        KeyShape("attempts", .integer(1...10), "tries in all", standard: "1"),
        KeyShape("backoff", .keys(backoff), "how long to wait in between"),
        KeyShape("retry_after", .keys(retryAfter), "what a server's Retry-After does"),
    ]

    private static let backoff = [
        KeyShape("initial", .duration, "before the second try", standard: "300ms"),
        KeyShape("factor", .number(1...10), "how much longer each time", standard: "2"),
        KeyShape("max", .duration, "at most", standard: "5s"),
        KeyShape(
            "jitter", .word(RetryPolicy.Jitter.allCases.map(\.rawValue)), "how much chance", standard: "full"),
    ]

    private static let retryAfter = [
        KeyShape("honor", .bool, "whether it is heeded", standard: "true"),
        KeyShape("max", .duration, "longer ones end the retries", standard: "30s"),
    ]

    // MARK: Hooks (flow/1 §9)

    static let hook: [KeyShape] = [
        KeyShape("id", .flowID, "name of the hook, unique in the flow"),
        KeyShape("at", .word(HookPoint.allCases.map(\.rawValue)), "where it fires"),
        KeyShape("steps", .list(.id), "only at these steps"),
        KeyShape("kinds", .list(.word(StepKind.allCases.map(\.rawValue))), "only at steps of these kinds"),
        KeyShape("outcomes", .list(.text), "only after these outcomes or classes"),
        KeyShape("if", .condition, "only when this holds"),
        KeyShape("set", .names(.template), "action: set variables"),
        KeyShape("assert", assertion, "action: check something"),
        KeyShape("map", .names(.template), "action: set fields that the descriptor declares"),
        KeyShape("emit", .keys(emit), "action: write an event into the trace"),
        KeyShape("exec", .keys(exec), "action: run a program"),
        KeyShape("http", .keys(http), "action: call a server"),
        KeyShape("native", .keys(native), "action: call a closure of the host program"),
        KeyShape("reads", .list(.text), "values that it is given"),
        KeyShape("grants", .list(.text), "secrets that it is given"),
        KeyShape("writes", .list(.text), "variables that its answer may set"),
        KeyShape(
            "may",
            .list(.either([.word(HookPower.allCases.filter { $0 != .goto }.map(\.rawValue)), .keys(ways)])),
            "what its answer may do", standard: "what writes implies, and the verdict of the point"),
        KeyShape("timeout", .duration, "time for it", standard: "5s; 1s for native"),
        KeyShape(
            "on_failure", .either([.word(["abort", "continue"]), .keys(goto)]), "what its failure does"),
        KeyShape("retry", .keys(again), "how often a failing one is asked"),
        KeyShape("simulate", .keys(simulate), "its answer in a dry run"),
        KeyShape("note", .text, "for readers"),
    ]

    private static let inlineHooks: [KeyShape] = {
        let keys = known(hook, FlowReader.hookKeys).filter { !["at", "steps", "kinds"].contains($0.name) }
        let list = ValueShape.list(.named("inline_hook", .keys(keys)))
        return [
            KeyShape("before", list, "before the step begins"), KeyShape("after", list, "after it has ended"),
        ]
    }()

    private static let emit = [
        KeyShape("event", .text, "name of the event", isRequired: true),
        KeyShape("data", .names(.template), "values of the event; no secrets"),
    ]

    static let exec = [
        KeyShape("argv", .list(.text), "program and literal arguments", isRequired: true),
        KeyShape("stdin", .word(["json"]), "form of its standard input"),
        KeyShape("env", .list(.text), "environment variables to pass on"),
    ]

    private static let http = [
        KeyShape("url", .text, "https, or this machine", isRequired: true),
        KeyShape("auth", .keys(auth), "how the call is signed"),
        KeyShape("headers", .names(.template), "header fields"),
    ]

    private static let native = [KeyShape("name", .text, "name of the closure", isRequired: true)]

    private static let goto = [KeyShape("goto", .id, "step to go on with", isRequired: true)]

    private static let ways = [
        KeyShape("goto", .list(.id), "steps, and ends without success, that it may lead to", isRequired: true)
    ]

    private static let again = [
        KeyShape("attempts", .integer(1...5), "calls in all, one right after the other", isRequired: true)
    ]

    private static let auth = [
        KeyShape(
            "hmac_sha256", .text, "environment variable with the key of the signature", isRequired: true),
        KeyShape("bearer", .text, "environment variable with a token for the server"),
    ]

    private static let simulate = [
        KeyShape("decision", .word(HookDecisionWord.all), "what it would decide"),
        KeyShape("to", .id, "step or end that it would go to"),
        KeyShape("message", .text, "what it would say"),
        KeyShape("set", .names(.template), "variables that it would set"),
        KeyShape("args", .names(.template), "arguments that it would change"),
        KeyShape("headers", .names(.scalar), "header fields that it would add"),
        KeyShape("query", .names(.scalar), "query parameters that it would add"),
        KeyShape("outcome", .id, "outcome that it would give"),
        KeyShape("presented", .bool, "whether it would show the address"),
        KeyShape("meta", .names(.scalar), "what it would keep beside the session"),
    ]
}
