import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("call")
struct CallTests {
    private static let ports = """
        calls:
          account.find:
            args: { id: string, age: optional int, tokens: tokenset }
            out: { user: string, level: optional int, session: optional secret }
            outcomes: [linked, unknown]
        outputs: { user: optional string, session: optional secret }
        """

    private static let flow = FlowTexts.stored(
        """
        { do: call, with: { port: account.find, args: { id: "${tokens.main.subject ?? 'nobody'}", tokens: main } },
            next: { linked: done, unknown: failed } }
        """, extra: ports,
        ends: """
              done: { result: success, outputs: { user: "${steps.work.user}", session: "${steps.work.session}" } }
              failed: { result: failure }
            """)

    private func run(_ reply: PortReply) async throws -> Conversation {
        await Conversation.run(
            try Compiled.plan(Self.flow), [Scripts.load(), ScriptedEffect("call account.find", .port(reply))])
    }

    @Test("hands over what the port declares, token sets with their secrets")
    func arguments() async throws {
        let run = try await run(PortReply(fields: ["user": .string("u1"), "session": .string("s3cret")]))
        #expect(run.outcomes(of: "work") == ["linked"])
        #expect(run.output("user") == .string("u1"))
        #expect(run.output("session") == .secret(Secret("s3cret", kind: .other)))
        guard case .call(let call)? = run.performed.last?.effect else { return notFound() }
        #expect(call.port == "account.find")
        #expect(call.arguments["id"] == .string("person-1"))
        #expect(call.arguments["age"] == nil)
        guard case .map(let members)? = call.arguments["tokens"] else {
            Issue.record("no token set was handed over")
            return
        }
        #expect(members["access_token"] == .secret(Secret(Markers.accessToken, kind: .accessToken)))
        #expect(members["subject"] == .string("person-1"))
    }

    @Test("another outcome of the port needs none of its fields")
    func otherOutcome() async throws {
        #expect(try await run(PortReply("unknown")).outcomes(of: "work") == ["unknown"])
    }

    static let refusals: [(String, PortReply)] = [
        ("an outcome that is none of the port's", PortReply("gone", fields: ["user": .string("u")])),
        ("a missing field", PortReply("linked")),
        ("a field of another type", PortReply("linked", fields: ["user": .int(1)])),
        (
            "an optional field of another type",
            PortReply("linked", fields: ["user": .string("u"), "level": .string("x")])
        ),
        (
            "a field that is not declared",
            PortReply("linked", fields: ["user": .string("u"), "more": .bool(true)])
        ),
        ("no answer", .failed("it threw")),
    ]

    @Test("an answer that the port does not declare is port_failed", arguments: 0..<refusals.count)
    func refused(index: Int) async throws {
        let run = try await run(Self.refusals[index].1)
        #expect(run.outcomes(of: "work") == ["port_failed"], "\(Self.refusals[index].0)")
        #expect(run.lastEnd(of: "work")?.description != nil)
    }
}
