internal import FlowEngine
internal import JOSE
internal import OAuthProtocol

extension TraceSchema {
    static let events =
        runs + exchanges + [
            Event(
                type: "token", description: "what a token says, without its signature",
                members: [
                    Member(name: "kind", schema: text), Member(name: "header", schema: parameters),
                    Member(name: "claims", schema: parameters),
                ]),
            Event(
                type: "check", description: "a rule of the protocol that was looked at",
                members: [
                    Member(name: "number", schema: number), Member(name: "id", schema: text),
                    Member(name: "ref", schema: text),
                    Member(name: "result", schema: words(["pass", "fail", "not_applicable", "relaxed"])),
                    Member(name: "expected", schema: text, isRequired: false),
                    Member(name: "actual", schema: text, isRequired: false),
                    Member(name: "reason", schema: text, isRequired: false),
                ]),
            Event(
                type: "security", description: "what was refused, or let through against a rule",
                members: [
                    Member(name: "severity", schema: words(SecurityEvent.Severity.allCases.map(\.rawValue))),
                    Member(name: "decision", schema: words(SecurityEvent.Decision.allCases.map(\.rawValue))),
                    Member(name: "number", schema: number), Member(name: "check", schema: text),
                    Member(name: "ref", schema: text), Member(name: "host", schema: text, isRequired: false),
                    Member(name: "message", schema: text),
                    Member(name: "evidence", schema: ["type": "object"]),
                ]),
            message("note", "a fact about the step"),
            message("warning", "what somebody should know", aboutHook: true),
        ] + people + [
            Event(
                type: "hook", description: "a hook was asked",
                members: [
                    Member(name: "id", schema: text), Member(name: "point", schema: text),
                    Member(name: "action", schema: text), Member(name: "decision", schema: text),
                    Member(name: "reads", schema: list(text)), Member(name: "grants", schema: list(text)),
                    Member(name: "wrote", schema: list(text)),
                    Member(name: "env", schema: list(text), isRequired: false),
                    Member(name: "message", schema: text, isRequired: false),
                    Member(name: "place", schema: text, isRequired: false),
                    Member(name: "ms", schema: number, isRequired: false),
                    Member(name: "attempt", schema: number, isRequired: false),
                    Member(name: "url", schema: text, isRequired: false),
                    Member(name: "status", schema: number, isRequired: false),
                    Member(name: "read_values", schema: parameters, isRequired: false),
                    Member(name: "wrote_values", schema: parameters, isRequired: false),
                ]),
            Event(
                type: "retry", description: "the step is tried again",
                members: [
                    Member(name: "outcome", schema: text), Member(name: "attempt", schema: number),
                    Member(name: "delay_ms", schema: number), Member(name: "reason", schema: text),
                ]),
            Event(
                type: "var.set", description: "variables were set",
                members: [Member(name: "names", schema: list(text))]),
        ]

    private static func message(_ type: String, _ description: String, aboutHook: Bool = false) -> Event {
        let hook = aboutHook ? [Member(name: "hook", schema: text, isRequired: false)] : []
        return Event(
            type: type, description: description, members: [Member(name: "message", schema: text)] + hook)
    }

    // MARK: Runs and steps

