internal import FlowEngine
internal import FlowLanguage
internal import OAuthProtocol

/// Who said what to whom: a run as a sequence diagram, in no language yet.
struct Conversation: Sendable {
    struct Participant: Sendable, Hashable {
        enum Role: Sendable, Hashable {
            case person, flowrun, server
        }

        let role: Role
        let name: String
    }

    struct Message: Sendable, Hashable {
        enum Form: Sendable, Hashable {
            case call, reply
            /// Nothing came back.
            case lost
        }

        /// Places in `participants`.
        let from: Int
        let to: Int
        let text: String
        let form: Form
        let isBad: Bool
    }

    enum Item: Sendable, Hashable {
        /// A step begins: its place in the run's steps, and its title.
        case step(Int, String)
        case message(Message)
        /// What flowrun finds out by itself.
        case note(String, isBad: Bool)
    }

    let isDryRun: Bool
    private(set) var participants: [Participant] = []
    private(set) var items: [Item] = []
    /// Where the browser brings the answer.
    private var redirect: String?
    /// The server that the browser was sent to.
    private var authorizer: Int?

    init(_ run: RunRecord) {
        isDryRun = run.isDryRun
        if run.steps.contains(where: Self.needsPerson) {
            participants.append(Participant(role: .person, name: "you"))
        }
        participants.append(Participant(role: .flowrun, name: "flowrun"))
        let others = run.others.filter { $0.hook != nil }
        for event in others where event.hook?.point == HookPoint.flowStart.rawValue { add(hook: event) }
        // Steps of sub-flows lie inside of others, which end after them.
        var open: [Int] = []
        for (index, step) in run.steps.enumerated() {
            while let last = open.last, last != step.enclosing { close(run.steps[open.removeLast()]) }
            add(step, index)
            open.append(index)
        }
        for index in open.reversed() { close(run.steps[index]) }
        for event in others where event.hook?.point != HookPoint.flowStart.rawValue { add(hook: event) }
        if let end = run.end { note("end \(end.end)", isBad: end.result == "failure") }
    }

    private static func needsPerson(_ step: StepRecord) -> Bool {
        step.hasCallback || step.exchanges.contains(where: \.isBrowser)
            || step.events.contains { if case .actionRequired = $0.body { true } else { false } }
    }

    // MARK: Steps

    private mutating func add(_ step: StepRecord, _ index: Int) {
        items.append(.step(index, step.title))
        var exchanges = step.exchanges[...]
        var checks: [TracedCheck] = []
        // Whether the next request says the same as the one before it.
        var isRepeated = false
        // What is still to be drawn where it happened: after the hooks that were asked before it.
        var page: Exchange?
        var isAnswered = !step.hasCallback
        for event in step.events {
            switch event.body {
            case .request:
                // What was checked so far was about an earlier answer.
                addChecks(&checks)
                guard let exchange = exchanges.popFirst() else { break }
                if exchange.isBrowser {
                    page = exchange
                    break
                }
                let later = exchanges.prefix { $0.isPending && exchange.isPending }.count
                if !isRepeated { add(exchange, times: later + 1) }
                isRepeated = later > 0
            case .check(let check):
                if !isAnswered { addCallback() }
                isAnswered = true
                checks.append(check)
            case .actionRequired(let action):
                if let opened = page { add(page: opened) }
                page = nil
                add(action)
            case .callbackIgnored(let reason): note("answer ignored: \(reason)", isBad: true)
            case .retry(let outcome, let attempt, let delay, _):
                addChecks(&checks)
                note("\(outcome), attempt \(attempt) in \(SpanText.of(delay))", isBad: true)
            case .hook:
                addChecks(&checks)
                add(hook: event)
            case .runStart, .flow, .stepStart, .response, .transportFailure, .token, .security, .note,
                .warning,
                .waiting, .saved, .stepEnd, .runEnd:
                break
            }
        }
        addChecks(&checks)
        // A dry run opens nothing; what a hook has kept from being opened was not.
        if let page, !step.hooks.contains(where: \.isBad) { add(page: page) }
    }

    private mutating func add(hook event: TraceEvent) {
        guard let hook = event.hook else { return }
        guard let exchange = event.hookExchange else {
            return note("hook \(hook.id): \(hook.decision)", isBad: hook.isBad)
        }
        let server = server(exchange.host)
        say(flowrun, server, "POST \(exchange.path) (hook \(hook.id))")
        let time = hook.duration.map { " [\(SpanText.of($0))]" } ?? ""
        let status = hook.status.map { "\($0) " } ?? ""
        say(
            server, flowrun, "\(status)\(hook.decision)\(time)", hook.status == nil ? .lost : .reply,
            isBad: hook.isBad)
    }

    private mutating func close(_ step: StepRecord) {
        if let end = step.end, end.outcomeClass != "success" {
            note("\(end.outcome), then \(end.target)", isBad: end.outcomeClass != "choice")
        }
    }

    private mutating func addChecks(_ checks: inout [TracedCheck]) {
        if let text = CheckSummary.text(checks) { note(text, isBad: checks.contains(where: \.isFailed)) }
        checks = []
    }

    /// The page to which the browser is sent.
    private mutating func add(page exchange: Exchange) {
        let server = server(exchange.host)
        authorizer = server
        redirect = exchange.request.query.first { $0.name == "redirect_uri" }?.value.plain
        say(flowrun, person, "open the sign-in page" + Self.protections(exchange.request))
        say(person, server, "GET \(Self.path(exchange))")
    }

