import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Synchronization
import Testing

/// A rehearsed provider, one value of whose answers is another than it should be.
private final class LyingProvider: EffectHandler {
    private let honest: PlannedEffects
    private let lie: Lie
    /// Values of the answers so far, and whether one was the one to change.
    private let told = Mutex((count: 0, hasLied: false))

    init(_ honest: PlannedEffects, _ lie: Lie) {
        self.honest = honest
        self.lie = lie
    }

    var hasLied: Bool { told.withLock(\.hasLied) }

    func now() -> Int64 { honest.now() }

    func begin() -> RunIdentity { honest.begin() }

    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        let event = await honest.perform(request, events: events)
        guard case .answered(let response, let timing) = event else { return event }
        return .answered(changed(response), timing)
    }

    private func changed(_ response: HTTPResponse) -> HTTPResponse {
        switch lie {
        case .member(let index, let value):
            // What is no JSON has no members.
            guard let body = try? JSON.parse(response.body) else { return response }
            let new = told.withLock { told in
                LyingProvider.replace(body, value) {
                    told.count == index
                } count: {
                    told.hasLied = told.hasLied || told.count == index
                    told.count += 1
                }
            }
            return HTTPResponse(
                status: response.status, fields: response.fields, body: Array(new.serialize().utf8))
        case .answer(let index, let status, let fields):
            let isIt = told.withLock { told in
                defer { told.count += 1 }
                told.hasLied = told.hasLied || told.count == index
                return told.count == index
            }
            guard isIt else { return response }
            return HTTPResponse(
                status: status, fields: response.fields + fields.map { HTTPField($0.name, $0.value) },
                body: response.body)
        }
    }

    private static func replace(
        _ value: JSONValue, _ new: JSONValue, isIt: () -> Bool, count: () -> Void
    ) -> JSONValue {
        switch value {
        case .object(let object):
            return .object(
                JSONObject(object.map { ($0.key, replace($0.value, new, isIt: isIt, count: count)) }))
        case .array(let items):
            return .array(items.map { replace($0, new, isIt: isIt, count: count) })
        case .null, .bool, .int, .bigInteger, .number, .string:
            defer { count() }
            return isIt() ? new : value
        }
    }
}

/// What a provider says in place of the truth.
private enum Lie {
    /// The value of that number among all members of all answers.
    case member(Int, JSONValue)
    /// Status and further fields of the answer of that number.
    case answer(Int, Int, [(name: String, value: String)])
}

@Suite("Providers that lie")
struct LyingProviderTests {
    private static let values: [JSONValue] = [
        .int(.max), .int(.min), .int(-1), .int(0), .int(253_402_300_800), .number(1e308), .number(-0.5),
        .bigInteger("99999999999999999999999"), "9223372036854775807", "-9223372036854775808",
        "999999999999-01-01T00:00:00Z", "99999999999999:59:59", "", " ", "\u{0}", .null, .bool(true), [], [:],
        [[]], [.null], "%", "a b", "https://", "http://x.example/",
        .string(String(repeating: "9", count: 100_000)),
    ]

    private static let texts = [
        "9223372036854775807", "99999999999999999999999", "-1", "0", "x", "Fri, 31 Dec 9999 23:59:59 GMT",
        "Mon, 01 Jan 0000 00:00:00 GMT",
    ]

    private static let statuses = [200, 400, 401, 429, 503, 999]

    /// Every flow with one provider, and the sign-in with some that differ.
    private static let pairs = Result {
        try Shipped.pairs().filter {
            $0.provider == "sandbox" || $0.flow == "login" && Shipped.examples.contains($0.provider)
        }
    }

    /// Every value that an answer holds is replaced by one that it cannot be, each time in another run.
    @Test(
        "no member of an answer keeps a run from its end",
        arguments: try pairs.get().filter { !["logout", "revoke"].contains($0.flow) })
    func members(pair: Shipped.Pair) async throws {
        try await lie(in: pair) { [.member($0, Self.values[$0 % Self.values.count])] }
    }

    @Test("no status and no field of an answer keeps a run from its end", arguments: try pairs.get())
    func fields(pair: Shipped.Pair) async throws {
        try await lie(in: pair) { index in
            // The two counts have no divisor in common, so that in the end every pair is met.
            (index * 3..<index * 3 + 3).map { number in
                let (text, status) = (
                    Self.texts[number % Self.texts.count], Self.statuses[number % Self.statuses.count]
                )
                return .answer(
                    index, status,
                    [
                        ("Retry-After", text), ("Cache-Control", "max-age=\(text)"), ("Age", text),
                        ("Date", text), ("Expires", text), ("DPoP-Nonce", text),
                        ("WWW-Authenticate", "Bearer error=\(text), DPoP algs=\"\(text)\""),
                    ])
            }
        }
    }

    /// Runs until there is nothing left to lie about.
    private func lie(in pair: Shipped.Pair, _ lies: (Int) -> [Lie]) async throws {
        var runs = 0
        for assumption in [nil, "restore=expired", "restore=ok"] {
            var index = 0
            var hasLied = true
            while hasLied {
                hasLied = false
                for lie in lies(index) { hasLied = try await run(pair, assumption, lie) || hasLied }
                index += 1
                runs += 1
            }
        }
        #expect(runs > 3)
    }

    private func run(_ pair: Shipped.Pair, _ assumption: String?, _ lie: Lie) async throws -> Bool {
        let assumptions = [assumption].compactMap { $0.flatMap(Assumption.init) }
        let plan = try Shipped.rehearsal(Shipped.program(pair.flow), provider: pair.provider, assumptions)
        let provider = LyingProvider(PlannedEffects(assumptions: assumptions), lie)
        let recorder = EventRecorder()
        let outcome = await FlowRun(plan: plan, handler: provider, sinks: [recorder]).run()
        #expect(outcome.isSuccess || outcome.failure(.english) != nil)
        Conversation.expectSoundTrace(recorder.events, #_sourceLocation)
        return provider.hasLied
    }
}