    private static let runs = [
        Event(
            type: "run.start", description: "always the first",
            members: [
                Member(name: "mode", schema: words(["live", "dry-run"])), Member(name: "flow", schema: text),
                Member(name: "flowVersion", schema: number), Member(name: "flowDigest", schema: text),
                Member(name: "provider", schema: text),
                Member(
                    name: "furtherProviders",
                    schema: list(
                        object([Member(name: "alias", schema: text), Member(name: "provider", schema: text)])),
                    isRequired: false),
                Member(name: "profile", schema: text, isRequired: false),
                Member(name: "inputs", schema: parameters),
                Member(name: "registration", schema: parameters, isRequired: false),
            ]),
        Event(
            type: "flow", description: "the flow that is run: its text, its steps and where outcomes lead",
            members: [
                Member(name: "file", schema: text), Member(name: "start", schema: text),
                Member(
                    name: "steps",
                    schema: list(
                        object([
                            Member(name: "name", schema: text), Member(name: "kind", schema: text),
                            Member(name: "first", schema: number), Member(name: "last", schema: number),
                            Member(
                                name: "routes",
                                schema: list(
                                    object([
                                        Member(name: "outcome", schema: text),
                                        Member(name: "class", schema: text),
                                        Member(name: "to", schema: list(text)),
                                    ]))),
                        ]))),
                Member(
                    name: "ends",
                    schema: list(
                        object([Member(name: "name", schema: text), Member(name: "result", schema: text)]))),
                Member(name: "lines", schema: list(text)),
            ]),
        Event(
            type: "step.start", description: "a step is entered",
            members: [
                Member(name: "kind", schema: text), Member(name: "visit", schema: number),
                Member(name: "place", schema: text), Member(name: "summary", schema: text),
            ]),
        Event(
            type: "step.end", description: "a step ended, and where the run goes on",
            members: [
                Member(name: "outcome", schema: text), Member(name: "class", schema: text),
                Member(name: "visit", schema: number),
                Member(name: "error", schema: text, isRequired: false),
                Member(name: "description", schema: text, isRequired: false),
                Member(name: "status", schema: number, isRequired: false),
                Member(name: "next", schema: text, isRequired: false),
                Member(name: "end", schema: text, isRequired: false), Member(name: "reason", schema: text),
                Member(name: "edge", schema: text, isRequired: false),
                Member(name: "rule", schema: text, isRequired: false),
                Member(name: "retry_after_ms", schema: number, isRequired: false),
                Member(name: "lines", schema: list(lines), isRequired: false),
                Member(name: "alternatives", schema: list(alternatives), isRequired: false),
                Member(name: "retry", schema: retry, isRequired: false),
                Member(
                    name: "others",
                    schema: list(
                        object([Member(name: "outcome", schema: text), Member(name: "to", schema: text)]))),
            ]),
        Event(
            type: "run.end", description: "always the last",
            members: [
                Member(name: "end", schema: text), Member(name: "result", schema: text),
                Member(name: "message", schema: text, isRequired: false),
                Member(name: "error", schema: text, isRequired: false),
                Member(
                    name: "class", schema: words(FailureClass.allCases.map(\.rawValue)), isRequired: false),
                Member(name: "causes", schema: list(text), isRequired: false),
                Member(name: "fixes", schema: list(text), isRequired: false),
                Member(
                    name: "exit",
                    schema: object([Member(name: "code", schema: number), Member(name: "name", schema: text)])
                ),
                Member(name: "transitions", schema: number), Member(name: "retries", schema: number),
                Member(name: "ms", schema: number), Member(name: "human_ms", schema: number),
                Member(name: "network_ms", schema: number),
                Member(name: "hooks_ms", schema: number, isRequired: false),
                Member(
                    name: "secrets",
                    schema: ["type": "integer", "description": "different secrets kept out of the trace"],
                    isRequired: false),
                Member(name: "outputs", schema: parameters),
            ]),
    ]

    // MARK: Exchanges

    private static let exchanges = [
        Event(
            type: "http.request", description: "a request, with where each parameter comes from",
            members: [
                Member(name: "purpose", schema: text),
                Member(name: "synthetic", schema: ["const": "browser"], isRequired: false),
                Member(name: "method", schema: text),
                Member(
                    name: "url",
                    schema: object([
                        Member(name: "base", schema: text),
                        Member(name: "source", schema: text, isRequired: false),
                        Member(name: "query", schema: parameters),
                    ])),
                Member(name: "headers", schema: parameters),
                Member(
                    name: "body",
                    schema: object([
                        Member(name: "format", schema: text), Member(name: "fields", schema: parameters),
                    ]), isRequired: false),
            ]),
        Event(
            type: "http.response", description: "an answer; its members as far as their names are harmless",
            members: [
                Member(name: "status", schema: number),
                Member(name: "media", schema: text, isRequired: false),
                Member(name: "bytes", schema: number),
                Member(
                    name: "ms",
                    schema: object([
                        Member(name: "resolved", schema: number, isRequired: false),
                        Member(name: "connected", schema: number, isRequired: false),
                        Member(name: "secured", schema: number, isRequired: false),
                        Member(name: "answered", schema: number, isRequired: false),
                        Member(name: "total", schema: number),
                    ]), isRequired: false),
                Member(name: "headers", schema: parameters, isRequired: false),
                Member(name: "body", schema: parameters),
            ]),
        Event(
            type: "http.failure", description: "no answer, and whether the request may have arrived",
            members: [
                Member(name: "cause", schema: text),
                Member(name: "delivered", schema: words(["perhaps", "no"])),
                Member(name: "message", schema: text),
            ]),
    ]

    // MARK: People

    private static let people = [
        Event(
            type: "user.action_required",
            description: "a person must open an address; url and user_code are there for a live reader only",
            members: [
                Member(name: "url", schema: text, isRequired: false), Member(name: "base", schema: text),
                Member(name: "errand", schema: words(["logout", "enter_code"]), isRequired: false),
                Member(name: "user_code", schema: text, isRequired: false),
                Member(name: "complete_url", schema: text, isRequired: false),
                Member(name: "opened", schema: text, isRequired: false),
                Member(name: "obstacle", schema: text, isRequired: false),
                Member(name: "forwarding", schema: text, isRequired: false),
                Member(name: "takes_paste", schema: flag, isRequired: false),
                Member(name: "expires_at", schema: instant),
            ]),
        Event(
            type: "callback.ignored", description: "something came that was not the answer",
            members: [Member(name: "reason", schema: text)]),
        Event(
            type: "wait", description: "what the run waits for, and how long",
            members: [Member(name: "for", schema: text), Member(name: "until", schema: instant)]),
    ]
}
