import FlowLanguage
import Testing
import YAMLText

@Suite("Data flow")
struct DataFlowTests {
    private let variables = "vars: { who: string, copy: string }"

    @Test("a variable that every path sets may be read")
    func everyPath() {
        let steps = """
              work: { do: choose, next: [ { if: run.dry_run, to: left }, right ] }
              left: { do: set, save: { vars.who: a }, next: both }
              right: { do: set, next: { ok: { to: both, save: { vars.who: b } } } }
              both: { do: set, save: { vars.copy: "${vars.who}" }, next: done }
            """
        #expect(FlowText.codes(FlowText.flow(steps, start: "work", extra: variables)) == [])
    }

    @Test("a loop that comes back before the variable is set is a path too")
    func loops() {
        let steps = """
              work: { do: choose, next: [ { if: run.dry_run, to: both }, set ] }
              set: { save: { vars.who: a }, next: [ { to: work, max: 1 }, both ] }
              both: { do: set, save: { vars.copy: "${vars.who}" }, next: done }
            """
        #expect(FlowText.codes(FlowText.flow(steps, start: "work", extra: variables)) == ["FL047"])
    }

    @Test(
        "?? and has make a value that may be missing usable",
        arguments: [
            "save: { vars.copy: \"${vars.who ?? 'nobody'}\" }, next: done",
            "if: has(vars.who), save: { vars.copy: \"${vars.who}\" }, next: { ok: done, skipped: done }",
            "next: { ok: [ { if: has(vars.who), to: done, save: { vars.copy: \"${vars.who}\" } }, failed ] }",
        ])
    func guards(step: String) {
        let text = FlowText.flow("  work: { do: set, \(step) }", start: "work", extra: variables)
        #expect(FlowText.codes(text) == [])
    }

    @Test("an edge knows the outcome it belongs to")
    func outcome() {
        let next = "absent: done, ok: { to: done, save: { vars.who: \"${out.subject}\" } }"
        let text = FlowText.login.replacing("{ ok: done, absent: done }", with: "{ \(next) }")
            .replacing("flow: example", with: "flow: example\n\(variables)")
        #expect(FlowText.codes(text) == [])
    }

    @Test("a hook that aborts on failure sets for sure; one that continues does not")
    func hooks() {
        let hook =
            "id: who, at: step.after, steps: [work], writes: [vars.who], native: { name: who }, simulate: {}"
        let steps = """
              work: { do: set, next: read }
              read: { do: set, save: { vars.copy: "${vars.who}" }, next: done }
            """
        func codes(_ policy: String) -> [String] {
            let extra = "\(variables)\nhooks: [ { \(hook)\(policy) } ]"
            return FlowText.codes(FlowText.flow(steps, start: "work", extra: extra))
        }
        #expect(codes("") == [])
        #expect(codes(", on_failure: continue") == ["FL080"])
        #expect(codes(", if: run.dry_run") == ["FL047"])
    }

    @Test("restore leaves its fields behind on every outcome that loads a session")
    func restore() {
        let steps = """
              restore: { next: { ok: keep, expired: keep, unrefreshable: keep, insufficient: keep, absent: done } }
              keep: { do: set, save: { vars.ready: "${steps.restore.refreshable}" }, next: done }
            """
        let extra = "vars: { ready: bool }\ndefaults: { next: { any: failed } }"
        #expect(FlowText.codes(FlowText.flow(steps, start: "restore", extra: extra)) == [])
    }

    @Test("cleared tokens are gone")
    func cleared() {
        let steps = """
              restore: { next: { ok: clear, any.choice: failed } }
              clear: { next: userinfo }
              userinfo: { next: done }
            """
        let extra = "defaults: { next: { any: failed } }"
        #expect(FlowText.codes(FlowText.flow(steps, start: "restore", extra: extra)) == ["FL042"])
    }

