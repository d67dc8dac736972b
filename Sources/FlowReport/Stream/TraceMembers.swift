internal import FlowEngine
internal import JOSE
internal import OAuthProtocol

/// The members of one line of a trace, by the names that `JSONLinesTrace` gives them.
struct TraceMembers {
    /// A member is not there, or is not of its type.
    struct Missing: Error {
        let type: String
        let member: String
    }

    private let object: JSONObject
    private let type: String

    init(_ object: JSONObject, type: String) {
        self.object = object
        self.type = type
    }

    // MARK: Plain members

    func text(_ name: String) throws(Missing) -> String { try required(name, object[name]?.stringValue) }

    func optionalText(_ name: String) -> String? { object[name]?.stringValue }

    func number(_ name: String) throws(Missing) -> Int { Int(try integer(name)) }

    /// No trace has greater numbers than JSON is safe with (RFC 8259 §6); a foreign file may, and sums are made of them.
    func integer(_ name: String) throws(Missing) -> Int64 {
        min(max(try required(name, object[name]?.intValue), -(1 << 53)), 1 << 53)
    }

    /// Milliseconds since 1970.
    func instant(_ name: String) throws(Missing) -> Int64 {
        let text = try text(name)
        let seconds = try required(name, CalendarDate.rfc3339(text))
        guard let point = text.firstIndex(of: ".") else { return seconds }
        return seconds + (Int64(text[text.index(after: point)...].prefix(3)) ?? 0)
    }

