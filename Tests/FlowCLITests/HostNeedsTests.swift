import FlowTesting
import Testing

@testable import FlowCLI

@Suite("What the command line has not got")
struct HostNeedsTests {
    private static let flow = """
        language: flow/1
        flow: hosted
        calls:
          mine: {}
          theirs: { exec: { argv: [./answer] } }
        hooks:
          - { id: look, at: flow.start, native: { name: look } }
        defaults: { next: { any: failed } }
        start: hold
        steps:
          hold: { do: wait, with: { event: approved }, timeout: 1s, next: { ok: ask, timeout: ask } }
          ask: { do: call, with: { port: mine }, next: { ok: again } }
          again: { do: call, with: { port: theirs }, next: { ok: done } }
        ends:
          done: { result: success }
          failed: { result: failure }

        """

    @Test("ports and hooks without a program, and events, are told before anything begins")
    func told() throws {
        let program = try Compiled.program(Self.flow)
        let needs = HostNeeds(program, includesHooks: true)
        #expect(needs.parts == ["port mine", "hook look", "the event of step hold"])
        #expect(
            needs.warning
                == "only a program that embeds the engine brings port mine, hook look, the event of step hold: "
                + "what needs it fails here")
        #expect(HostNeeds(program, includesHooks: false).parts == ["port mine", "the event of step hold"])
    }

    @Test("a flow that needs nothing of a host is run without a word", arguments: ["login", "device-login"])
    func silent(name: String) throws {
        #expect(HostNeeds(try Shipped.program(name), includesHooks: true).warning == nil)
    }
}