    private mutating func add(_ exchange: Exchange, times: Int) {
        let server = server(exchange.host)
        say(flowrun, server, Self.call(exchange) + (times > 1 ? " ×\(times)" : ""))
        switch exchange.answer {
        case .response(let response, _):
            say(
                server, flowrun, reply(response), .reply, isBad: response.status >= 400 && !exchange.isPending
            )
        case .failure(let cause, _, let message, _):
            say(server, flowrun, "\(cause): \(message)", .lost, isBad: true)
        case nil: break
        }
    }

    private mutating func add(_ action: TracedAction) {
        let base = String(action.url.prefix { $0 != "?" && $0 != "#" })
        switch action.errand {
        // The request that was noted before says more.
        case .signIn: break
        case .logout:
            say(flowrun, person, "open the sign-out page")
            say(person, server(TracedWords.host(base)), "GET \(URLText.path(base))")
        case .enterCode:
            say(flowrun, person, "show the code and the address")
            say(person, server(TracedWords.host(base)), "GET \(URLText.path(base)), enter the code")
        }
    }

    private mutating func addCallback() {
        guard let server = authorizer ?? participants.lastIndex(where: { $0.role == .server }) else {
            return
        }
        say(server, person, "back to the redirect URI", .reply)
        say(person, flowrun, "GET \(redirect.map(URLText.path) ?? "the redirect URI")")
    }

    // MARK: Words

    /// ` (PKCE S256, state #c3d1)`
    private static func protections(_ request: TracedRequest) -> String {
        let named = Dictionary(request.query.map { ($0.name, $0.value) }) { first, _ in first }
        let method = named["code_challenge_method"].map { "PKCE \($0.plain)" }
        let marks = ["state", "nonce"].compactMap { name in
            named[name].map {
                [name, $0.fingerprint.map { "#\($0)" }].compactMap(\.self).joined(separator: " ")
            }
        }
        let all = [method].compactMap(\.self) + marks
        return all.isEmpty ? "" : " (\(all.joined(separator: ", ")))"
    }

    /// `POST /token (authorization_code, client_secret_post)`
    private static func call(_ exchange: Exchange) -> String {
        let request = exchange.request
        let grant = request.body.first { $0.name == "grant_type" }?.value.plain
        let method = TracedWords.clientAuthentication(request).map {
            $0.hasPrefix("none") ? "public client" : String($0.prefix { $0 != " " })
        }
        let path = path(exchange)
        // A path that names its purpose says enough.
        let purpose = path.hasSuffix("/\(request.purpose)") ? nil : request.purpose
        let details = [grant.map(shortGrant) ?? purpose, method].compactMap(\.self)
        let suffix = details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"
        return "\(request.method) \(path)\(suffix)"
    }

    private static func path(_ exchange: Exchange) -> String {
        TracedWords.metadataMember(exchange.request.endpoint).map { "‹\($0)›" } ?? exchange.path
    }

    /// `device_code` for `urn:ietf:params:oauth:grant-type:device_code`
    private static func shortGrant(_ grant: String) -> String {
        grant.split(separator: ":").last.map(String.init) ?? grant
    }

    /// `200 access_token, id_token [214 ms]`
    private func reply(_ response: TracedResponse) -> String {
        let secrets = response.members.filter(\.value.isSecret).map(\.name)
        let error = response.members.first { $0.name == "error" }.map(\.value.plain)
        var text = String(response.status)
        let details = [error].compactMap(\.self) + secrets
        if !details.isEmpty { text += " " + details.joined(separator: ", ") }
        return response.duration.map { "\(text) [\(SpanText.of($0))]" } ?? text
    }

    // MARK: Parts

    private var person: Int { 0 }

    private var flowrun: Int { participants.firstIndex { $0.role == .flowrun } ?? 0 }

    private mutating func server(_ host: String) -> Int {
        let participant = Participant(role: .server, name: host)
        if let known = participants.firstIndex(of: participant) { return known }
        participants.append(participant)
        return participants.count - 1
    }

    private mutating func say(
        _ from: Int, _ to: Int, _ text: String, _ form: Message.Form = .call, isBad: Bool = false
    ) {
        items.append(.message(Message(from: from, to: to, text: text, form: form, isBad: isBad)))
    }

    private mutating func note(_ text: String, isBad: Bool) { items.append(.note(text, isBad: isBad)) }
}

/// Verdicts of a step in few words.
enum CheckSummary {
    /// The checks that a reader looks for, by the names that people know them by.
    private static let known = [
        "state": "state", "iss": "iss", "signature": "signature", "id_token-iss": "iss", "aud": "aud",
        "exp": "exp", "nonce": "nonce", "at_hash": "at_hash", "userinfo-sub": "sub",
        "metadata-issuer": "issuer",
    ]

    /// `state ✓ iss ✓ and 3 more`, or what failed; `nil` where nothing was checked.
    static func text(_ checks: [TracedCheck]) -> String? {
        let failed = checks.filter(\.isFailed)
        if !failed.isEmpty {
            return failed.map { "\($0.name) ✗ \($0.verdict.plain)" }.uniqued.joined(separator: ", ")
        }
        let passed = checks.filter(\.isPassed)
        guard !passed.isEmpty else { return nil }
        let names = passed.compactMap { known[$0.name] }.uniqued
        if names.isEmpty { return passed.count == 1 ? "1 check ✓" : "\(passed.count) checks ✓" }
        let rest = passed.count - passed.count { known[$0.name] != nil }
        return names.map { "\($0) ✓" }.joined(separator: " ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
