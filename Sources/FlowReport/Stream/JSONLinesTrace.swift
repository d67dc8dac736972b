package import FlowEngine
internal import OAuthProtocol

/// JSON Lines: one event a line, the last always `run.end`.
///
/// Additive only within `v`; readers skip types that they do not know. Times are RFC 3339 in UTC, lengths of time are
/// milliseconds.
package struct JSONLinesTrace: TraceRenderer {
    private static let version: Int64 = 1
    /// Bytes of a line of a step.
    private static let usual = 256

    private let revealsActionURL: Bool
    private var run = ""
    private var spent = TimeSpent()
    private var progress = Progress()
    private var rests: (spent: TimeSpent, progress: Progress, crash: [UInt8], stop: [UInt8])?
    /// Time and run of the last line: events that come at once have the same.
    private var instant: (time: Int64, run: String, bytes: [UInt8])?

    /// How far the run has come, for a line that ends it before its end.
    private struct Progress: Equatable {
        private var startedAt: Int64 = 0
        private(set) var duration: Int64 = 0
        private(set) var transitions = 0
        private(set) var retries = 0

        mutating func count(_ event: TraceEvent) {
            switch event.body {
            case .runStart: startedAt = event.time
            case .stepEnd: transitions += 1
            case .retry: retries += 1
            case .flow, .stepStart, .request, .response, .transportFailure, .token, .check, .security,
                .note, .warning, .actionRequired, .callbackIgnored, .waiting, .hook, .saved, .runEnd:
                break
            }
            duration = max(duration, event.time - startedAt)
        }
    }

    /// - Parameter revealsActionURL: Whether `user.action_required` bears the whole URL, which holds `state`: for a
    ///   live pipe only, never for a file.
    package init(revealsActionURL: Bool) {
        self.revealsActionURL = revealsActionURL
    }

    /// The line that ends a trace whose process ends before its run: a trace always ends with `run.end`.
    package struct Ending {
        package let start: [UInt8]
        /// What follows when the process crashes.
        package let crash: [UInt8]
        /// What follows when it is told to stop and does not wait for the run.
        package let stop: [UInt8]
    }

    /// The line that would follow `event`, were it the last.
    package mutating func ending(after event: TraceEvent) -> Ending {
        var spent = spent
        let crash = Self.crash(progress)
        spent.count(TraceEvent(sequence: 0, time: event.time, step: nil, body: crash))
        // Of events that come at once it is mostly the same.
        if rests?.spent != spent || rests?.progress != progress {
            rests = (
                spent, progress, Self.rest(of: crash, spent), Self.rest(of: Self.stop(progress), spent)
            )
        }
        var writer = JSONLineWriter()
        write(event.sequence + 1, instant(of: event), nil, crash, to: &writer) { _ in }
        // Without the brace and the line end.
        let start = Array(writer.bytes.dropLast(2))
        return Ending(start: start, crash: rests?.crash ?? [], stop: rests?.stop ?? [])
    }

    /// What stands in a line behind the type of its event.
    private static func rest(of body: TraceEvent.Body, _ spent: TimeSpent) -> [UInt8] {
        let members = JSONLineWriter.members { $0.members(of: body, revealsActionURL: false, spent: spent) }
        return Array(",".utf8) + members + Array("}\n".utf8)
    }

    private static func crash(_ progress: Progress) -> TraceEvent.Body {
        .runEnd(
            RunEnd(
                end: "crashed", result: "failure", message: "the process crashed", errorCode: "crashed",
                exit: 1, transitions: progress.transitions, retries: progress.retries,
                duration: progress.duration, outputs: []))
    }

    private static func stop(_ progress: Progress) -> TraceEvent.Body {
        .runEnd(
            RunEnd(
                end: "cancelled", result: "cancelled",
                message: "the process was stopped before the run could end", errorCode: "cancelled",
                failureClass: .cancelled, exit: 130, transitions: progress.transitions,
                retries: progress.retries, duration: progress.duration, outputs: []))
    }

    package mutating func render(_ event: TraceEvent) -> String {
        String(decoding: lines([event]), as: UTF8.self)
    }

    /// The lines of the events, as UTF-8.
    package mutating func lines(_ events: [TraceEvent]) -> [UInt8] {
        var writer = JSONLineWriter(capacity: max(4096, events.count * Self.usual))
        for event in events {
            spent.count(event)
            progress.count(event)
            if case .runStart(let start) = event.body { run = start.run }
            let instant = instant(of: event)
            write(event.sequence, instant, event.step, event.body, to: &writer) {
                $0.members(of: event.body, revealsActionURL: revealsActionURL, spent: spent)
            }
        }
        return writer.bytes
    }

    /// The members that say when and in which run an event happened.
    private mutating func instant(of event: TraceEvent) -> [UInt8] {
        if let instant, instant.time == event.time, instant.run == run { return instant.bytes }
        let bytes = JSONLineWriter.members {
            $0.member("t", CalendarText.utc(event.time, milliseconds: true))
            $0.member("run", run)
        }
        instant = (event.time, run, bytes)
        return bytes
    }

    private func write(
        _ sequence: Int, _ instant: [UInt8], _ step: String?, _ body: TraceEvent.Body,
        to writer: inout JSONLineWriter, _ members: (inout JSONLineWriter) -> Void
    ) {
        writer.element { line in
            line.member("v", Self.version)
            line.member("seq", Int64(sequence))
            line.members(written: instant)
            line.member("step", ifPresent: step)
            line.member("type", word: body.typeName)
            members(&line)
        }
        writer.endLine()
    }
}

