import FlowEngine
import FlowTesting
import Testing

@Suite("Parts that a flow misses around it")
struct MissingPartTests {
    @Test(
        "a port is missed where a step asks it, and ends the run where the flow has no way of its own",
        arguments: [("kept: done", true), ("kept: done, port_failed: failed", false)])
    func ports(next: String, endsRun: Bool) throws {
        let program = try Compiled.program(
            FlowTexts.single(
                "{ do: call, with: { port: keep }, next: { \(next) } }",
                extra: "calls: { keep: { outcomes: [kept] }, idle: { outcomes: [kept] } }"))
        let missing = program.missingParts { _ in false }
        #expect(missing.map(\.need) == [.port("keep")])
        #expect(missing.map(\.endsRun) == [endsRun])
        #expect(
            missing.map(\.description) == [
                "port \"keep\" needs a closure, and none is registered for it"
            ])
        #expect(program.missingParts { _ in true } == [])
    }
}
