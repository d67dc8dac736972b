import FlowEngine
import Glibc
import JOSE
import Testing

@testable import FlowCLI
@testable import FlowLive

@Suite("The list of runs")
struct JournalCommandTests {
    private static let home = "home/.local"

    /// A place whose store has a run that has begun and not ended.
    private static func place() async throws -> Workplace {
        let place = try Workplace()
        for part in ["home", home, "\(home)/share"] { mkdir("\(place.path)/\(part)", 0o700) }
        let store = try SQLiteSessionStore(directory: "\(place.path)/\(home)/share/flowrun/store")
        let entry = JournalEntry(.started, at: 0, facts: ["flow": "refresh", "provider": "acme"])
        try await store.append([entry], to: "r_1", after: 0, .working, now: 0)
        return place
    }

    @Test("a run whose process is gone is told as interrupted, with what goes on with it")
    func interrupted() async throws {
        let place = try await Self.place()
        let text = await place.run("journal")
        #expect(text.output.hasSuffix("refresh at acme  working, interrupted: flowrun resume r_1\n"))
        let json = await place.run("journal --json")
        #expect(json.output.contains(#""standing":"working","interrupted":true"#))
    }

    @Test(
        "a run of another profile names it, and a narrow terminal has the rest below", arguments: [60, 200])
    func profile(width: Int) async throws {
        let place = try await Self.place()
        let store = try SQLiteSessionStore(directory: "\(place.path)/\(Self.home)/share/flowrun/store")
        let facts: JSONObject = ["flow": "login", "provider": "acme", "profile": "work"]
        try await store.append(
            [JournalEntry(.started, at: 1, facts: facts)], to: "r_2", after: 0, .working, now: 1)
        let output = TextStream(isTerminal: true)
        _ = await Workplace.run(
            "journal", place.surroundings(["COLUMNS": "\(width)", "NO_COLOR": "1"], output: output))
        let next = "login at acme profile work  working, interrupted: flowrun resume r_2"
        let lines = output.text.split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { $0.count <= width })
        #expect(lines.count == (width < 100 ? 6 : 2), "\(output.text)")
        #expect(
            output.text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(
                next.replacing("  ", with: " ")))
    }

    @Test("a run that a process is at is not")
    func working() async throws {
        let place = try await Self.place()
        let locks = "\(place.path)/\(Self.home)/state/flowrun/locks"
        let lock = try await RunLock.acquire("r_1", in: locks)
        #expect(await place.run("journal").output.hasSuffix("refresh at acme  working\n"))
        #expect(await !place.run("journal --json").output.contains("interrupted"))
        lock.release()
    }
}
