import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("Retries")
struct RetryTests {
    private static func flow(_ policy: String, step: String = "", extra: String = "") -> String {
        FlowTexts.ask(["userinfo": "{ retry: \(policy), \(step) next: done }"], extra: extra)
    }

    private static let away = ScriptedEffect("http userinfo", Answers.text(503, ""))
    private static let sleep = ScriptedEffect("sleep", .woke)

    private static func asking(_ seconds: String) -> ScriptedEffect {
        ScriptedEffect("http userinfo", Answers.text(503, "", [HTTPField("Retry-After", seconds)]))
    }

    /// The loads and sleeps of so many refused tries.
    private static func refused(_ tries: Int) -> [ScriptedEffect] {
        [Scripts.load()] + (0..<tries).flatMap { $0 == 0 ? [away] : [sleep, away] }
    }

    private func delays(_ policy: String, tries: Int, seed: UInt64 = 1) async throws -> [Int64] {
        let run = await Conversation.run(
            try Compiled.plan(Self.flow(policy)), Self.refused(tries), seed: seed)
        #expect(run.outcomes(of: "userinfo") == ["server_error"])
        #expect(run.outcome.end.retries == tries - 1)
        return run.events.retries.map(\.delay)
    }

    @Test("the delay grows by its factor up to its maximum")
    func growth() async throws {
        let policy =
            "{ outcomes: [any.transient], attempts: 6, backoff: { initial: 300ms, factor: 2, max: 2s, jitter: none } }"
        #expect(try await delays(policy, tries: 6) == [300, 600, 1_200, 2_000, 2_000])
    }

    @Test(
        "what would fail in the same way is not tried again, and the trace says why",
        arguments: [
            "tls_untrusted", "tls_expired", "tls_not_yet_valid", "tls_wrong_host", "tls_local_setup",
            "tls_version", "tls_plaintext", "tls_client_certificate", "invalid_request", "proxy_credentials",
            "unprepared",
        ])
    func lasting(_ cause: String) async throws {
        let policy = "{ outcomes: [any.transient], attempts: 3, backoff: { initial: 1s, jitter: none } }"
        let lost = ScriptedEffect("http userinfo", Answers.lost(.notDelivered, cause: cause))
        let run = await Conversation.run(try Compiled.plan(Self.flow(policy)), [Scripts.load(), lost])
        #expect(run.outcomes(of: "userinfo") == ["network"])
        #expect(run.outcome.end.retries == 0)
        #expect(run.events.notes.contains("not tried again: another attempt would fail in the same way"))
    }

    @Test("a handshake that broke off may succeed the next time")
    func handshake() async throws {
        let policy = "{ outcomes: [any.transient], attempts: 3, backoff: { initial: 1s, jitter: none } }"
        let lost = ScriptedEffect("http userinfo", Answers.lost(.notDelivered, cause: "tls_handshake"))
        let run = await Conversation.run(
            try Compiled.plan(Self.flow(policy)), [Scripts.load(), lost, Self.sleep, Scripts.userinfo])
        #expect(run.outcomes(of: "userinfo") == ["ok"])
    }

    @Test("the clock really waits that long")
    func waits() async throws {
        let policy =
            "{ outcomes: [server_error], attempts: 3, backoff: { initial: 1s, factor: 3, max: 1m, jitter: none } }"
        let clock = ManualClock()
        _ = await Conversation.run(try Compiled.plan(Self.flow(policy)), Self.refused(3), clock: clock)
        #expect(clock.now - ManualClock.start == 4_000)
    }

    /// SplitMix64 from the seed 1, taken from the authors' reference implementation.
    private static let reference: [UInt64] = [
        0x910A_2DEC_8902_5CC1, 0xBEEB_8DA1_658E_EC67, 0xF893_A2EE_FB32_555E, 0x71C1_8690_EE42_C90B,
    ]

    @Test("full jitter takes a number from nothing to the delay, from the seed")
    func fullJitter() async throws {
        let policy =
            "{ outcomes: [any.transient], attempts: 4, backoff: { initial: 1s, factor: 2, max: 3s, jitter: full } }"
        let bounds: [UInt64] = [1_000, 2_000, 3_000]
        let expected = zip(Self.reference, bounds).map { Int64($0 % ($1 + 1)) }
        #expect(try await delays(policy, tries: 4) == expected)
        #expect(try await delays(policy, tries: 4) == expected)
        #expect(try await delays(policy, tries: 4, seed: 2) != expected)
    }

    @Test("equal jitter takes half for sure")
    func equalJitter() async throws {
        let policy =
            "{ outcomes: [any.transient], attempts: 4, backoff: { initial: 1s, factor: 2, max: 3s, jitter: equal } }"
        let halves: [UInt64] = [500, 1_000, 1_500]
        let expected = zip(Self.reference, halves).map { Int64($1 + $0 % ($1 + 1)) }
        #expect(try await delays(policy, tries: 4) == expected)
    }

    @Test("a second try that succeeds is a success")
    func success() async throws {
        let policy = "{ outcomes: [any.transient], attempts: 3, backoff: { initial: 1s, jitter: none } }"
        let run = await Conversation.run(
            try Compiled.plan(Self.flow(policy)), [Scripts.load(), Self.away, Self.sleep, Scripts.userinfo])
        #expect(run.outcomes(of: "userinfo") == ["ok"])
        #expect(run.performed.map(\.attempt) == [1, 1, 1, 2])
        #expect(run.performed.map(\.visit) == [1, 1, 1, 1])
    }