    func texts(_ name: String) -> [String] {
        object[name]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    func members(_ name: String) -> TraceMembers? {
        object[name]?.objectValue.map { TraceMembers($0, type: type) }
    }

    func list<Element>(
        _ name: String, _ read: (TraceMembers) throws(Missing) -> Element
    ) throws(Missing) -> [Element] {
        var elements: [Element] = []
        for value in object[name]?.arrayValue ?? [] {
            let members = TraceMembers(try required(name, value.objectValue), type: type)
            elements.append(try read(members))
        }
        return elements
    }

    func flag(_ name: String) -> Bool { object[name]?.boolValue ?? false }

    func has(_ name: String) -> Bool { object[name] != nil }

    /// Names of all members, in the order written.
    var names: [String] { object.map(\.key) }

    private func required<Value>(_ name: String, _ value: Value?) throws(Missing) -> Value {
        guard let value else { throw Missing(type: type, member: name) }
        return value
    }

    private func word<Word: RawRepresentable<String>>(_ name: String) throws(Missing) -> Word {
        try required(name, Word(rawValue: try text(name)))
    }

    // MARK: Bodies

    /// - Returns: `nil` for a type that this reader does not know.
    func body() throws(Missing) -> TraceEvent.Body? {
        switch type {
        case "run.start": .runStart(try runStart())
        case "flow": .flow(try flow())
        case "step.start": .stepStart(try stepStart())
        case "http.request": .request(try request())
        case "http.response": .response(try response())
        case "http.failure":
            .transportFailure(
                cause: try text("cause"), delivered: try text("delivered") == "perhaps",
                message: try text("message"))
        case "token": .token(try token())
        case "check": .check(try check())
        case "security": .security(try security())
        case "note": .note(try text("message"))
        case "warning": .warning(try text("message"), hook: optionalText("hook"))
        case "user.action_required": .actionRequired(try action())
        case "callback.ignored": .callbackIgnored(reason: try text("reason"))
        case "wait": .waiting(forWhat: try text("for"), until: try instant("until"))
        case "hook": .hook(try hook())
        case "retry":
            .retry(
                outcome: try text("outcome"), attempt: try number("attempt"), delay: try integer("delay_ms"),
                reason: try text("reason"))
        case "var.set": .saved(variables: texts("names"))
        case "step.end": .stepEnd(try stepEnd())
        case "run.end": .runEnd(try runEnd())
        default: nil
        }
    }

    private func runStart() throws(Missing) -> RunStart {
        RunStart(
            run: try text("run"), flow: try text("flow"), version: try number("flowVersion"),
            digest: try text("flowDigest"), provider: try text("provider"),
            furtherProviders: try list("furtherProviders") { (item) throws(Missing) in
                RunStart.NamedProvider(alias: try item.text("alias"), provider: try item.text("provider"))
            },
            profile: optionalText("profile"), isDryRun: try text("mode") == "dry-run",
            inputs: try parameters("inputs"),
            registration: try parameters("registration"))
    }

    private func flow() throws(Missing) -> TracedFlow {
        TracedFlow(
            file: try text("file"), lines: texts("lines"), start: try text("start"),
            steps: try list("steps") { (step) throws(Missing) in
                TracedFlow.Step(
                    name: try step.text("name"), kind: try step.text("kind"),
                    firstLine: try step.number("first"), lastLine: try step.number("last"),
                    routes: try step.list("routes") { (route) throws(Missing) in
                        TracedFlow.Route(
                            outcome: try route.text("outcome"), outcomeClass: try route.text("class"),
                            targets: route.texts("to"))
                    })
            },
            ends: try list("ends") { (end) throws(Missing) in
                TracedFlow.End(name: try end.text("name"), result: try end.text("result"))
            })
    }

    private func stepStart() throws(Missing) -> StepStart {
        StepStart(
            kind: try text("kind"), visit: try number("visit"), place: try text("place"),
            summary: try text("summary"))
    }

    private func request() throws(Missing) -> TracedRequest {
        let url = try required("url", members("url"))
        let body = members("body")
        return TracedRequest(
            purpose: try text("purpose"), method: try text("method"), endpoint: try url.text("base"),
            query: try url.parameters("query"), fields: try parameters("headers"),
            body: try body?.parameters("fields") ?? [], bodyFormat: try body?.text("format") ?? "none",
            endpointSource: url.optionalText("source"))
    }

    private func response() throws(Missing) -> TracedResponse {
        let time = members("ms")
        var phases: ExchangePhases?
        if let time, time.has("resolved") {
            phases = ExchangePhases(
                resolved: try time.integer("resolved"), connected: try time.integer("connected"),
                secured: try time.integer("secured"), answered: try time.integer("answered"))
        }
        return TracedResponse(
            status: try number("status"), contentType: optionalText("media"), bytes: try number("bytes"),
            members: try values("body", source: "answer"),
            duration: try time?.integer("total"), fields: try parameters("headers"), phases: phases)
    }

    private func token() throws(Missing) -> TracedToken {
        TracedToken(
            kind: try text("kind"), header: try parameters("header"), claims: try parameters("claims"))
    }

    private func check() throws(Missing) -> TracedCheck {
        let verdict: TracedCheck.Verdict
        switch try text("result") {
        case "pass": verdict = .passed
        case "fail": verdict = .failed(expected: try text("expected"), actual: try text("actual"))
        case "not_applicable": verdict = .notApplicable(reason: try text("reason"))
        case "relaxed": verdict = .relaxed(reason: try text("reason"))
        default: throw Missing(type: type, member: "result")
        }
        return TracedCheck(
            number: try number("number"), name: try text("id"), reference: try text("ref"), verdict: verdict)
    }

    private func security() throws(Missing) -> SecurityEvent {
        let rule = Check(
            recalled: try number("number"), name: try text("check"), reference: try text("ref"))
        var evidence: [SecurityEvent.Evidence] = []
        if let found = members("evidence") {
            for name in found.names {
                for text in found.texts(name) { evidence.append(SecurityEvent.Evidence(name, text)) }
            }
        }
        return SecurityEvent(
            try word("severity"), try word("decision"), rule, host: optionalText("host"), try text("message"),
            evidence: evidence)
    }

    private func action() throws(Missing) -> TracedAction {
        let errand: TracedAction.Errand
        switch optionalText("errand") {
        case "logout": errand = .logout
        case "enter_code": errand = .enterCode(optionalText("user_code") ?? "")
        default: errand = .signIn
        }
        // A file holds the address without its query, which is the live reader's alone.
        return TracedAction(
            url: try text(has("url") ? "url" : "base"), opened: optionalText("opened"),
            expiresAt: try instant("expires_at"), errand: errand, complete: optionalText("complete_url"),
            ways: AnswerWays(
                obstacle: optionalText("obstacle"), forwarding: optionalText("forwarding"),
                takesPaste: flag("takes_paste")))
    }

    private func hook() throws(Missing) -> TracedHook {
        var hook = TracedHook(
            id: try text("id"), point: try text("point"), action: try text("action"),
            decision: try text("decision"), reads: texts("reads"), grants: texts("grants"),
            wrote: texts("wrote"), message: optionalText("message"))
        hook.variables = texts("env")
        hook.place = optionalText("place")
        hook.duration = has("ms") ? try integer("ms") : nil
        hook.attempt = has("attempt") ? try number("attempt") : 1
        hook.url = optionalText("url")
        hook.status = has("status") ? try number("status") : nil
        hook.readValues = try values("read_values", source: "hook")
        hook.writtenValues = try values("wrote_values", source: "hook")
        return hook
    }

    private func values(_ name: String, source: String) throws(Missing) -> [TracedParameter] {
        try list(name) { (item) throws(Missing) in
            TracedParameter(
                name: try item.text("n"), value: try item.value(), source: source, reference: nil)
        }
    }

    private func stepEnd() throws(Missing) -> StepEnd {
        let isEnd = has("end")
        var end = StepEnd(
            outcome: try text("outcome"), outcomeClass: try text("class"), visit: try number("visit"),
            error: optionalText("error"), description: optionalText("description"),
            status: has("status") ? try number("status") : nil, target: try text(isEnd ? "end" : "next"),
            targetIsEnd: isEnd, reason: try text("reason"), edge: optionalText("edge"),
            otherRoutes: try list("others") { (route) throws(Missing) in
                StepEnd.Route(outcome: try route.text("outcome"), target: try route.text("to"))
            })
        end.rule = optionalText("rule")
        if has("retry_after_ms") { end.retryAfter = try integer("retry_after_ms") }
        if has("lines"), has("alternatives") { end.resolution = try resolution() }
        return end
    }

    private func resolution() throws(Missing) -> TracedResolution {
        TracedResolution(
            lines: try list("lines") { (line) throws(Missing) in
                TracedResolution.Line(
                    reason: try line.text("reason"), selector: try line.text("selector"),
                    place: line.optionalText("place"), verdict: try line.word("verdict"))
            },
            alternatives: try list("alternatives") { (item) throws(Missing) in
                TracedResolution.Alternative(
                    target: try item.text("to"), place: try item.text("place"),
                    condition: item.optionalText("if"),
                    values: try item.values("read_values", source: "guard"),
                    maximum: item.has("max") ? try item.number("max") : nil,
                    used: item.has("used") ? try item.number("used") : 0, verdict: try item.word("verdict"))
            },
            retry: try members("retry")?.retry())
    }

    private func retry() throws(Missing) -> TracedResolution.Retry {
        TracedResolution.Retry(
            place: try text("place"), isDefault: try text("from") == "defaults", outcomes: texts("outcomes"),
            allowed: try number("allowed"), attempts: try number("attempts"), verdict: try word("verdict"))
    }

    private func runEnd() throws(Missing) -> RunEnd {
        RunEnd(
            end: try text("end"), result: try text("result"), message: optionalText("message"),
            errorCode: optionalText("error"),
            failureClass: optionalText("class").flatMap(FailureClass.init(rawValue:)),
            exit: try required("exit", members("exit")).number("code"),
            transitions: try number("transitions"), retries: try number("retries"),
            duration: try integer("ms"), outputs: try parameters("outputs"),
            secrets: has("secrets") ? try number("secrets") : 0, causes: texts("causes"),
            fixes: texts("fixes"))
    }

    // MARK: Values

    private func parameters(_ name: String) throws(Missing) -> [TracedParameter] {
        try list(name) { (parameter) throws(Missing) in
            TracedParameter(
                name: try parameter.text("n"), value: try parameter.value(),
                source: try parameter.text("src"), reference: parameter.optionalText("ref"))
        }
    }

    private func value() throws(Missing) -> TracedValue {
        guard flag("secret") else { return .text(try text("v")) }
        let kind = try text("kind")
        let length = has("len") ? try number("len") : nil
        guard let prefix = optionalText("prefix") else {
            return .secret(kind: kind, length: length, fingerprint: optionalText("fp"))
        }
        return .prefixed(prefix, kind: kind, length: length, fingerprint: optionalText("fp"))
    }
}
