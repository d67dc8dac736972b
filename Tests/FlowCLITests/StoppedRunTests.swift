import FlowLive
import FlowSandbox
import Glibc
import Synchronization
import Testing

@testable import FlowCLI

/// Real runs that a signal or the end of their time stops.
@Suite("Stopped runs")
struct StoppedRunTests {
    private let place: Workplace
    private let sandbox: SandboxServer

    init() throws {
        place = try Workplace()
        sandbox = try SandboxServer(port: nil, mode: .automatic)
    }

    private func line(_ rest: String) -> String {
        "login -p sandbox --set issuer=\(sandbox.issuer) --no-browser \(rest)"
    }

    @Test(
        "a signal ends the run with its status and a whole trace [rule 64]",
        arguments: [SIGINT, SIGTERM, SIGHUP])
    func signal(number: Int32) async throws {
        let interruption = Interruption()
        // As `timeout` does it, which sends the signal to the process and to its group.
        let now = ContinuousClock.now
        let error = TextStream {
            guard $0.contains("Sign in: ") else { return }
            for _ in 1...2 { interruption.arrive(number, at: now) }
        }
        let surroundings = place.surroundings(error: error, interruption: interruption)
        let result = await Workplace.run(line("--trace t.jsonl"), surroundings)
        #expect(result.status == 128 + number)
        let last = try place.read("t.jsonl").split(separator: "\n").last
        #expect(last?.contains("\"type\":\"run.end\",\"end\":\"cancelled\"") == true)
        sandbox.stop()
    }

    @Test("a signal ends the program that a run waits for, too")
    func signalWhileAsked() async throws {
        try place.write("pass", "#!/bin/sh\ntouch \(place.path)/asked\nexec sleep 600\n", permissions: 0o700)
        let interruption = Interruption()
        let surroundings = place.surroundings(
            ["FLOWRUN_STORE_PASSPHRASE_COMMAND": "\(place.path)/pass"], interruption: interruption)
        let signal = Task { [place] in
            while place.permissions(of: "asked") == nil { try await Task.sleep(for: .milliseconds(5)) }
            interruption.arrive(SIGTERM)
        }
        let result = await Workplace.run(line("--no-input --store passphrase --trace t.jsonl"), surroundings)
        try await signal.value
        #expect(result.status == 128 + SIGTERM, "\(result.error)")
        #expect(!result.error.contains("store_failed"), "\(result.error)")
        let last = try place.read("t.jsonl").split(separator: "\n").last
        #expect(last?.contains(#""end":"cancelled""#) == true, "\(last ?? "")")
        #expect(last?.contains(#""exit":{"code":143,"#) == true, "\(last ?? "")")
        sandbox.stop()
    }

    @Test("the end of --timeout ends the program that a run waits for, too")
    func timeoutWhileAsked() async throws {
        try place.write("pass", "#!/bin/sh\nexec sleep 600\n", permissions: 0o700)
        let surroundings = place.surroundings(
            ["FLOWRUN_STORE_PASSPHRASE_COMMAND": "\(place.path)/pass"], interruption: Interruption())
        let result = await Workplace.run(
            line("--no-input --store passphrase --timeout 500ms"), surroundings)
        #expect(result.status == 10, "\(result.error)")
        #expect(!result.error.contains("within 60 s"), "\(result.error)")
        sandbox.stop()
    }

    @Test("a program that is to be waited for after the end of the time is ended as well")
    func programAfterTheEnd() {
        let interruption = Interruption()
        let ends = Mutex(0)
        func wait() { interruption.ending(by: { ends.withLock { $0 += 1 } }, {}) }
        wait()
        #expect(ends.withLock(\.self) == 0)
        interruption.endWaits()
        wait()
        #expect(ends.withLock(\.self) == 1)
        // Another run has its own time.
        interruption.onArrival(nil)
        wait()
        #expect(ends.withLock(\.self) == 1)
        sandbox.stop()
    }

    @Test("the end of --timeout is told as that, in the result and in the trace")
    func timeout() async throws {
        let result = await place.run(line("-o json --trace t.jsonl --timeout 10ms"))
        #expect(result.status == 10)
        #expect(
            result.output.contains(
                #""message":"the run took longer than --timeout allows","error":"deadline","class":"cancelled""#
            ))
        #expect(result.output.hasSuffix("\"exit\":{\"code\":10,\"name\":\"timeout\"}}\n"))
        let last = try place.read("t.jsonl").split(separator: "\n").last
        #expect(last?.contains(#""error":"deadline","class":"cancelled","exit":{"code":10,"#) == true)
        sandbox.stop()
    }
}
