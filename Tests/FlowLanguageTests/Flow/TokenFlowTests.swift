import FlowLanguage
import Testing
import YAMLText

@Suite("Codes and tokens on every path")
struct TokenFlowTests {
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