    @Test("a second authorization makes a second callback and exchange lawful")
    func secondTransaction() {
        let text = FlowText.login.replacing(
            "exchange: { next: verify }",
            with: "exchange: { next: { ok: verify, invalid_grant: [ { to: authorize, max: 1 }, failed ] } }")
        #expect(FlowText.codes(text) == [])
    }

    @Test("the network never having seen the code, it may be sent again")
    func undelivered() {
        let text = FlowText.login.replacing(
            "exchange: { next: verify }",
            with: "exchange: { next: { ok: verify, network: [ { to: exchange, max: 1 }, failed ] } }")
        #expect(FlowText.codes(text) == [])
    }

    @Test(
        "whether a code may be sent again depends on how the exchange ended",
        arguments: [
            ("network", true), ("rate_limited", true), ("skipped", true), ("exhausted", true),
            ("server_error", false), ("unanswered", false), ("rejected", false), ("assertion_failed", false),
        ])
    func repeatedExchange(outcome: String, isLawful: Bool) {
        let keys =
            switch outcome {
            case "skipped": "if: run.dry_run, "
            case "exhausted": "visits: 2, "
            case "assertion_failed": "assert: run.dry_run, "
            default: ""
            }
        let text = FlowText.login.replacing(
            "exchange: { next: verify }",
            with:
                "exchange: { \(keys)next: { ok: verify, \(outcome): [ { to: exchange, max: 1 }, failed ] } }")
        #expect(FlowText.codes(text) == (isLawful ? [] : ["FL041"]))
    }

    @Test(
        "a person is asked once for an answer, and for the code that it brings",
        arguments: [
            ("authorize: { next: { ok: callback, headless: failed } }", []),
            ("authorize: { next: { ok: callback, headless: callback } }", ["FL041"]),
            ("authorize: { if: run.dry_run, next: { ok: callback, any.choice: callback } }", ["FL041"]),
            ("callback: { next: { ok: exchange, access_denied: exchange } }", ["FL041"]),
            (
                "callback: { next: { ok: exchange, access_denied: [ { to: callback, max: 1 }, failed ] } }",
                ["FL041"]
            ),
            (
                "exchange: { next: { ok: verify, invalid_grant: [ { to: callback, max: 1 }, failed ] } }",
                ["FL041"]
            ),
            ("callback: { with: { from: authorize }, next: second }", []),
        ])
    func transactions(step: String, codes: [String]) throws {
        let id = try #require(step.split(separator: ":").first)
        let steps = [
            "authorize: { next: { ok: callback, headless: failed } }", "callback: { next: exchange }",
            "exchange: { next: verify }",
            "verify: { do: verify_id_token, next: { ok: done, absent: done } }",
        ].map { $0.hasPrefix("\(id):") ? step : $0 }
        // Another transaction in between, which nobody answers.
        let second = "second: { do: authorize, next: { ok: exchange, headless: exchange } }"
        let all = step.contains("second") ? steps + [second] : steps
        let text = FlowText.flow(
            all.map { "  \($0)" }.joined(separator: "\n"), start: "authorize",
            extra: "defaults: { next: { any: failed } }")
        #expect(FlowText.codes(text) == codes)
    }

    @Test(
        "a device code is polled for until its answer is known",
        arguments: [
            ("network", []), ("server_error", []), ("rate_limited", []), ("skipped", []),
            ("expired", ["FL041"]), ("access_denied", ["FL041"]), ("rejected", ["FL041"]),
        ])
    func repeatedPoll(outcome: String, codes: [String]) {
        let steps = """
              device_authorize: { next: device_poll }
              device_poll:
                if: "!run.dry_run"
                next: { ok: done, skipped: failed, \(outcome): [ { to: device_poll, max: 1 }, failed ] }
            """
        let extra = "defaults: { next: { any: failed } }\nproviders: { main: { oidc: false } }"
        let flow = outcome == "skipped" ? steps.replacing("skipped: failed, ", with: "") : steps
        #expect(FlowText.codes(FlowText.flow(flow, start: "device_authorize", extra: extra)) == codes)
    }

