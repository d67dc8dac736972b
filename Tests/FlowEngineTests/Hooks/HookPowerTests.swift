import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Hooks that try what is not theirs: none of it comes to pass.
@Suite("Powers of hooks")
struct HookPowerTests {
    /// An attempt of a hook at a point, with what it may do and why it fails.
    struct Attempt: Sendable, CustomTestStringConvertible {
        let point: String
        let keys: String
        let reply: HookReply
        let reason: String

        init(_ point: String, _ keys: String, _ reply: HookReply, _ reason: String) {
            (self.point, self.keys, self.reply, self.reason) = (point, keys, reply, reason)
        }

        var testDescription: String { "\(point): \(reason)" }
    }

    private static func reply(_ change: (inout HookReply) -> Void) -> HookReply {
        var reply = HookReply()
        change(&reply)
        return reply
    }

    private static func header(_ name: String, _ value: String = "x") -> HookReply {
        reply { $0.headers = [name: value] }
    }

    private static func query(_ name: String, _ value: String = "x") -> HookReply {
        reply { $0.query = [name: value] }
    }

    private static let steering = "by which some servers take a request for another than it is"
    private static let fields = "which hooks may not add; they may add user-agent, accept-language, x-*"

    static let attempts = [
        // Powers that were not given.
        Attempt(
            "step.before", "", HookReply(.skip), "it answered with skip, which is not its to do; it may abort"
        ),
        Attempt(
            "step.before", "", HookReply(.goto("done")),
            "it answered with goto, which is not its to do; it may abort"),
        Attempt(
            "step.before", "", HookReply(.veto), "it answered with veto, which is not its to do; it may abort"
        ),
        Attempt(
            "step.before", "may: [skip],", HookReply(.abort(message: "no")),
            "it answered with abort, which is not its to do; it may skip"),
        Attempt(
            "step.before", "", reply { $0.arguments = ["prompt": "none"] },
            "it answered with args, which is not its to do; it may abort"),
        Attempt(
            "step.before", "", header("x-a"), "it answered with headers, which is not its to do; it may abort"
        ),
        Attempt(
            "step.request", "may: [headers],", query("x-a"),
            "it answered with query, which is not its to do; it may headers"),
        Attempt(
            "step.before", "", reply { $0.outcome = "ok" },
            "it answered with outcome, which is not its to do; it may abort"),
        Attempt(
            "step.before", "", reply { $0.isPresented = true },
            "it answered with present, which is not its to do; it may abort"),
        Attempt(
            "step.before", "", reply { $0.meta = ["a": 1] },
            "it answered with meta, which is not its to do; it may abort"),
        Attempt(
            "step.request", "", HookReply(.abort(message: "no")),
            "it answered with abort, which is not its to do; it may change nothing"),
        // Protocol state by way of arguments.
        Attempt(
            "step.before", "steps: [authorize], may: [args],",
            reply { $0.arguments = ["redirect": "https://evil.example"] },
            "it changed the argument \"redirect\"; open to hooks: prompt, login_hint, ui_locales"),
        Attempt(
            "step.before", "steps: [authorize], may: [args],", reply { $0.arguments = ["state": "x"] },
            "it changed the argument \"state\"; open to hooks: prompt, login_hint, ui_locales"),
        Attempt(
            "step.before", "steps: [authorize], may: [args],", reply { $0.arguments = ["nonce": "x"] },
            "it changed the argument \"nonce\"; open to hooks: prompt, login_hint, ui_locales"),
        Attempt(
            "step.before", "steps: [authorize], may: [args],", reply { $0.arguments = ["scopes": ["admin"]] },
            "it changed the argument \"scopes\"; open to hooks: prompt, login_hint, ui_locales"),
        Attempt(
            "step.before", "steps: [authorize], may: [args],", reply { $0.arguments = ["prompt": 1] },
            "it gave \"prompt\" a value that is not of type optional string"),
        // Values of the flow.
        Attempt(
            "step.before", "writes: [vars.log],", HookReply(set: ["steps.verify.claims": ["sub": "x"]]),
            "it set \"steps.verify.claims\", which it does not declare under writes"),
        Attempt(
            "step.before", "writes: [vars.log],", HookReply(set: ["tokens.main.access_token": "x"]),
            "it set \"tokens.main.access_token\", which it does not declare under writes"),
    ]