extension TraceEvent.Body {
    /// The published name of the event's type.
    fileprivate var typeName: StaticString {
        switch self {
        case .runStart: "run.start"
        case .flow: "flow"
        case .stepStart: "step.start"
        case .request: "http.request"
        case .response: "http.response"
        case .transportFailure: "http.failure"
        case .token: "token"
        case .check: "check"
        case .security: "security"
        case .note: "note"
        case .warning: "warning"
        case .actionRequired: "user.action_required"
        case .callbackIgnored: "callback.ignored"
        case .waiting: "wait"
        case .hook: "hook"
        case .retry: "retry"
        case .saved: "var.set"
        case .stepEnd: "step.end"
        case .runEnd: "run.end"
        }
    }
}

extension JSONLineWriter {
    fileprivate mutating func members(of body: TraceEvent.Body, revealsActionURL: Bool, spent: TimeSpent) {
        switch body {
        case .runStart(let start): members(of: start)
        case .flow(let flow): members(of: flow)
        case .stepStart(let start): members(of: start)
        case .request(let request): members(of: request)
        case .response(let response): members(of: response)
        case .transportFailure(let cause, let delivered, let message):
            member("cause", cause)
            member("delivered", delivered ? "perhaps" : "no")
            member("message", message)
        case .token(let token): members(of: token)
        case .check(let check): members(of: check)
        case .security(let event):
            member("severity", event.severity.rawValue)
            member("decision", event.decision.rawValue)
            member("number", Int64(event.check.number))
            member("check", event.check.name)
            member("ref", event.check.reference)
            member("host", ifPresent: event.host)
            member("message", event.summary)
            object("evidence") { line in
                // One name may come several times, as the pins of a host do.
                for name in event.evidence.map(\.name).uniqued {
                    line.member(named: name, event.evidence.filter { $0.name == name }.map(\.value))
                }
            }
        case .note(let text): member("message", text)
        case .warning(let text, let hook):
            member("message", text)
            member("hook", ifPresent: hook)
        case .actionRequired(let action):
            if revealsActionURL { member("url", action.url) }
            member("base", String(action.url.prefix { $0 != "?" && $0 != "#" }))
            switch action.errand {
            case .signIn: break
            case .logout: member("errand", "logout")
            case .enterCode(let code):
                member("errand", "enter_code")
                if revealsActionURL {
                    member("user_code", code)
                    member("complete_url", ifPresent: action.complete)
                }
            }
            member("opened", ifPresent: action.opened)
            member("obstacle", ifPresent: action.ways.obstacle)
            member("forwarding", ifPresent: action.ways.forwarding)
            if action.ways.takesPaste { member("takes_paste", true) }
            member("expires_at", CalendarText.utc(action.expiresAt))
        case .callbackIgnored(let reason): member("reason", reason)
        case .waiting(let what, let until):
            member("for", what)
            member("until", CalendarText.utc(until))
        case .hook(let hook): members(of: hook)
        case .retry(let outcome, let attempt, let delay, let reason):
            member("outcome", outcome)
            member("attempt", Int64(attempt))
            member("delay_ms", delay)
            member("reason", reason)
        case .saved(let variables): member("names", variables)
        case .stepEnd(let end): members(of: end)
        case .runEnd(let end): members(of: end, spent)
        }
    }

