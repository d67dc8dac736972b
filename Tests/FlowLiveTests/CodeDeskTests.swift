import Synchronization
import Testing

@testable import FlowEngine
@testable import FlowLive

@Suite("Waiting for a code")
struct CodeDeskTests {
    private final class Notices: EffectEvents {
        private let kept = Mutex<[EffectNotice]>([])
        var waits: Int {
            kept.withLock { $0.count { if case .waiting = $0 { true } else { false } } }
        }
        var codes: [String] {
            kept.withLock {
                $0.compactMap { if case .codeRequired(let code, _, _, nil, _) = $0 { code } else { nil } }
            }
        }
        func report(_ notice: EffectNotice) { kept.withLock { $0.append(notice) } }
    }

    private static func effects(wait: Int64?) throws -> (LiveEffects, TemporaryDirectory) {
        let directory = TemporaryDirectory()
        var configuration = LiveConfiguration(
            storeDirectory: directory.path + "/store", stateDirectory: directory.path + "/state")
        configuration.wait = wait
        return (try LiveEffects(configuration), directory)
    }

    @Test("each code has an end of its own, and is told once")
    func ends() {
        let desk = CodeDesk()
        #expect(desk.end(10) == (10, true))
        #expect(desk.end(20) == (10, false))
        desk.begin()
        #expect(desk.end(30) == (30, true))
    }

    @Test("a wait that the host bounds ends before the code does")
    func bounded() async throws {
        let (effects, directory) = try Self.effects(wait: 0)
        let notices = Notices()
        let now = effects.now()
        let event = await effects.awaitDecision(now + 3_600_000, expiresAt: now + 7_200_000, notices)
        guard case .callbackTimedOut = event else {
            Issue.record("\(event)")
            return
        }
        #expect(notices.waits == 1)
        await effects.shutDown()
        withExtendedLifetime(directory) {}
    }

    @Test("a wait of any length bounds nothing that it should not, and less than none is none")
    func extremes() async throws {
        for (wait, isOver) in [(Int64.max, false), (.min, true), (-1, true)] {
            let (effects, directory) = try Self.effects(wait: wait)
            let now = effects.now()
            let event = await effects.awaitDecision(
                isOver ? now + 3_600_000 : now, expiresAt: now + 7_200_000, Notices())
            switch event {
            case .woke: #expect(!isOver)
            case .callbackTimedOut: #expect(isOver)
            default: Issue.record("\(event)")
            }
            await effects.shutDown()
            withExtendedLifetime(directory) {}
        }
        var configuration = LiveConfiguration(storeDirectory: "", stateDirectory: "")
        configuration.httpTimeout = 0
        #expect(configuration.exchangeTime(standard: 20_000) == 1)
        configuration.httpTimeout = .max
        #expect(configuration.exchangeTime(standard: 20_000) == 86_400_000)
    }

    @Test("a wait is told once for each code, however often is asked")
    func toldOnce() async throws {
        let (effects, directory) = try Self.effects(wait: nil)
        let notices = Notices()
        let now = effects.now()
        for _ in 0..<3 { _ = await effects.awaitDecision(now, expiresAt: now + 3_600_000, notices) }
        #expect(notices.waits == 1)
        await effects.shutDown()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "where nobody is there a run is put aside rather than waits, and asks once what may be asked by now",
        arguments: [(true, false, true), (true, true, false), (false, true, false), (false, false, false)])
    func putAside(suspends: Bool, isDue: Bool, isSuspended: Bool) async throws {
        let directory = TemporaryDirectory()
        var configuration = LiveConfiguration(
            storeDirectory: directory.path + "/store", stateDirectory: directory.path + "/state",
            isInteractive: false)
        configuration.suspendsRuns = suspends
        let effects = try LiveEffects(configuration)
        let now = effects.now()
        let event = await effects.awaitDecision(
            isDue ? now : now + 50, expiresAt: now + 3_600_000, Notices())
        switch event {
        case .suspended: #expect(isSuspended)
        case .woke: #expect(!isSuspended)
        default: Issue.record("\(event)")
        }
        await effects.shutDown()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "a code is shown where somebody sees it, and nowhere else",
        arguments: [
            (true, false, true, false, "terminal"), (false, true, true, false, "terminal"),
            (false, false, true, false, "a person must enter a code, and nobody can be asked"),
            (true, false, false, true, "terminal"),
            (true, false, false, false, "a person must enter a code, and nothing shows it to anybody"),
        ])
    func shown(
        isInteractive: Bool, suspends: Bool, isHeard: Bool, isTold: Bool, words: String
    ) async throws {
        let directory = TemporaryDirectory()
        var configuration = LiveConfiguration(
            storeDirectory: directory.path + "/store", stateDirectory: directory.path + "/state",
            opensBrowser: false, isInteractive: isInteractive)
        (configuration.suspendsRuns, configuration.isHeard) = (suspends, isHeard)
        let effects = try LiveEffects(configuration)
        for isPresented in [false, true] {
            let notices = Notices()
            let prompt = DevicePrompt(
                userCode: "A", verificationURI: "https://p.example/device", verificationURIComplete: nil,
                means: .browser, expiresAt: .max, isPresented: isPresented, isTold: isTold)
            switch await effects.present(prompt, until: .max, notices) {
            case .presented(let how): #expect(how == (isPresented ? "a hook" : words))
            case .headless(let reason): #expect(!isPresented && reason == words)
            case let other: Issue.record("\(other)")
            }
            #expect(notices.codes == (!isPresented && words == "terminal" ? ["A"] : []))
        }
        await effects.shutDown()
        withExtendedLifetime(directory) {}
    }

    @Test("a code that a hook has shown begins anew too: the end of the one before it is not its own")
    func shownByHook() async throws {
        let (effects, directory) = try Self.effects(wait: nil)
        let notices = Notices()
        let now = effects.now()
        for expiresAt in [now - 1, now + 3_600_000] {
            let prompt = DevicePrompt(
                userCode: "A", verificationURI: "https://p.example/device", verificationURIComplete: nil,
                means: .terminal, expiresAt: expiresAt, isPresented: true)
            _ = await effects.present(prompt, until: expiresAt, notices)
            guard case .woke = await effects.awaitDecision(now, expiresAt: expiresAt, notices) else {
                Issue.record("the code that ends at \(expiresAt)")
                return
            }
        }
        #expect(notices.waits == 2)
        await effects.shutDown()
        withExtendedLifetime(directory) {}
    }
}