    @Test(
        "what is known of tokens is what every path found out, until others take their place",
        arguments: [
            ("ok: read, absent: failed", "subject", []), ("ok: read, absent: failed", "id_token", []),
            ("ok: read, absent: read", "subject", ["FL055"]),
            ("ok: read, absent: read", "id_token", ["FL055"]),
            ("ok: ask, absent: ask", "subject", []), ("ok: ask, absent: ask", "id_token", ["FL055"]),
            ("ok: renew, absent: failed", "subject", []),
            ("ok: renew, absent: failed", "id_token", ["FL055"]),
            ("ok: again, absent: failed", "subject", ["FL055"]),
            ("ok: again, absent: failed", "id_token", ["FL055"]),
        ])
    func knownMembers(next: String, member: String, codes: [String]) throws {
        let further = [
            "ask": "ask: { do: userinfo, next: read }",
            "renew": "renew: { do: refresh, next: { ok: read, absent: failed } }",
            "again": "again: { do: client_credentials, next: read }",
        ]
        let id = next.split(whereSeparator: { " :,".contains($0) }).map(String.init)[1]
        let steps = """
              authorize: { next: { ok: callback, headless: failed } }
              callback: { next: exchange }
              exchange: { next: verify }
              verify: { do: verify_id_token, next: { \(next) } }
              read: { do: set, save: { vars.who: "${tokens.main.\(member)}" }, next: done }
              \(further[id] ?? "")
            """
        let type = member == "subject" ? "string" : "secret"
        let extra = "defaults: { next: { any: failed } }\nvars: { who: \(type) }"
        // What a refresh brings is not verified here.
        let found = FlowText.codes(FlowText.flow(steps, start: "authorize", extra: extra))
        #expect(found.filter { $0 != "FL060" } == codes)
    }

    @Test(
        "a hook before a step has set nothing where the step was passed over",
        arguments: [
            ("next: { ok: read }", "read", []),
            ("if: run.dry_run, next: { ok: read, skipped: failed }", "read", []),
            ("if: run.dry_run, next: { ok: read, skipped: read }", "read", ["FL047"]),
            ("visits: 1, next: { ok: read, exhausted: read }", "read", ["FL047"]),
        ])
    func passedOver(keys: String, next: String, codes: [String]) {
        let steps = """
              work: { do: set, \(keys) }
              read: { do: set, save: { vars.copy: "${vars.who}" }, next: done }
            """
        let hook = "id: who, at: step.before, steps: [work], set: { vars.who: a }"
        let extra = "\(variables)\ndefaults: { next: { any: failed } }\nhooks: [ { \(hook) } ]"
        #expect(FlowText.codes(FlowText.flow(steps, start: "work", extra: extra)) == codes)
    }

    @Test("what a hook at the start of the flow sets is set everywhere, what one elsewhere sets is not")
    func startHook() {
        let steps = "  read: { do: set, save: { vars.copy: \"${vars.who}\" }, next: done }"
        let codes = { (point: String) in
            FlowText.codes(
                FlowText.flow(
                    steps, start: "read",
                    extra: "\(variables)\nhooks: [ { id: who, at: \(point), set: { vars.who: a } } ]"))
        }
        #expect(codes("flow.start") == [])
        #expect(codes("step.after") == ["FL047"])
    }

    @Test("the engine may end a flow as failed or cancelled before anything is set")
    func earlyEnds() {
        let steps = "  work: { do: set, save: { vars.who: a }, next: done }"
        let codes = { (end: String) in
            FlowText.codes(
                FlowText.flow(
                    steps, start: "work", extra: variables,
                    ends: "  \(end): { result: failure, message: \"${vars.who}\" }"))
        }
        #expect(codes("failed") == ["FL047"])
        #expect(codes("cancelled") == ["FL047"])
    }