    static let requests = [
        Attempt(
            "step.request", "", header("Authorization"),
            "it added the header field \"Authorization\", \(fields)"),
        Attempt("step.request", "", header("Host"), "it added the header field \"Host\", \(fields)"),
        Attempt("step.request", "", header("Cookie"), "it added the header field \"Cookie\", \(fields)"),
        Attempt("step.request", "", header("DPoP"), "it added the header field \"DPoP\", \(fields)"),
        Attempt(
            "step.request", "", header("Content-Type"),
            "it added the header field \"Content-Type\", \(fields)"),
        Attempt(
            "step.request", "", header("X-HTTP-Method-Override"),
            "it added the header field \"X-HTTP-Method-Override\", \(steering)"),
        Attempt(
            "step.request", "", header("X-Forwarded-Host"),
            "it added the header field \"X-Forwarded-Host\", \(steering)"),
        Attempt("step.request", "", header("x-a b"), "it added the header field \"x-a b\", \(fields)"),
        Attempt(
            "step.request", "", header("x-a", "b\r\nAuthorization: x"),
            "the header field \"x-a\" has a value that is not printable ASCII up to 1 KiB"),
        Attempt(
            "step.request", "", header("x-own"),
            "it added the header field \"x-own\", which the request has already"),
        Attempt(
            "step.request", "", query("x-a", "b\r\nc"),
            "the query parameter \"x-a\" has a value that is not printable ASCII up to 1 KiB"),
        Attempt(
            "step.request", "", query("redirect_uri"),
            "it added the query parameter \"redirect_uri\", which hooks may not add; they may add x-*"),
        Attempt(
            "step.request", "", query("x-asked"),
            "it added the query parameter \"x-asked\", which the request has already"),
        Attempt("step.request", "", header(""), "it added the header field \"\", \(fields)"),
        Attempt(
            "step.request", "", header("x-\(letters(63))"),
            "it added the header field \"x-\(letters(63))\", \(fields)"),
        Attempt(
            "step.request", "", header("x-a", ""),
            "the header field \"x-a\" has a value that is not printable ASCII up to 1 KiB"),
        Attempt(
            "step.request", "", header("x-a", letters(1_025)),
            "the header field \"x-a\" has a value that is not printable ASCII up to 1 KiB"),
        Attempt(
            "step.request", "", query(""),
            "it added the query parameter \"\", which hooks may not add; they may add x-*"),
        Attempt(
            "step.request", "", query("x-a b"),
            "it added the query parameter \"x-a b\", which hooks may not add; they may add x-*"),
        Attempt(
            "step.request", "", query("x-\(letters(63))"),
            "it added the query parameter \"x-\(letters(63))\", which hooks may not add; they may add x-*"),
        Attempt(
            "step.request", "", query("x-a", ""),
            "the query parameter \"x-a\" has a value that is not printable ASCII up to 1 KiB"),
    ]

    private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

    static let outcomes = ["ok", "skipped", "subject_mismatch", "exhausted", "unheard_of"]

    private static func answer(_ reply: HookReply) -> ScriptedEffect {
        ScriptedEffect("hook h", .hook(reply))
    }

    private static func failure(_ reason: String) -> RunFailure {
        RunFailure(.hookFailed, "hook \"h\" failed: \(reason)")
    }

