internal import FlowEngine
internal import OAuthProtocol

/// What a trace says, as names and values that can be compared with those of another trace.
enum TraceFacts {
    struct Fact: Sendable, Hashable {
        let name: String
        let value: String
        var matters = true
    }

    // MARK: The run

    static func run(_ events: [TraceEvent]) -> [Fact] {
        guard case .runStart(let start)? = events.first?.body else { return [] }
        var facts = [
            Fact(name: "flow", value: "\(start.flow) v\(start.version)"),
            Fact(name: "program", value: start.digest),
            Fact(name: "provider", value: start.provider),
            Fact(name: "mode", value: start.isDryRun ? "dry run" : "live"),
        ]
        facts += start.inputs.map { Fact(name: "input \($0.name)", value: text($0.value)) }
        facts += start.registration.map { Fact(name: "registration \($0.name)", value: text($0.value)) }
        return facts
    }

    static func end(_ events: [TraceEvent]) -> [Fact] {
        guard case .runEnd(let end)? = events.last?.body else {
            return [Fact(name: "end", value: "the trace was cut off")]
        }
        return [
            Fact(name: "end", value: "\(end.end) (\(end.result))"),
            Fact(name: "error", value: end.errorCode ?? "none"), Fact(name: "exit", value: String(end.exit)),
        ]
    }

    // MARK: A step

    static func step(_ passage: TracePassage) -> [Fact] {
        var facts: [Fact] = []
        var requests = 0
        for body in passage.events {
            if case .request = body { requests += 1 }
            // The second request of a step is told apart from the first.
            let mark = requests > 1 ? " \(requests)" : ""
            facts += Self.facts(body, mark)
        }
        if let end = passage.end {
            facts.append(Fact(name: "outcome", value: end.outcome))
            facts.append(Fact(name: "error", value: end.error ?? "none"))
            if let description = end.description {
                facts.append(Fact(name: "description", value: description))
            }
            facts.append(Fact(name: "goes to", value: end.target))
        }
        return facts
    }

    private static func facts(_ body: TraceEvent.Body, _ mark: String) -> [Fact] {
        switch body {
        case .request(let request):
            let name = "request\(mark) \(request.purpose)"
            let parts = [("", request.query), (" header", request.fields), (" body", request.body)]
            return [Fact(name: name, value: "\(request.method) \(portless(request.endpoint))")]
                + parts.flatMap { part, parameters in
                    parameters.map { parameter in
                        Fact(
                            name: "\(name):\(part) \(parameter.name)", value: text(parameter.value),
                            matters: !isRandom(parameter.name))
                    }
                }
        case .response(let response):
            return [
                Fact(name: "answer\(mark): status", value: String(response.status)),
                Fact(name: "answer\(mark): content type", value: response.contentType ?? "none"),
            ]
                + response.members.map {
                    Fact(
                        name: "answer\(mark): \($0.name)", value: text($0.value),
                        matters: !changesByItself($0.name))
                }
                + response.fields.map {
                    Fact(name: "answer\(mark) header: \($0.name)", value: text($0.value), matters: false)
                }
        case .transportFailure(let cause, _, let message):
            return [Fact(name: "failure\(mark)", value: "\(cause): \(message)")]
        case .token(let token):
            return (token.header + token.claims).map {
                Fact(
                    name: "\(token.kind): \($0.name)", value: text($0.value),
                    matters: !changesByItself($0.name))
            }
        case .check(let check): return [Fact(name: "check \(check.name)", value: words(check.verdict))]
        case .security(let event):
            return [
                Fact(
                    name: "security \(event.check.name)",
                    value: "\(event.decision.rawValue): \(event.summary)",
                    matters: event.severity > .info)
            ]
        case .note(let text): return [Fact(name: "note", value: text, matters: false)]
        case .warning(let text, _): return [Fact(name: "warning", value: text)]
        case .hook(let hook):
            let name = "hook \(hook.id) at \(hook.point)"
            return [
                Fact(name: name, value: hook.decision),
                Fact(
                    name: "\(name): wrote",
                    value: hook.wrote.isEmpty ? "nothing" : hook.wrote.joined(separator: ", ")),
            ] + hook.writtenValues.map { Fact(name: "\(name): \($0.name)", value: text($0.value)) }
        case .callbackIgnored(let reason): return [Fact(name: "callback ignored", value: reason)]
        case .retry(let outcome, let attempt, _, _):
            return [Fact(name: "attempt \(attempt)", value: "after \(outcome)")]
        case .actionRequired(let action):
            return [Fact(name: "shown in", value: action.opened ?? "the output", matters: false)]
        case .runStart, .flow, .stepStart, .stepEnd, .runEnd, .waiting, .saved: return []
        }
    }

    // MARK: Values

    /// Secrets by what they are: their values and fingerprints differ in every run.
    private static func text(_ value: TracedValue) -> String {
        switch value {
        case .text(let text): portless(text)
        case .secret(let kind, 0?, _): "‹empty \(kind)›"
        case .secret(let kind, _, _): "‹\(kind)›"
        case .prefixed(let prefix, let kind, _, _): "\(prefix)‹\(kind)›"
        }
    }

    private static func words(_ verdict: TracedCheck.Verdict) -> String {
        switch verdict {
        case .passed: "passed"
        case .failed(let expected, let actual): "failed: expected \(expected), got \(actual)"
        case .notApplicable: "not applicable"
        case .relaxed: "relaxed"
        }
    }

    /// A native client takes any free port for its redirect (RFC 8252 §7.3).
    private static func portless(_ text: String) -> String {
        var result = text
        for host in ["http://127.0.0.1:", "http://[::1]:", "http://localhost:"] {
            for range in result.ranges(of: host).reversed() {
                let port = result[range.upperBound...].prefix(while: \.isNumber)
                if !port.isEmpty { result.replaceSubrange(port.startIndex..<port.endIndex, with: "PORT") }
            }
        }
        return result
    }

    private static func isRandom(_ parameter: String) -> Bool {
        ["code_challenge", "state", "nonce", "dpop", "dpop_jkt", "client_assertion", "user-agent"].contains(
            parameter.lowercased())
    }

    /// Members that differ between two good answers.
    private static func changesByItself(_ member: String) -> Bool {
        [
            "exp", "iat", "nbf", "auth_time", "jti", "sid", "at_hash", "c_hash", "s_hash", "expires_in",
            "expires_at", "refresh_token_expires_in", "user_code", "interval", "nonce",
            // Which key a server signs with is its own affair; whether the signature is good says a check.
            "kid",
        ].contains(member)
    }
}