    @Test("an outcome that the policy does not name is not tried again")
    func others() async throws {
        let run = await Conversation.run(
            try Compiled.plan(Self.flow("{ outcomes: [network], attempts: 3 }")), [Scripts.load(), Self.away])
        #expect(run.events.retries.isEmpty)
    }

    // MARK: Retry-After

    private static let honoring =
        "{ outcomes: [any.transient], attempts: 2, backoff: { initial: 1s, jitter: none }, retry_after: { honor: true, max: 30s } }"

    @Test(
        "a Retry-After that is longer than the delay wins",
        arguments: [("30", 30_000), ("2", 2_000), ("1", 1_000), ("0", 1_000)])
    func retryAfter(seconds: String, delay: Int64) async throws {
        let run = await Conversation.run(
            try Compiled.plan(Self.flow(Self.honoring)),
            [Scripts.load(), Self.asking(seconds), Self.sleep, Scripts.userinfo])
        #expect(run.events.retries.map(\.delay) == [delay])
        #expect(run.events.retries.map(\.reason) == [delay == 1_000 ? "backoff" : "Retry-After"])
    }

    @Test("a Retry-After may be a date")
    func retryAfterDate() async throws {
        let run = await Conversation.run(
            try Compiled.plan(Self.flow(Self.honoring)),
            [Scripts.load(), Self.asking("Thu, 01 Jan 2026 00:00:20 GMT"), Self.sleep, Scripts.userinfo])
        #expect(run.events.retries.map(\.delay) == [20_000])
    }

    @Test("a Retry-After beyond the policy's maximum stops the tries, and the flow can read it")
    func retryAfterTooLong() async throws {
        let flow = Self.flow(
            Self.honoring,
            extra: "vars: { wait: { type: duration, init: 0s } }\noutputs: { wait: optional duration }"
        )
        .replacing(
            "next: done }",
            with:
                "next: { ok: done, server_error: { to: failed, save: { vars.wait: \"${out.retry_after ?? 0s}\" } } } }"
        )
        .replacing(
            "  failed: { result: failure }",
            with: "  failed: { result: failure, outputs: { wait: \"${vars.wait}\" } }")
        let run = await Conversation.run(try Compiled.plan(flow), [Scripts.load(), Self.asking("31")])
        #expect(run.output("wait") == .duration(31_000))
        #expect(run.outcome.failure(.english)?.retryAfter == .seconds(31))
        #expect(run.events.notes.contains("the server asks to wait 31 s, longer than retry_after.max"))
    }

    @Test("a Retry-After that the policy does not honour changes nothing")
    func retryAfterIgnored() async throws {
        let policy =
            "{ outcomes: [any.transient], attempts: 2, backoff: { initial: 1s, jitter: none }, retry_after: { honor: false } }"
        let run = await Conversation.run(
            try Compiled.plan(Self.flow(policy)),
            [Scripts.load(), Self.asking("20"), Self.sleep, Scripts.userinfo])
        #expect(run.events.retries.map(\.delay) == [1_000])
    }

    // MARK: Deadlines

    private static let patient =
        "{ outcomes: [any.transient], attempts: 5, backoff: { initial: 4s, factor: 1, jitter: none } }"

    @Test("no try begins after the step's deadline")
    func stepDeadline() async throws {
        let run = await Conversation.run(
            try Compiled.plan(Self.flow(Self.patient, step: "deadline: 10s,")),
            [Scripts.load(), Self.away, Self.sleep, Self.away, Self.sleep, Self.away])
        #expect(run.events.retries.map(\.delay) == [4_000, 4_000])
        #expect(run.events.notes.contains("no time is left for another attempt"))
    }

    @Test("no try begins after the run's deadline")
    func runDeadline() async throws {
        let run = await Conversation.run(
            try Compiled.plan(Self.flow(Self.patient, extra: "limits: { deadline: 5s }")),
            [Scripts.load(), Self.away, Self.sleep, Self.away])
        #expect(run.outcomes(of: "userinfo") == ["server_error"])
    }

    @Test("what fails when the run's time is over has failed for that")
    func overdue() async throws {
        for (duration, code) in [(5_000, .deadline), (4_999, nil)] as [(Int64, RunFailure.Code?)] {
            let lost = ScriptedEffect("http userinfo", after: duration, Answers.lost(.notDelivered))
            let run = await Conversation.run(
                try Compiled.plan(Self.flow(Self.patient, extra: "limits: { deadline: 5s }")),
                [Scripts.load(), lost])
            #expect(run.outcome.end.error?.code == code)
            #expect(run.outcomes(of: "userinfo") == (code == nil ? ["network"] : []))
        }
    }

    @Test("a try may take its timeout, and never more than the step has left")
    func timeouts() async throws {
        let flow = Self.flow(Self.patient, step: "timeout: 7s, deadline: 10s,")
        let run = await Conversation.run(
            try Compiled.plan(flow),
            [Scripts.load(), Self.away, Self.sleep, Self.away, Self.sleep, Self.away])
        let timeouts = run.performed.compactMap { request -> Int64? in
            if case .http(let exchange) = request.effect { exchange.timeout } else { nil }
        }
        #expect(timeouts == [7_000, 6_000, 2_000])
    }

    @Test("a run that is cancelled while it waits is cancelled")
    func cancelled() async throws {
        let run = await Conversation.run(
            try Compiled.plan(Self.flow(Self.patient)),
            [Scripts.load(), Self.away, ScriptedEffect("sleep", .cancelled())])
        #expect(run.end == "cancelled")
    }
}
