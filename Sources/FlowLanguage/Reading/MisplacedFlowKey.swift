internal import YAMLText

/// Keys of a flow, or of a step, that are good elsewhere or are called otherwise.
enum MisplacedFlowKey {
    static func hint(_ key: String) -> String? {
        let ours = OtherNames.flow.ours(key)
        return FlowReader.keys.contains(ours) ? "here it is \"\(ours)\"" : nil
    }

    /// Where a step says what it does, under whatever key: one mistake is told once.
    static func kind(of step: YAMLMapping.Entry) -> YAMLNode? {
        if let node = step.value["do"] { return node }
        guard StepKind(rawValue: step.key) == nil else { return nil }
        return step.value.mapping?.entries.first { OtherNames.step.ours($0.key) == "do" }?.value
    }

    /// - Parameter kind: What the step does; `nil` where nobody knows.
    static func hint(_ key: String, inStepOf kind: StepKind?) -> String? {
        if let spec = kind.map(KindTable.spec) {
            if spec.arguments.contains(where: { $0.name == key }) { return "write it as with: {\(key): ...}" }
            if spec.outcomes.contains(where: { $0.name == key }) { return "write it as next: {\(key): ...}" }
        }
        let ours = OtherNames.step.ours(key)
        if ours == "next" { return "here it is \"next\", which names a step, or one for each outcome" }
        return FlowReader.stepKeys.contains(ours) ? "here it is \"\(ours)\"" : nil
    }
}

extension OtherNames {
    fileprivate static let flow = OtherNames([
        "flow": ["id", "name"],
        "summary": ["title"],
        "inputs": ["args", "arguments", "parameters", "params"],
        "vars": ["env", "variables"],
        "limits": ["deadline", "timeout"],
        "defaults": ["default", "retry"],
        "start": ["begin", "entry", "initial", "start_at"],
        "steps": ["jobs", "nodes", "stages", "states", "tasks"],
        "ends": ["end", "final", "finals", "terminals"],
    ])

    fileprivate static let step = OtherNames([
        "do": ["action", "kind", "run", "type", "use", "uses"],
        "if": ["condition", "when"],
        "with": [
            "args", "arguments", "config", "input", "inputs", "options", "parameters", "params", "properties",
        ],
        "assert": ["check", "checks", "expect"],
        "save": ["export", "output", "outputs", "register", "set"],
        "retry": ["attempts", "backoff", "max_attempts", "retries"],
        "visits": ["max", "max_visits"],
        "next": [
            "catch", "error", "goto", "on", "on_error", "on_failure", "on_success", "route", "routes",
            "success", "then",
            "to", "transition", "transitions",
        ],
        "note": ["comment", "description", "label", "name", "summary", "title"],
    ])

    static let edge = OtherNames([
        "to": ["default", "else", "goto", "next", "otherwise", "step", "target", "then"],
        "if": ["condition", "when"],
        "max": ["limit", "max_visits", "times"],
        "save": ["set"],
    ])

    static let retry = OtherNames([
        "outcomes": ["errors", "on", "when"],
        "attempts": ["count", "limit", "max", "max_attempts", "max_retries", "retries", "times"],
        "backoff": ["delay", "interval", "wait"],
    ])

    static let limits = OtherNames([
        "deadline": ["duration", "time", "timeout", "total"],
        "transitions": ["max_steps", "steps"],
        "visits": ["loops", "max_visits"],
    ])

    static let declared = OtherNames([
        "default": ["descriptor", "id", "name", "provider", "value"],
        "init": ["initial"],
        "values": ["allowed", "choices", "enum", "options"],
        "label": ["secret", "sensitive"],
        "description": ["help", "summary", "title"],
    ])

    static let program = OtherNames(["argv": ["args", "cmd", "command", "program", "run"]])

    /// Those of arguments of steps, whatever their kind.
    static let argument = OtherNames([
        "json": ["body", "data", "payload"],
        "query": ["parameters", "params"],
        "url": ["address", "endpoint", "uri"],
        "for": ["duration", "seconds", "time"],
        "flow": ["name"],
        "inputs": ["args", "arguments", "with"],
    ])
}
