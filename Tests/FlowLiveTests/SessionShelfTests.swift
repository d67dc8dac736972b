import OAuthProtocol
import Synchronization
import Testing

@testable import FlowEngine
@testable import FlowLive

/// Stored sessions and their locks, as the engine sees them.
@Suite("SessionShelf")
struct SessionShelfTests {
    private let directory = TemporaryDirectory()
    private let key = SessionKey(issuer: "https://p.example", clientID: "c", profile: "default", key: nil)

    private final class Notices: EffectEvents {
        private let kept = Mutex<[String]>([])
        var told: [String] { kept.withLock { $0 } }
        func report(_ notice: EffectNotice) {
            switch notice {
            case .waiting(let what, _), .note(let what): kept.withLock { $0.append(what) }
            default: break
            }
        }
    }

    private func shelf(saves: Bool = true, lent: Set<SessionKey> = []) -> SessionShelf {
        var configuration = LiveConfiguration(
            storeDirectory: directory.path + "/store", stateDirectory: directory.path + "/state",
            savesSessions: saves)
        configuration.protection = StoreProtection(method: .file)
        return SessionShelf(configuration, lent: lent, disk: DiskStore(configuration))
    }

    private func words(_ event: InputEvent) -> String {
        switch event {
        case .locked: "locked"
        case .lockTimedOut(let holder): "held by \(holder.prefix { $0 != "," })"
        case .saved(let generation): "saved \(generation)"
        case .noSession: "none"
        case .done: "done"
        default: "\(event)"
        }
    }

    @Test("a run that keeps no sessions reads, writes and locks nothing")
    func unsaved() async throws {
        let shelf = shelf(saves: false)
        #expect(words(await shelf.load(key, until: .max)) == "none")
        let notices = Notices()
        #expect(words(await shelf.save(key, [1], .absent, until: .max, notices)) == "saved 0")
        #expect(words(await shelf.delete(key, until: .max, notices)) == "done")
        #expect(
            notices.told == [
                "not kept: this run stores nothing", "not deleted: this run leaves what is stored as it is",
            ])
        #expect(words(await shelf.lock(key, until: .max, Notices())) == "locked")
        #expect(await shelf.probe() == nil)
        #expect(try await shelf.summaries().isEmpty)
        #expect(directoryNames(directory.path) == [])
    }

    @Test("a lock is held until it is given back, and who waits for it says for whom")
    func locks() async throws {
        let (first, second) = (shelf(), shelf())
        #expect(words(await first.lock(key, until: 0, Notices())) == "locked")
        let late = Notices()
        #expect(words(await second.lock(key, until: 0, late)).hasPrefix("held by process"))
        #expect(late.told == [])
        let waiting = Notices()
        async let taken = second.lock(key, until: .max, waiting)
        while waiting.told.isEmpty { await Task.yield() }
        first.unlock(key)
        #expect(words(await taken) == "locked")
        #expect(waiting.told.allSatisfy { $0.hasSuffix(", which renews the same session") })
        second.releaseAll()
        #expect(words(await first.lock(key, until: 0, Notices())) == "locked")
        first.releaseAll()
    }

    @Test(
        "a lock that somebody holds for the run is not waited for, and that of another session is its own matter"
    )
    func lent() async throws {
        let other = SessionKey(issuer: "https://q.example", clientID: "c", profile: "default", key: nil)
        let holder = shelf()
        for key in [key, other] { #expect(words(await holder.lock(key, until: 0, Notices())) == "locked") }
        let run = shelf(lent: [key])
        #expect(words(await run.lock(key, until: 0, Notices())) == "locked")
        #expect(words(await run.lock(other, until: 0, Notices())).hasPrefix("held by"))
        holder.releaseAll()
    }

    @Test("a store that cannot be used is found out before anybody is asked for anything")
    func probe() async throws {
        #expect(await shelf().probe() == nil)
        try #require(directoryNames(directory.path + "/store").contains("key"))
        _ = directory.write("store/key", "short")
        #expect(await shelf().probe()?.contains("it has 5 bytes, not 32") == true)
    }
}