    @Test("what a refresh brings needs verification like what a sign-in brings [rule 145]")
    func refreshedToken() {
        let steps = """
              restore: { next: { expired: refresh, any: failed } }
              refresh: { next: { ok: store, any: failed } }
              store: { next: done }
            """
        #expect(FlowText.codes(FlowText.flow(steps, start: "restore")).contains("FL060"))
        let verified = steps.replacing("ok: store, any", with: "ok: verify, any").replacing(
            "store: { next: done }",
            with: "verify: { do: verify_id_token, next: { ok: store, absent: store, any: failed } }\n"
                + "  store: { next: done }")
        #expect(!FlowText.codes(FlowText.flow(verified, start: "restore")).contains("FL060"))
    }

    @Test(
        "a status is assumed of nothing that sends no request",
        arguments: [
            ("assume: [callback=401], expect: { end: failed }", ["FL100"]),
            ("assume: [exchange=400:invalid_grant], expect: { end: failed }", []),
            ("assume: [network=down], expect: { end: failed }", []),
            ("expect: { requests: { exchange.headr.x: absent } }", ["FL101"]),
            ("expect: { requests: { exchange.header.x: absent, exchange.url: present } }", []),
            ("expect: { requests: { exchange.method.x: absent } }", ["FL101"]),
        ])
    func embeddedTest(keys: String, codes: [String]) {
        #expect(FlowText.codes(FlowText.login + "\ntests: [ { name: t, \(keys) } ]") == codes)
    }

    @Test("a simulated hook writes no more than a real one may")
    func simulatedWrites() {
        let codes = { (path: String) in
            FlowText.codes(
                FlowText.flow(
                    "  set: { next: done }", start: "set",
                    extra: """
                        vars: { a: { type: string, init: x }, b: { type: string, init: x } }
                        hooks:
                          - id: h
                            at: step.after
                            writes: [vars.a]
                            native: { name: h }
                            simulate: { set: { \(path): y } }
                        """))
        }
        #expect(codes("vars.a") == [])
        #expect(codes("vars.b") == ["FL085"])
    }

    /// A sign-in whose tokens go through further steps before they are stored.
    private static func passingOn(_ further: String) -> String {
        let text = """
              authorize: { next: { ok: callback, headless: failed } }
              callback: { next: exchange }
            \(further)
            """
        return FlowText.flow(
            text, start: "authorize", extra: "defaults: { next: { any: failed } }")
    }

    @Test(
        "what is obtained with the tokens of a sign-in that nobody verified is not verified either",
        arguments: [
            "te: { do: token_exchange, next: store }",
            "te: { do: token_exchange, with: { into: other }, next: cc }\n"
                + "  cc: { do: client_credentials, next: store }",
            "te: { do: token_exchange, next: check }\n"
                + "  check: { do: verify_id_token, next: { ok: store, absent: store } }",
            "te: { do: http, with: { url: \"https://a.example/\", auth: bearer, into: main, out: "
                + "{ access_token: { at: /a, type: secret } } }, next: store }",
            "te: { do: jwt_bearer, with: { assertion: \"${tokens.main.access_token}\" }, next: store }",
        ])
    func laundering(further: String) {
        let set = further.contains("other") ? "other" : "main"
        let steps =
            "  exchange: { next: te }\n  \(further)\n"
            + "  store: { with: { use: \(set) }, next: { ok: done, conflict: done } }"
        #expect(FlowText.codes(Self.passingOn(steps)) == ["FL060"])
        let verified = steps.replacing("exchange: { next: te }", with: "exchange: { next: verify }")
        let verify = "\n  verify: { do: verify_id_token, next: { ok: te, absent: failed } }"
        #expect(FlowText.codes(Self.passingOn(verified + verify)) == [])
    }

