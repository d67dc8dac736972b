import FlowLanguage
import FlowTesting
import FoundationEssentials
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowEngine

@Suite("Failures")
struct FailureTextTests {
    // MARK: Codes

    @Test("every code that exists is in exactly one class")
    func codes() {
        let outcomes = (0..<Outcome.firstDeclared).compactMap { Outcome(rawValue: $0).name }
        let failed = outcomes.filter { $0 != "ok" && $0 != "skipped" }
        let own = RunFailure.Code.allCases.map(\.rawValue).filter { !failed.contains($0) }
        let outside = [
            FailureCode.fileInvalid, FailureCode.setupFailed, FailureCode.unsuccessful,
            FailureCode.wrongPassphrase, FailureCode.hostNotAllowed, FailureCode.migrationRefused,
            FailureCode.ticketInvalid,
        ]
        #expect(FailureCode.all.map(\.name).sorted() == (failed + own + outside).sorted())
    }

    @Test("every class has the status of the command line")
    func statuses() {
        let statuses = FailureClass.allCases.map(\.exitStatus)
        #expect(statuses == [130, 5, 3, 6, 8, 7, 4, 9])
        for status in statuses { #expect(FailureClass(exitStatus: status)?.exitStatus == status) }
        #expect(FailureClass(exitStatus: 10) == .cancelled)
        #expect(FailureClass(exitStatus: 42) == nil)
    }

    @Test("an outcome's class agrees with what the table of kinds says of it", arguments: StepKind.allCases)
    func outcomeClasses(kind: StepKind) throws {
        for spec in KindTable.spec(of: kind).outcomes where spec.outcomeClass == .security {
            #expect(FailureCode.named(spec.name)?.failureClass == .security)
        }
        for spec in KindTable.spec(of: kind).outcomes
        where spec.outcomeClass == .denied && spec.name != "cancelled" {
            #expect(FailureCode.named(spec.name)?.failureClass == .denied)
        }
    }

    @Test(
        "what is wrong with a certificate, a proxy or this machine is said, and the rest in general",
        arguments: [
            ("tls_untrusted", "no authority that is trusted here issued the certificate of p.example"),
            ("tls_expired", "the certificate of p.example has expired"),
            ("tls_not_yet_valid", "the certificate of p.example is not valid yet"),
            ("tls_wrong_host", "the certificate that came is made out to another name than p.example"),
            ("tls_client_certificate", "p.example wants a client certificate, or another one"),
            ("tls_plaintext", "what answers at p.example speaks no TLS"),
            ("tls_version", "p.example speaks no version of TLS that is allowed"),
            ("tls_local_setup", "the certificate authorities to trust cannot be read"),
            ("tls_handshake", "no trusted connection to p.example"),
            ("proxy_credentials", "the proxy on the way to p.example wants credentials"),
            ("unprepared", "nothing can be sent from this machine"),
        ])
    func certificates(error: String, headline: String) {
        let subject = FailureSubject(
            kind: "userinfo", code: "network", error: error, .network, arguments: ["host": "p.example"])
        #expect(FailureTexts.english.text(for: subject).headline == headline)
    }

    @Test("a connection that broke may have lacked a certificate: the alert of TLS 1.3 can get lost")
    func brokenConnection() {
        let subject = FailureSubject(kind: "token", code: "network", error: "reset", .network)
        let text = FailureTexts.english.text(for: subject)
        #expect(text.headline == "the connection broke")
        #expect(text.causes.contains { $0.contains("wants a client certificate") })
    }

    @Test("a failure says once what its detail begins with")
    func description() {
        let subject = FailureSubject(kind: "", code: "cancelled", error: nil, .cancelled)
        let text = FailureTexts.english.text(for: subject)
        func description(_ detail: String?) -> String? {
            SignInFailure(subject, detail: detail, text: text).errorDescription
        }
        #expect(description(nil) == "the run was cancelled")
        #expect(description("the run was cancelled") == "the run was cancelled")
        #expect(description("the run was cancelled: by hand") == "the run was cancelled: by hand")
        #expect(description("by hand") == "the run was cancelled: by hand")
    }

    @Test("a proxy that lets nothing through is told as that")
    func proxy() {
        let subject = FailureSubject(
            kind: "refresh", code: "network", error: "proxy", .network, arguments: ["host": "p.example"])
        let text = FailureTexts.english.text(for: subject)
        #expect(text.headline == "p.example cannot be reached through the proxy")
        #expect(text.isRetryable)
    }

    // MARK: Ends

    private func denied(_ answer: [(String, String?)], ends: String) async throws -> Conversation {
        let flow = FlowTexts.signIn(ends: "  done: { result: success }\n  failed: \(ends)")
        return await Conversation.run(
            try Compiled.plan(flow), Scripts.authorize + [Scripts.callback(answer), Scripts.badEnd])
    }

    @Test("a failed check that nothing handles is status 7")
    func unhandled() async throws {
        let run = try await denied([("state", "forged")], ends: "{ result: failure }")
        #expect(run.outcome.exitStatus == 7)
        #expect(run.runEnd?.failureClass == .security)
    }

    @Test("a code that the flow declares has the class of the end's status, else of the outcome")
    func declared() async throws {
        let no: [(String, String?)] = [("code", nil), ("error", "access_denied")]
        let closed = try await denied(no, ends: "{ result: failure, error: closed, exit: 9 }")
        #expect(closed.outcome.errorCode == "closed")
        #expect(closed.outcome.failureClass == .storage)
        let open = try await denied(no, ends: "{ result: failure, error: closed }")
        #expect(open.outcome.failureClass == .denied)
        #expect(open.outcome.exitStatus == 5)
    }

    @Test("a success is no failure")
    func success() async throws {
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), try Scripts.signIn())
        #expect(run.outcome.failure(.english) == nil)
        #expect(run.runEnd?.failureClass == nil)
    }

    // MARK: Texts

    private static let german = """
        phrases:
          again: noch einmal anmelden
        texts:
          state_mismatch:
            headline: die Antwort gehört zu einer anderen Anmeldung
            why: ["ein alter Reiter von {provider} hat geantwortet"]
            fix: ["{again}"]
          network:
            headline: keine Verbindung
        """

    private static func catalogue() throws -> FailureTexts {
        try FailureTexts(reading: SourceFile(path: "de.yaml", text: german))
    }

    @Test("a German catalogue tells what it has in German, and English what it lacks")
    func german() async throws {
        let texts = try Self.catalogue()
        let forged = try await denied([("state", "forged")], ends: "{ result: failure }")
        let failure = try #require(forged.outcome.failure(texts))
        #expect(failure.code == "state_mismatch")
        #expect(failure.failureClass == .security)
        #expect(failure.step == "callback")
        #expect(failure.text.headline == "die Antwort gehört zu einer anderen Anmeldung")
        #expect(failure.failureReason == "ein alter Reiter von Provider P hat geantwortet")
        #expect(failure.recoverySuggestion == "noch einmal anmelden")
        let refused = try await denied(
            [("code", nil), ("error", "access_denied"), ("error_description", "not today")],
            ends: "{ result: failure }")
        let english = try #require(refused.outcome.failure(texts))
        #expect(english.errorDescription == "the sign-in was refused: not today")
        #expect(english.recoverySuggestion?.hasPrefix("noch einmal anmelden") == true)
    }

    @Test("whether trying again may help is not a matter of language")
    func retryable() throws {
        let subject = FailureSubject(kind: "exchange", code: "network", error: "timeout", .network)
        let text = try Self.catalogue().text(for: subject)
        #expect(text.headline == "keine Verbindung")
        #expect(text.isRetryable)
        #expect(text == FailureText("keine Verbindung", why: [], fix: [], isRetryable: true))
    }

    @Test("a catalogue with a code that there is not is refused with its place")
    func unknownCode() throws {
        let file = SourceFile(path: "de.yaml", text: "texts:\n  state_mismach: { headline: a }\n")
        do throws(SignInFailure) {
            _ = try FailureTexts(reading: file)
            Issue.record("it was read")
        } catch {
            #expect(error.code == "file_invalid")
            #expect(error.failureClass == .configuration)
            #expect(error.diagnostics.map(\.code) == ["FL010"])
            #expect(error.detail?.hasPrefix("de.yaml:2:3: unknown key \"state_mismach\"") == true)
        }
    }

    @Test("what the descriptor says of an error comes first")
    func providerAdvice() async throws {
        let provider = ProviderText.make(
            extra: "errors: [{ match: acme_closed, cause: the tenant is closed, fix: open it }]\n")
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: provider),
            Scripts.authorize + [
                Scripts.callback([("code", nil), ("error", "acme_closed")]), Scripts.badEnd,
            ])
        let failure = try #require(run.outcome.failure(.english))
        #expect(failure.text.causes.first == "the tenant is closed")
        #expect(failure.text.fixes.first == "open it")
    }

    // MARK: Hooks

    @Test("a hook that refuses is named, with the step that it stands at and not one that failed before")
    func refusingHook() async throws {
        let flow = FlowTexts.flow(
            "  restore: { next: { absent: work, ok: done } }\n  work: { do: choose, next: done }",
            start: "restore",
            extra: "hooks: [{ id: gate, at: step.before, steps: [work], native: { name: gate } }]")
        let run = await Conversation.run(
            try Compiled.plan(flow),
            [
                ScriptedEffect("load session", .noSession),
                ScriptedEffect("hook gate", .hook(HookReply(.abort(message: "not now")))),
            ])
        let failure = try #require(run.outcome.failure(.english))
        #expect(failure.code == "hook_refused")
        #expect(failure.hook == "gate")
        #expect(failure.step == "work")
    }

    @Test("a hook outside of all steps is named without a step")
    func startHook() async throws {
        let flow = FlowTexts.single(
            "{ do: choose, next: done }",
            extra: "hooks: [{ id: gate, at: flow.start, native: { name: gate } }]")
        let run = await Conversation.run(
            try Compiled.plan(flow),
            [ScriptedEffect("hook gate", .hook(HookReply(.abort(message: "closed"))))])
        let failure = try #require(run.outcome.failure(.english))
        #expect(failure.hook == "gate")
        #expect(failure.step == nil)
    }

    @Test("an outcome that a hook gave is its doing, and not told as the provider's")
    func judgingHook() async throws {
        let flow = FlowTexts.ask(
            extra:
                "hooks: [{ id: judge, at: step.response, steps: [userinfo], may: [outcome], native: { name: judge } }]"
        )
        var reply = HookReply()
        reply.outcome = "insufficient_scope"
        let run = await Conversation.run(
            try Compiled.plan(flow),
            [Scripts.load(), Scripts.userinfo, ScriptedEffect("hook judge", .hook(reply))])
        let failure = try #require(run.outcome.failure(.english))
        #expect(failure.code == "insufficient_scope")
        #expect(failure.step == "userinfo")
        #expect(failure.hook == "judge")
        #expect(failure.text.headline == "a hook gave the answer this outcome")
    }

    @Test("a run that is cancelled names the step that it was at, and no hook")
    func cancelledAtStep() async throws {
        let flow = FlowTexts.flow(
            "  restore: { next: { ok: done, absent: authorize } }\n  authorize: { next: done }",
            start: "restore")
        let run = await Conversation.run(
            try Compiled.plan(flow),
            [
                ScriptedEffect("load session", .noSession), ScriptedEffect("open redirect", .cancelled()),
                Scripts.badEnd,
            ])
        let failure = try #require(run.outcome.failure(.english))
        #expect(failure.failureClass == .cancelled)
        #expect(failure.step == "authorize")
        #expect(failure.hook == nil)
    }

    @Test(
        "a status of success that was not expected is told with the key that allows it",
        arguments: [
            (StepKind.exchange, "token"), (.refresh, "refresh"), (.userinfo, "userinfo"),
            (.introspect, "introspection"), (.deviceAuthorize, "device_authorization"),
            (.clientCredentials, "grants"),
        ])
    func otherSuccess(kind: StepKind, place: String) throws {
        let code = try #require(FailureCode.named("malformed"))
        let subject = FailureSubject(
            kind: kind.rawValue, code: code.name, error: "http_201", code.failureClass)
        let fix = FailureTexts.english.text(for: subject).fixes.first
        #expect(fix?.contains("set \(place).response.success_status to 2xx in the provider file") == true)
    }

    @Test(
        "a claim that does not hold is explained by its own check",
        arguments: [
            ("exp", "clock"), ("iat", "clock"), ("nbf", "clock"), ("at_hash", "at_hash"),
            ("c_hash", "c_hash"), ("s_hash", "s_hash"), ("sub", "sub"), ("required-claims", "scope"),
            ("id_token-present", "openid"), ("expected-sub", "account"), ("refresh-sub", "session"),
        ])
    func claim(check: String, word: String) {
        let subject = FailureSubject(
            kind: "verify_id_token", code: "claims_invalid", error: check, .security)
        let text = FailureTexts.english.text(for: subject)
        #expect(text.causes.contains { $0.contains(word) }, "\(text)")
        let isOfTime = ["exp", "iat", "nbf"].contains(check)
        #expect(text.fixes.contains { $0.contains("date -u") } == isOfTime)
    }

    @Test("of a missing ID token it is told that the client, or the grant, may be one without")
    func missingIDToken() {
        let subject = FailureSubject(
            kind: "verify_id_token", code: "claims_invalid", error: "id_token-present", .security,
            arguments: ["provider": "acme"])
        let text = FailureTexts.english.text(for: subject)
        #expect(text.causes.contains("the client may not have the scope openid"))
        #expect(text.fixes.contains { $0.contains("at acme; one of flowrun register") }, "\(text)")
        #expect(text.fixes.contains { $0.contains("id_token.required: false") }, "\(text)")
    }

    @Test(
        "a header that does not hold is explained by its own check, not as a signature that does not verify",
        arguments: ["typ", "crit", "alg"])
    func header(check: String) {
        let subject = FailureSubject(
            kind: "verify_id_token", code: "signature_invalid", error: check, .security)
        let text = FailureTexts.english.text(for: subject)
        #expect(!text.headline.contains("does not verify"))
        #expect(!text.fixes.contains { $0.contains("jwks_uri") })
    }

    @Test(
        "an answer that is too large is told as that, whatever the step makes of one that it cannot read",
        arguments: ["authorize", "userinfo", "introspect", "verify_id_token", "exchange"])
    func unread(kind: String) {
        for (error, word) in [
            ("too_large", "larger"), ("headers_too_large", "header fields"), ("compressed", "compressed"),
        ] {
            let subject = FailureSubject(kind: kind, code: "malformed", error: error, .provider)
            #expect(FailureTexts.english.text(for: subject).headline.contains(word), "\(error)")
        }
    }

    @Test("a request that is refused is told as that, whatever the server calls it")
    func refusedRequest() {
        for error in ["http_400", "invalid_request", "words of its own"] {
            let subject = FailureSubject(
                kind: "userinfo", code: "malformed", error: error, status: 400, .provider)
            let text = FailureTexts.english.text(for: subject)
            #expect(text.headline == "the UserInfo endpoint does not take the request", "\(error)")
        }
        let unread = FailureSubject(
            kind: "userinfo", code: "malformed", error: "userinfo-body", status: 200, .provider)
        #expect(
            FailureTexts.english.text(for: unread).headline
                == "the answer is not what the endpoint should send")
    }

    @Test("a time that is missing is not told to be over", arguments: ["exp", "iat"])
    func missingTime(check: String) {
        let subject = FailureSubject(
            kind: "verify_id_token", code: "claims_invalid", error: check, .security)
        let text = FailureTexts.english.text(for: subject)
        #expect(text.causes.contains { $0.contains("without \(check)") }, "\(text)")
    }

    @Test("what has no secret is not told that its secret is wrong")
    func publicClient() {
        for error in ["invalid_client", "http_401"] {
            let texts = [SentProof.nothing, nil, .assertion].map { proof in
                FailureTexts.english.text(
                    for: FailureSubject(
                        kind: "exchange", code: "invalid_client", error: error, .configuration,
                        proof: proof))
            }
            #expect(texts[0].causes.first?.contains("has sent none") == true)
            #expect(texts[0].causes.contains { $0.hasPrefix("public clients may not do this") })
            #expect(texts[1].causes.first?.hasPrefix("the client secret is wrong") == true)
            #expect(texts[1].fixes.contains { $0.contains("client.basic.encoding: raw") })
            #expect(texts[1].fixes.contains { $0.contains("--replace") })
            #expect(texts[2].causes.first?.hasPrefix("the key or secret that signs") == true)
        }
    }

    @Test("who shows a certificate is told of that alone")
    func certificate() {
        let text = FailureTexts.english.text(
            for: FailureSubject(
                kind: "exchange", code: "invalid_client", error: "invalid_client", .configuration,
                proof: .certificate))
        #expect(text.causes.first?.hasPrefix("the certificate is not the one") == true)
        #expect(text.fixes.contains { $0.contains("mtls_endpoint_aliases") })
        #expect(!(text.causes + text.fixes).contains { $0.contains("secret") })
        let body = ["grant_type", "client_id"]
        let proof = { (references: [String?]) in
            SentProof(body: body, fields: [], isIssued: false, references: references, isOwn: false)
        }
        #expect(proof([nil, ClientAuthentication.certificateReference]) == .certificate)
        #expect(proof([nil, "RFC 6749 §3.2.1"]) == .nothing)
    }

    @Test("a secret that is sent in the body is not told to be encoded or sent there")
    func postedSecret() {
        let text = FailureTexts.english.text(
            for: FailureSubject(
                kind: "exchange", code: "invalid_client", error: "invalid_client", .configuration,
                proof: .postedSecret))
        #expect(text.causes.first?.hasPrefix("the client secret is wrong") == true)
        #expect(text.fixes.contains { $0.hasSuffix("such as client_secret_basic") })
        #expect(text.fixes.contains { $0.contains("--replace") })
        #expect(!(text.causes + text.fixes).contains { $0.contains("decode") || $0.contains("_post") })
    }

    @Test("where a provider renews nothing, nobody is told how to get a refresh token")
    func renewsNothing() {
        let text = FailureTexts.english.text(
            for: FailureSubject(kind: "refresh", code: "absent", error: "never_renewed", .configuration))
        #expect(text.headline == "the provider renews no tokens")
        #expect(!(text.causes + text.fixes).contains { $0.contains("offline_access") })
    }

    @Test("a registration that is refused is rehearsed as it was given")
    func refusedRegistration() {
        let texts = FailureTexts.english.with(phrases: ["plan": "`flowrun register acme --dry-run`"])
        let subject = FailureSubject(
            kind: "register", code: "rejected", error: "invalid_client_metadata", .configuration)
        #expect(
            texts.text(for: subject).fixes.first
                == "`flowrun register acme --dry-run`   shows every member that is sent")
    }

    @Test("nobody is told to describe an answer whose parameters are there more than once")
    func repeatedParameter() {
        let subject = FailureSubject(
            kind: "callback", code: "malformed", error: "duplicate-parameter", .provider)
        let text = FailureTexts.english.text(for: subject)
        #expect(text.headline.hasSuffix("a parameter more than once"))
        #expect(!text.fixes.contains { $0.contains("below callback") || $0.contains("under callback") })
    }

    @Test("a secret whose variable is not set needs no new registration")
    func missingSecret() {
        let subject = FailureSubject(kind: "refresh", code: "client_key", error: nil, .configuration)
        let fixes = FailureTexts.english.text(for: subject).fixes
        #expect(fixes.contains { $0.hasPrefix("set the variable") })
        #expect(fixes.last?.hasPrefix("for what is missing, or another place: ") == true)
    }

    @Test("that somebody refused may be why no answer bears the state")
    func refusedWithoutState() {
        let subject = FailureSubject(
            kind: "callback", code: "state_mismatch", error: "state", .security)
        let text = FailureTexts.english.text(for: subject)
        #expect(text.causes.contains { $0.contains("where the person refuses") })
        #expect(text.fixes.contains { $0.contains("state.on_error: optional") })
    }

    @Test("no text refers to what is not there", arguments: FailureTexts.english.texts.keys.sorted())
    func references(key: String) throws {
        let text = try #require(FailureTexts.english.texts[key])
        #expect(!(text.causes + text.fixes).contains { $0.contains("above") || $0.hasPrefix("see its") })
    }

    @Test("every failure of every kind has a text of its own", arguments: StepKind.allCases)
    func own(kind: StepKind) {
        for spec in KindTable.spec(of: kind).outcomes where spec.outcomeClass != .success {
            guard let code = FailureCode.named(spec.name) else {
                Issue.record("\(spec.name) has no class")
                continue
            }
            let subject = FailureSubject(
                kind: kind.rawValue, code: code.name, error: nil, code.failureClass)
            #expect(FailureTexts.english.text(for: subject).headline != "the step did not succeed")
        }
    }

    @Test("no text leaves a placeholder unfilled", arguments: FailureTexts.english.texts.keys.sorted())
    func placeholders(key: String) {
        let subject = FailureSubject(
            kind: "", code: key, error: nil, .configuration,
            arguments: ["flow": "login", "provider": "example"])
        let text = FailureTexts.english.text(for: subject)
        #expect(!([text.headline] + text.causes + text.fixes).contains { $0.contains("{") })
    }

    @Test("the page of failures is what the table says; RECORD_GOLDEN=1 writes it anew")
    func page() throws {
        let page = "Sources/FlowEngine/FlowEngine.docc/Failures.md"
        if Golden.isRecording {
            try Data(FailurePage.markdown.utf8).write(to: URL(filePath: Repository.path(page)))
            Issue.record("recorded \(page)")
            return
        }
        let isCurrent = try Repository.text(of: page) == FailurePage.markdown
        #expect(isCurrent, "RECORD_GOLDEN=1 swift test --filter FailureTextTests writes \(page) anew")
    }
}