    private mutating func members(of start: RunStart) {
        member("mode", start.isDryRun ? "dry-run" : "live")
        member("flow", start.flow)
        member("flowVersion", Int64(start.version))
        member("flowDigest", start.digest)
        member("provider", start.provider)
        if !start.furtherProviders.isEmpty {
            array("furtherProviders", of: start.furtherProviders) { writer, provider in
                writer.element {
                    $0.member("alias", provider.alias)
                    $0.member("provider", provider.provider)
                }
            }
        }
        member("profile", ifPresent: start.profile)
        parameters("inputs", start.inputs)
        if !start.registration.isEmpty { parameters("registration", start.registration) }
    }

    private mutating func members(of flow: TracedFlow) {
        member("file", flow.file)
        member("start", flow.start)
        array("steps", of: flow.steps) { writer, step in
            writer.element { line in
                line.member("name", step.name)
                line.member("kind", step.kind)
                line.member("first", Int64(step.firstLine))
                line.member("last", Int64(step.lastLine))
                line.array("routes", of: step.routes) { writer, route in
                    writer.element {
                        $0.member("outcome", route.outcome)
                        $0.member("class", route.outcomeClass)
                        $0.member("to", route.targets)
                    }
                }
            }
        }
        array("ends", of: flow.ends) { writer, end in
            writer.element {
                $0.member("name", end.name)
                $0.member("result", end.result)
            }
        }
        member("lines", flow.lines)
    }

    private mutating func members(of token: TracedToken) {
        member("kind", token.kind)
        parameters("header", token.header)
        parameters("claims", token.claims)
    }

    private mutating func members(of start: StepStart) {
        let facts = start.written {
            WrittenFacts(
                Self.members { $0.member("kind", start.kind) },
                Self.members {
                    $0.member("place", start.place)
                    $0.member("summary", start.summary)
                })
        }
        members(written: facts.pieces[0])
        member("visit", Int64(start.visit))
        members(written: facts.pieces[1])
    }

    private mutating func members(of request: TracedRequest) {
        member("purpose", request.purpose)
        if request.purpose == "authorization" { member("synthetic", "browser") }
        member("method", request.method)
        object("url") {
            $0.member("base", request.endpoint)
            $0.member("source", ifPresent: request.endpointSource)
            $0.parameters("query", request.query)
        }
        parameters("headers", request.fields)
        if !request.body.isEmpty {
            object("body") {
                $0.member("format", request.bodyFormat)
                $0.parameters("fields", request.body)
            }
        }
    }

    private mutating func members(of response: TracedResponse) {
        member("status", Int64(response.status))
        member("media", ifPresent: response.contentType)
        member("bytes", Int64(response.bytes))
        if let duration = response.duration {
            object("ms") { line in
                if let phases = response.phases {
                    line.member("resolved", phases.resolved)
                    line.member("connected", phases.connected)
                    line.member("secured", phases.secured)
                    line.member("answered", phases.answered)
                }
                line.member("total", duration)
            }
        }
        parameters("headers", response.fields)
        array("body", of: response.members) { writer, member in
            writer.element {
                $0.member("n", member.name)
                $0.value(member.value)
            }
        }
    }

    private mutating func members(of check: TracedCheck) {
        member("number", Int64(check.number))
        member("id", check.name)
        member("ref", check.reference)
        switch check.verdict {
        case .passed: member("result", "pass")
        case .failed(let expected, let actual):
            member("result", "fail")
            member("expected", expected)
            member("actual", actual)
        case .notApplicable(let reason):
            member("result", "not_applicable")
            member("reason", reason)
        case .relaxed(let reason):
            member("result", "relaxed")
            member("reason", reason)
        }
    }