    @Test(
        "tokens are unverified until verify_id_token has met them, they are replaced or forgotten",
        arguments: [
            ("exchange: { next: ask }", "ask: { do: userinfo, next: store }", false),
            (
                "exchange: { next: ask }", "ask: { do: introspect, next: { ok: store, inactive: done } }",
                false
            ),
            ("exchange: { next: clear }", "clear: { next: done }", true),
            ("exchange: { next: clear }", "clear: { next: { ok: failed, store_failed: done } }", false),
            ("exchange: { next: clear }", "clear: { with: { use: other }, next: done }", false),
            ("exchange: { next: restore }", "restore: { next: { ok: store, any.choice: failed } }", true),
            ("exchange: { next: restore }", "restore: { next: { ok: failed, absent: store } }", false),
            (
                "exchange: { next: restore }",
                "restore: { with: { into: other }, next: { ok: store, any.choice: failed } }", false
            ),
            ("exchange: { next: cc }", "cc: { do: client_credentials, next: { ok: store } }", true),
            (
                "exchange: { next: cc }",
                "cc: { do: client_credentials, next: { ok: failed, network: store } }", false
            ),
            (
                "exchange: { next: keep }",
                "keep: { do: store, with: { use: other }, next: { ok: verify, conflict: failed } }", true
            ),
            (
                "exchange: { next: te }",
                "te: { do: token_exchange, with: { use: other, actor: main }, next: store }", false
            ),
            ("exchange: { next: te }", "te: { do: token_exchange, with: { use: other }, next: store }", true),
            (
                "exchange: { next: te }",
                "te: { do: token_exchange, with: { into: other }, next: verify }", true
            ),
            (
                "exchange: { next: j }",
                "j: { do: jwt_bearer, with: { claims: { a: \"${tokens.main.access_token}\" } }, next: store }",
                false
            ),
            ("exchange: { next: j }", "j: { do: jwt_bearer, next: store }", true),
        ])
    func unverified(exchange: String, step: String, isSettled: Bool) {
        let steps = """
              own: { do: client_credentials, with: { into: other }, next: authorize }
              authorize: { next: { ok: callback, headless: failed } }
              callback: { next: exchange }
              \(exchange)
              \(step)
              verify: { do: verify_id_token, next: { ok: last, absent: failed } }
              last: { do: store, with: { use: other }, next: { ok: done, conflict: done } }
              store: { next: { ok: done, conflict: done } }
            """
        let extra = "defaults: { next: { any: failed, any.choice: failed } }"
        let found = FlowText.codes(FlowText.flow(steps, start: "own", extra: extra))
        // Not all steps are reached in every case.
        #expect(found.contains("FL060") == !isSettled)
    }

    @Test(
        "each provider says for itself whether it issues ID tokens",
        arguments: [("second", ["FL060"]), ("main", [])])
    func providersWithIDTokens(provider: String, codes: [String]) {
        let steps = """
              authorize: { provider: P, next: { ok: callback, headless: failed } }
              callback: { provider: P, next: exchange }
              exchange: { provider: P, next: done }
            """
        let extra = "defaults: { next: { any: failed } }\nproviders: { main: { oidc: false }, second: {} }"
        let text = FlowText.flow(
            steps.replacing("P,", with: "\(provider),"), start: "authorize", extra: extra)
        #expect(FlowText.codes(text) == codes)
    }

    @Test(
        "of the claims of userinfo the engine has compared sub alone",
        arguments: [("sub", []), ("name", ["FL063"]), ("sub_kind", ["FL063"])])
    func comparedClaims(claim: String, codes: [String]) {
        let steps = """
              own: { do: client_credentials, next: userinfo }
              userinfo: { save: { vars.who: "${string(out.claims.\(claim)) ?? ''}" }, next: done }
            """
        let extra = """
            vars: { who: { type: sensitive, init: '', label: trusted } }
            defaults: { next: { any: failed } }
            """
        #expect(FlowText.codes(FlowText.flow(steps, start: "own", extra: extra)) == codes)
    }