    @Test("a hook that says what it was granted is not quoted, whatever becomes of its answer")
    func spoken() async throws {
        let encoded = Base64.encode(Array(Markers.accessToken.utf8))
        for reply in [
            HookReply(.abort(message: "token \(Markers.accessToken)")),
            HookReply(.abort(message: "token \(encoded)")),
            HookReply.failed("it wrote \(Markers.accessToken)"),
        ] {
            let flow = FlowTexts.stored(
                "{ do: choose, next: done }",
                extra: "hooks: [{ id: h, at: step.before, steps: [work], may: [abort], "
                    + "reads: [tokens.main.access_token], grants: [tokens.main.access_token], "
                    + "exec: { argv: [./h] } }]")
            let run = await Conversation.run(
                try Compiled.plan(flow), [Scripts.load(), Self.answer(reply)])
            let message = try #require(run.outcome.end.error?.message)
            #expect(!message.contains(Markers.accessToken) && !message.contains(encoded))
            #expect(message.contains("‹access_token"))
        }
    }

    @Test("what a hook's point and its may do not give fails it", arguments: attempts)
    func powers(_ attempt: Attempt) async throws {
        let filter = attempt.keys.contains("steps:") ? "" : "steps: [authorize],"
        let extra = """
            vars: { log: { type: string, init: '' } }
            hooks:
              - { id: h, at: \(attempt.point), \(filter) \(attempt.keys) native: { name: h } }
            """
        let isAsking = attempt.point == "step.request"
        let flow =
            isAsking
            ? FlowTexts.ask(extra: extra.replacing("[authorize]", with: "[userinfo]"))
            : FlowTexts.signIn(
                ["authorize": "{ next: { ok: callback, any.choice: failed } }"], extra: extra)
        let script = isAsking ? [Scripts.load(), Self.answer(attempt.reply)] : [Self.answer(attempt.reply)]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.outcome.end.error == Self.failure(attempt.reason))
        #expect(run.outcome.exitStatus == 11)
    }

    @Test(
        "a request has its own fields and parameters, and protocol ones are nobody else's",
        arguments: requests)
    func additions(_ attempt: Attempt) async throws {
        let flow = FlowTexts.stored(
            """
            { do: http, with: { url: "https://p.example/api?x-asked=1", headers: { X-Own: a } }, next: done }
            """,
            extra: "hooks:\n  - { id: h, at: step.request, may: [headers, query], native: { name: h } }")
        let run = await Conversation.run(
            try Compiled.plan(flow), [Scripts.load(), Self.answer(attempt.reply)])
        #expect(run.outcome.end.error == Self.failure(attempt.reason))
        #expect(run.events.requests.isEmpty)
    }

    @Test("one bad member of an answer spoils all of it")
    func allOrNothing() async throws {
        let flow = FlowTexts.single(
            "{ do: choose, next: done }",
            extra: """
                vars: { log: { type: string, init: '' } }
                outputs: { log: string }
                hooks:
                  - { id: h, at: step.before, writes: [vars.log], on_failure: continue, native: { name: h } }
                """,
            ends:
                "  done: { result: success, outputs: { log: \"${vars.log}\" } }\n  failed: { result: failure }"
        )
        let reply = Self.reply {
            $0.assignments = ["vars.log": "written"]
            $0.outcome = "ok"
        }
        let run = await Conversation.run(try Compiled.plan(flow), [Self.answer(reply)])
        #expect(run.end == "done")
        #expect(run.output("log") == .string(""))
    }

    @Test(
        "no hook gives an answer a success, a failed check, or an outcome of the engine's own",
        arguments: outcomes)
    func outcome(name: String) async throws {
        let flow = FlowTexts.ask(
            ["userinfo": "{ visits: 3, next: { ok: done, exhausted: failed } }"],
            extra:
                "hooks:\n  - { id: h, at: step.response, steps: [userinfo], may: [outcome], native: { name: h } }"
        )
        let script = [
            Scripts.load(), ScriptedEffect("http userinfo", Answers.person),
            Self.answer(Self.reply { $0.outcome = name }),
        ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.outcome.end.error?.code == .hookFailed)
    }

    @Test(
        "nothing leads away from a failed check but the flow's own edges",
        arguments: ["may: [{ goto: [other] }],", "on_failure: { goto: other },"])
    func failedCheck(keys: String) async throws {
        let flow = FlowTexts.signIn(
            ["other": "{ do: choose, next: failed }"],
            extra: "hooks:\n  - { id: h, at: step.after, steps: [callback], \(keys) native: { name: h } }")
        let reply = keys.hasPrefix("may") ? HookReply(.goto("other")) : .failed("down")
        let script =
            Scripts.authorize + [Scripts.callback([("state", "forged")]), Self.answer(reply), Scripts.badEnd]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.outcome.end.error?.code == .hookFailed)
        #expect(!run.path.contains("other"))
    }

    @Test("whose profile it is stays the engine's word")
    func subject() async throws {
        let flow = FlowTexts.ask(
            extra:
                "hooks:\n  - { id: h, at: step.after, kinds: [userinfo], outcomes: [ok], writes: [steps.userinfo.profile], native: { name: h } }"
        )
        let script = [
            Scripts.load(), ScriptedEffect("http userinfo", Answers.person),
            Self.answer(HookReply(set: ["steps.userinfo.profile": ["sub": "person-2"]])),
        ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(
            run.outcome.end.error == Self.failure("it changed whose profile \"steps.userinfo.profile\" is"))
    }

    @Test("a profile of the same person is taken, and a variable is nobody's profile")
    func profile() async throws {
        let flow = FlowTexts.ask(
            extra: """
                vars: { other: { type: json, init: { sub: a } } }
                hooks:
                  - id: h
                    at: step.after
                    kinds: [userinfo]
                    outcomes: [ok]
                    writes: [steps.userinfo.profile, vars.other]
                    native: { name: h }
                """)
        let reply = HookReply(set: [
            "steps.userinfo.profile": ["sub": "person-1", "name": "Ada"], "vars.other": ["sub": "b"],
        ])
        let script = [
            Scripts.load(), ScriptedEffect("http userinfo", Answers.person), Self.answer(reply),
        ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.end == "done")
        #expect(run.events.hooks.map(\.wrote) == [["steps.userinfo.profile", "vars.other"]])
    }

    @Test(
        "meta is words with short plain values",
        arguments: [
            ["a b": "x"], ["label": ["x"]], ["label": .null],
            ["label": .string(String(repeating: "x", count: 1025))],
            Dictionary(uniqueKeysWithValues: (0..<17).map { ("m\($0)", JSONValue.int(1)) }),
        ])
    func meta(_ meta: [String: JSONValue]) async throws {
        let flow = FlowTexts.stored(
            "{ do: store, next: done }",
            extra: "hooks:\n  - { id: h, at: session.store, may: [meta], native: { name: h } }")
        let run = await Conversation.run(
            try Compiled.plan(flow), [Scripts.load(), Self.answer(Self.reply { $0.meta = meta })])
        #expect(run.outcome.end.error?.code == .hookFailed)
        #expect(run.saved == [])
    }

    @Test("as many words of meta as may be, each as long as it may be, are kept")
    func fullMeta() async throws {
        let words = (0..<16).map { ("m\($0)", JSONValue.string(Self.letters(1_024))) }
        let flow = FlowTexts.stored(
            "{ do: store, next: done }",
            extra: "hooks:\n  - { id: h, at: session.store, may: [meta], native: { name: h } }")
        let reply = Self.reply { $0.meta = Dictionary(uniqueKeysWithValues: words) }
        let run = await Conversation.run(
            try Compiled.plan(flow), [Scripts.load(), Self.answer(reply)] + Scripts.replace)
        #expect(run.end == "done")
        let saved = try JSON.parse(Array(try #require(run.saved.first).utf8))
        #expect(saved["meta"]?.objectValue?.members.count == 16)
    }

    // MARK: Simulated answers

    @Test("a dry run takes a simulated decision as the answer that it stands for")
    func simulated() async throws {
        let flow = FlowTexts.flow(
            "  restore: { next: { ok: done, absent: failed, skipped: passed } }", start: "restore",
            extra: """
                hooks:
                  - { id: h, at: step.before, may: [skip], native: { name: h }, simulate: { decision: skip } }
                """,
            ends: "  done: { result: success }\n  passed: { result: success }\n  failed: { result: failure }")
        let recorder = EventRecorder()
        let outcome = await FlowRun(
            plan: try Compiled.rehearsal(flow), handler: PlannedEffects(assumptions: []), sinks: [recorder]
        ).run()
        #expect(outcome.end.name == "passed")
        #expect(recorder.events.hooks.map(\.decision) == ["skip"])
    }

    @Test("nor does it hold a simulated answer to what the flow counts on")
    func promised() async throws {
        let flow = FlowTexts.single(
            "{ do: choose, next: done }",
            extra: """
                vars: { tenant: string }
                hooks:
                  - { id: h, at: step.before, writes: [vars.tenant], native: { name: h }, simulate: { decision: continue } }
                """)
        let recorder = EventRecorder()
        let outcome = await FlowRun(
            plan: try Compiled.rehearsal(flow), handler: PlannedEffects(assumptions: []), sinks: [recorder]
        ).run()
        #expect(outcome.end.name == "done")
        #expect(recorder.events.hooks.map(\.decision) == ["simulated"])
    }

    // MARK: Wire form

    @Test("an answer is the same after it was written down and read again")
    func coding() {
        let reply = Self.reply {
            $0.decision = .goto("denied")
            $0.assignments = ["vars.a": [1, "b"]]
            $0.arguments = ["prompt": "none"]
            $0.headers = ["x-a": "b"]
            $0.query = ["x-c": "d"]
            $0.outcome = "rejected"
            $0.isPresented = false
            $0.meta = ["label": "laptop"]
        }
        for decision: HookReply.Decision in [.goto("denied"), .skip, .veto, .continue, .abort(message: "no")]
        {
            var given = reply
            given.decision = decision
            let text = JSONValue.object(given.wire).serialize()
            #expect(HookWire.read(Array(text.utf8)) == given)
        }
    }

    @Test(
        "an answer without a word, or with nothing in it, lets the run go on",
        arguments: ["", " \n", "\r\n", "{}", "{\"outcome\":null,\"decision\":null}"])
    func emptyAnswer(text: String) {
        #expect(HookWire.read(Array(text.utf8)) == HookReply())
    }

    @Test(
        "what is no answer is a failure with its reason",
        arguments: [
            ("{", "its answer is not one JSON object: the text ends early at byte 1"),
            ("x", "its answer is not one JSON object: syntax error at byte 0"),
            ("{}{}", "its answer is not one JSON object: something follows the value at byte 2"),
            ("[]", "its answer is not one JSON object"),
            (
                "{\"decision\":\"explode\"}",
                "\"decision\" in its answer is none of continue, abort, skip, goto, veto"
            ),
            ("{\"decision\":\"goto\"}", "goto in its answer has no \"to\""),
            ("{\"to\":\"x\"}", "\"to\" in its answer belongs to the decision goto"),
            ("{\"headers\":{\"a\":1}}", "\"headers\" in its answer holds what is not a text"),
            ("{\"set\":[]}", "\"set\" in its answer is not an object"),
            ("{\"presented\":\"yes\"}", "\"presented\" in its answer is neither true nor false"),
            ("{\"state\":\"x\"}", "its answer has an unknown member \"state\""),
        ])
    func malformed(text: String, reason: String) {
        let plan = HookWire.read(Array(text.utf8))
        #expect(plan == HookReply.failed(reason))
    }
}