    private mutating func members(of hook: TracedHook) {
        member("id", hook.id)
        member("point", hook.point)
        member("action", hook.action)
        member("decision", hook.decision)
        member("reads", hook.reads)
        member("grants", hook.grants)
        member("wrote", hook.wrote)
        if !hook.variables.isEmpty { member("env", hook.variables) }
        member("message", ifPresent: hook.message)
        member("place", ifPresent: hook.place)
        if let duration = hook.duration { member("ms", duration) }
        if hook.attempt > 1 { member("attempt", Int64(hook.attempt)) }
        member("url", ifPresent: hook.url)
        member("status", ifPresent: hook.status.map(Int64.init))
        values("read_values", hook.readValues)
        values("wrote_values", hook.writtenValues)
    }

    mutating func values(_ name: StaticString, _ values: [TracedParameter]) {
        if values.isEmpty { return }
        array(name, of: values) { writer, value in
            writer.element {
                $0.member("n", value.name)
                $0.value(value.value)
            }
        }
    }

    private mutating func members(of end: StepEnd) {
        let facts = end.written {
            WrittenFacts(
                Self.members {
                    $0.member("outcome", end.outcome)
                    $0.member("class", end.outcomeClass)
                },
                Self.members { $0.member("reason", end.reason) },
                Self.members {
                    $0.array("others", of: end.otherRoutes) { writer, route in
                        writer.element {
                            $0.member("outcome", route.outcome)
                            $0.member("to", route.target)
                        }
                    }
                })
        }
        members(written: facts.pieces[0])
        member("visit", Int64(end.visit))
        member("error", ifPresent: end.error)
        member("description", ifPresent: end.description)
        member("status", ifPresent: end.status.map(Int64.init))
        member(end.targetIsEnd ? "end" as StaticString : "next", end.target)
        members(written: facts.pieces[1])
        member("edge", ifPresent: end.edge)
        member("rule", ifPresent: end.rule)
        member("retry_after_ms", ifPresent: end.retryAfter)
        let resolution = end.writtenResolution { resolution in
            WrittenFacts(Self.members { $0.members(of: resolution) })
        }
        if let resolution { members(written: resolution.pieces[0]) }
        members(written: facts.pieces[2])
    }

    private mutating func members(of end: RunEnd, _ spent: TimeSpent) {
        member("end", end.end)
        member("result", end.result)
        member("message", ifPresent: end.message)
        member("error", ifPresent: end.errorCode)
        member("class", ifPresent: end.failureClass?.rawValue)
        if !end.causes.isEmpty { member("causes", end.causes) }
        if !end.fixes.isEmpty { member("fixes", end.fixes) }
        object("exit") {
            $0.member("code", Int64(end.exit))
            $0.member("name", ExitName.of(end.exit))
        }
        member("transitions", Int64(end.transitions))
        member("retries", Int64(end.retries))
        member("ms", end.duration)
        member("human_ms", spent.human)
        member("network_ms", spent.network)
        if spent.hooks > 0 { member("hooks_ms", spent.hooks) }
        member("secrets", Int64(end.secrets))
        parameters("outputs", end.outputs)
    }

    private mutating func parameters(_ name: StaticString, _ parameters: [TracedParameter]) {
        array(name, of: parameters) { writer, parameter in
            writer.element {
                $0.member("n", parameter.name)
                $0.value(parameter.value)
                $0.member("src", parameter.source)
                $0.member("ref", ifPresent: parameter.reference)
            }
        }
    }

    private mutating func value(_ value: TracedValue) {
        switch value {
        case .text(let text): member("v", text)
        case .secret(let kind, let length, let fingerprint): secret(kind, length, fingerprint)
        case .prefixed(let prefix, let kind, let length, let fingerprint):
            member("prefix", prefix)
            secret(kind, length, fingerprint)
        }
    }

    private mutating func secret(_ kind: String, _ length: Int?, _ fingerprint: String?) {
        member("secret", true)
        member("kind", kind)
        member("len", ifPresent: length.map(Int64.init))
        member("fp", ifPresent: fingerprint)
    }
}