    @Test(
        "a size is a number of bytes, KiB or MiB, and no more than memory should hold",
        arguments: [
            ("4096", 4096), ("64 KiB", 65_536), ("1 MiB", 1_048_576), ("64 MiB", 67_108_864), ("1", 1),
            ("65 MiB", nil), ("67108865", nil), ("9223372036854775807 MiB", nil), ("0", nil), ("-1", nil),
            ("1 GiB", nil), ("1 KiB each", nil), ("KiB", nil), ("\"\"", nil), ("1KiB", nil),
        ] as [(String, Int?)])
    func sizes(text: String, bytes: Int?) {
        let compilation = FlowText.compile(
            FlowText.login.replacing("defaults:", with: "limits: { response_bytes: \(text) }\ndefaults:"))
        #expect(compilation.program?.limits.responseBytes == bytes)
        #expect(compilation.diagnostics.map(\.code) == (bytes == nil ? ["FL016"] : []))
    }

    @Test(
        "the level of the language is written as a number, or as two with a dot",
        arguments: [
            ("flow/1", nil), ("flow/1.0", nil),
            ("flow/1.1", "the file is written for flow/1.1, this flowrun reads flow/1"),
            ("flow/2", "the file is written for flow/2, this flowrun reads flow/1"),
        ]
            + ["1", "1.0", "flw/1", "flow/1.0.0", "flow/1.x", "flow/x", "flow/", "flow/1.", "flow/.1"].map {
                ($0, "unsupported language level \"\($0)\"; this flowrun reads flow/1")
            }
            + ["flow/+1", "flow/01", "flow/-1"].map {
                ($0, "unsupported language level \"\($0)\"; this flowrun reads flow/1")
            } as [(String, String?)])
    func level(text: String, message: String?) {
        let found = FlowText.compile(FlowText.login.replacing("flow/1", with: text)).diagnostics
        #expect(found.map(\.message) == (message.map { [$0] } ?? []))
        #expect(found.allSatisfy { ($0.hint != nil) == (text == "flow/1.1") })
    }

    @Test("whom the answer of an http step names decides no success unless a check has met it")
    func assertedSubject() {
        let call = """
              call:
                do: http
                with:
                  url: "https://a.example/"
                  into: main
                  out: { access_token: { at: /i, type: secret }, subject: { at: /s, type: string } }
                next: NEXT
            """
        let decide = """

              decide:
                do: choose
                next:
                  ok: [{ to: done, if: "tokens.main.subject == 'person-1'" }, { to: failed }]
            """
        let extra = "defaults: { next: { any: failed } }\nproviders: { main: { oidc: false } }"
        let flow = FlowText.flow(
            call.replacing("NEXT", with: "decide") + decide, start: "call", extra: extra)
        #expect(FlowText.codes(flow) == ["FL065"])
        let checked = FlowText.flow(
            call.replacing("NEXT", with: "userinfo") + "\n  userinfo: { next: decide }" + decide,
            start: "call", extra: extra)
        #expect(FlowText.codes(checked) == [])
    }

    @Test("no better is the subject of a session that was stored of such tokens")
    func restoredSubject() {
        func flow(_ call: String) -> String {
            FlowText.flow(
                """
                  restore: { next: { ok: decide, any.choice: call } }
                  call:
                    do: http
                    with:
                      url: "https://a.example/"
                      into: main
                      out: { access_token: { at: /i, type: secret }\(call) }
                    next: store
                  store: { next: { ok: done, conflict: done } }
                  decide:
                    do: choose
                    next:
                      ok: [{ to: done, if: "steps.restore.subject == 'person-1'" }, { to: failed }]
                """, start: "restore",
                extra: "defaults: { next: { any: failed } }\nproviders: { main: { oidc: false } }")
        }
        #expect(FlowText.codes(flow(", subject: { at: /s, type: string }")).contains("FL065"))
        #expect(!FlowText.codes(flow("")).contains("FL065"))
    }

    @Test("the client's own tokens take the place of those of a sign-in")
    func ownTokens() {
        let steps = """
              exchange: { next: cc }
              cc: { do: client_credentials, next: store }
              store: { next: { ok: done, conflict: done } }
            """
        #expect(FlowText.codes(Self.passingOn(steps)) == [])
    }

