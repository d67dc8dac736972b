/// The shape of a whole flow file: every key with what it means, in the order in which flow/1 §3 lists them.
enum FlowShape {
    static let flow: [KeyShape] = [
        KeyShape(
            "language", .word(["flow/1", "flow/1.0"]), "level of the language that the file needs",
            isRequired: true),
        KeyShape("flow", .flowID, "name of the flow", isRequired: true),
        KeyShape("version", .integer(1...1_000_000), "the author's revision", standard: "1"),
        KeyShape("summary", .text, "what the flow does, in one line"),
        KeyShape("description", .text, "what the flow does, in as many lines as it takes"),
        KeyShape(
            "providers", .ids(.keys(provider)), "providers by alias", standard: "one with the alias main"),
        KeyShape("import", .ids(.text), "other flow files by alias, as paths relative to this one"),
        KeyShape("inputs", .ids(.either([.type, .keys(input)])), "arguments of the flow"),
        KeyShape("outputs", .ids(.type), "what success ends deliver"),
        KeyShape(
            "vars", .ids(.either([.type, .keys(variable)])), "variables, written by save and by hooks"),
        KeyShape("limits", .keys(limits), "bounds of one run"),
        KeyShape("defaults", .keys(defaults), "what holds for steps that do not say otherwise"),
        KeyShape("calls", .names(.keys(call)), "ports of the host program"),
        KeyShape(
            "hooks", .list(.named("hook", .keys(known(hook, FlowReader.hookKeys)))), "hooks of the flow"),
        KeyShape("start", .id, "the first step", isRequired: true),
        KeyShape("steps", .steps, "the steps by id", isRequired: true),
        KeyShape(
            "ends", .ids(.keys(end)), "the ends by id; failed and cancelled always exist", isRequired: true),
        KeyShape("tests", .list(.keys(test)), "tests of the flow, run by flowrun test"),
    ]

    /// The shape of a file, without keys that this flowrun does not read yet.
    static let file = ValueShape.keys(known(flow, FlowReader.keys))

    static func known(_ keys: [KeyShape], _ names: [String]) -> [KeyShape] {
        keys.filter { names.contains($0.name) }
    }

    // MARK: Declarations

    static let provider = [
        KeyShape("default", .text, "descriptor to use when the command line names none"),
        KeyShape("oidc", .bool, "false for a provider that issues no ID tokens"),
        KeyShape("requires", .list(.text), "capabilities beyond those that the steps imply"),
    ]

    static let input = [
        KeyShape("type", .type, "type of the value", isRequired: true),
        KeyShape("default", .template, "value when none is given"),
        KeyShape("env", .text, "environment variable to read it from"),
        KeyShape("file", .text, "file to read it from"),
        KeyShape("label", .word(labels), "who may see it, or how far it is trusted"),
        KeyShape("values", .list(.template), "the only values allowed"),
        KeyShape("pattern", .text, "pattern that the value matches"),
        KeyShape("min", .template, "smallest value"),
        KeyShape("max", .template, "largest value"),
        KeyShape("fields", .ids(.type), "members of an object with their types"),
        KeyShape("description", .text, "what it is for"),
    ]

    static let variable = [
        KeyShape("type", .type, "type of the value", isRequired: true),
        KeyShape("init", .template, "value at the start"),
        KeyShape("label", .word(labels), "who may see it, or how far it is trusted"),
        KeyShape("fields", .ids(.type), "members of an object with their types"),
    ]

    private static let labels = ["public", "pii", "sensitive", "secret", "untrusted", "asserted", "trusted"]

    static let limits = [
        KeyShape("deadline", .duration, "time for the whole run", standard: "15m"),
        KeyShape("transitions", .integer(1...100_000), "steps of one run", standard: "200"),
        KeyShape("visits", .integer(1...10_000), "times that one step may be entered", standard: "25"),
        KeyShape("hook_time", .duration, "time for all hooks", standard: "60s"),
        KeyShape("response_bytes", .byteCount, "size of one answer", standard: "1 MiB"),
    ]

    static let defaults = [
        KeyShape(
            "timeout", .duration, "time for one attempt", standard: "20s; 5m when a person is waited for"),
        KeyShape("retry", .named("retry", .keys(FlowShape.retry)), "when a step is tried again"),
        KeyShape("next", .selectors(edges), "where outcomes go that a step does not route; never success"),
    ]

    static let call = [
        KeyShape("args", .ids(.type), "arguments with their types"),
        KeyShape("out", .ids(.type), "fields of the answer with their types"),
        KeyShape("outcomes", .list(.id), "outcomes; the first one is the success", standard: "ok"),
        KeyShape("exec", .keys(exec), "program that answers, in place of the host program"),
        KeyShape("simulate", .keys(simulatedAnswer), "the answer in a dry run"),
        KeyShape("note", .text, "for readers"),
    ]

    private static let simulatedAnswer = [
        KeyShape("outcome", .id, "one of the outcomes"),
        KeyShape("out", .ids(.template), "values of the fields"),
    ]

    static let end = [
        KeyShape(
            "result", .word(EndRow.Result.allCases.map(\.rawValue)), "how the run counts",
            isRequired: false),
        KeyShape("outputs", .ids(.template), "values of the flow's outputs"),
        KeyShape("message", .template, "what a person is told; no secrets"),
        KeyShape("error", .text, "code for programs"),
        KeyShape("exit", .integer(0...255), "process status", standard: "0, 1, or 130 when cancelled"),
        KeyShape("note", .text, "for readers"),
    ]

    static let test = [
        KeyShape("name", .text, "what the test shows", isRequired: true),
        KeyShape(
            "assume", .list(.text), "how steps end: step=outcome, step@2=outcome, step=400:invalid_grant"),
        KeyShape("given", .names(.template), "values by path, such as restore.refreshed_at"),
        KeyShape("inputs", .ids(.template), "values of the flow's inputs"),
        KeyShape("provider", .text, "descriptor to test with"),
        KeyShape("expect", .keys(expect), "what must come of it", isRequired: true),
    ]

    private static let expect = [
        KeyShape("end", .id, "the end that is reached"),
        KeyShape("path", .list(.id), "the exact sequence of steps"),
        KeyShape("visits", .ids(.integer(0...10_000)), "how often steps are entered"),
        KeyShape("never", .list(.id), "steps that are not entered"),
        KeyShape("outputs", .ids(.template), "values of outputs"),
        KeyShape(
            "requests", .names(.template),
            "parts of requests, such as exchange.form.code_verifier: present"),
    ]
}