    @Test("an ID token that an http step takes from an answer is verified before it counts")
    func takenIDToken() {
        let steps = """
              call:
                do: http
                with: { url: "https://a.example/", into: main, out: { id_token: { at: /i, type: secret } } }
                next: store
              store: { next: { ok: done, conflict: done } }
            """
        let extra = "defaults: { next: { any: failed } }"
        #expect(FlowText.codes(FlowText.flow(steps, start: "call", extra: extra)) == ["FL060"])
        let verified =
            steps.replacing("    next: store", with: "    next: verify")
            + "\n  verify: { do: verify_id_token, next: { ok: store, absent: store } }"
        #expect(FlowText.codes(FlowText.flow(verified, start: "call", extra: extra)) == [])
        let access = steps.replacing("id_token:", with: "access_token:")
        #expect(FlowText.codes(FlowText.flow(access, start: "call", extra: extra)) == [])
    }

    @Test(
        "a wait is for one thing",
        arguments: [("{}", ["FL016"]), ("{ for: 1s, event: e }", ["FL016"]), ("{ for: 1s }", [])])
    func wait(with arguments: String, codes: [String]) {
        let steps = "  pause: { do: wait, with: \(arguments), next: { ok: done, timeout: failed } }"
        #expect(FlowText.codes(FlowText.flow(steps, start: "pause")) == codes)
    }

    @Test("a limit of no time at all is refused, a length of no time is none")
    func noTime() {
        let limit = { (text: String) in
            FlowText.codes(FlowText.login.replacing("defaults:", with: "\(text)\ndefaults:"))
        }
        let step = { (keys: String) in
            FlowText.codes(
                FlowText.login.replacing(
                    "exchange: { next: verify }", with: "exchange: { \(keys), next: verify }"))
        }
        #expect(limit("limits: { deadline: 0s, hook_time: 0ms }") == ["FL016", "FL016"])
        #expect(step("timeout: 0s") == ["FL016"])
        #expect(step("deadline: 0s") == ["FL016"])
        let retry =
            "retry: { outcomes: [network], attempts: 2, backoff: { initial: 0s }, retry_after: { max: 0s } }"
        #expect(step(retry) == [])
    }

    @Test(
        "a timeout where nothing waits for an answer is refused",
        arguments: [
            ("{ do: wait, with: { for: 1s }, timeout: 2s, next: { ok: done, timeout: failed } }", ["FL016"]),
            ("{ do: wait, with: { event: e }, timeout: 2s, next: { ok: done, timeout: failed } }", []),
            ("{ do: choose, timeout: 2s, next: done }", ["FL016"]),
            ("{ do: set, timeout: 2s, next: done }", ["FL016"]),
        ])
    func noTimeout(step: String, codes: [String]) {
        #expect(FlowText.codes(FlowText.flow("  pause: \(step)", start: "pause")) == codes)
    }

    @Test(
        "a time that no clock reaches is no time",
        arguments: [("36525d", []), ("36526d", ["FL016"]), ("9223372036854775807ms", ["FL016"])])
    func longest(timeout: String, codes: [String]) {
        let text = FlowText.login.replacing(
            "exchange: { next: verify }", with: "exchange: { timeout: \(timeout), next: verify }")
        #expect(FlowText.codes(text) == codes)
    }

    @Test("a flow without ID tokens says so and needs no verification")
    func plainOAuth() {
        let text = FlowText.login.replacing("exchange: { next: verify }", with: "exchange: { next: done }")
            .replacing("  verify: { do: verify_id_token, next: { ok: done, absent: done } }", with: "")
        #expect(FlowText.codes(text) == ["FL060"])
        let plain = text.replacing(
            "flow: example", with: "flow: example\nproviders: { main: { oidc: false } }")
        #expect(FlowText.codes(plain) == [])
    }
}
