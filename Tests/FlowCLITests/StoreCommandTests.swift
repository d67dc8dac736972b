import FlowLive
import Glibc
import OAuthProtocol
import Testing

@testable import FlowCLI

@Suite("The store as a whole")
struct StoreCommandTests {
    private static let folder = "home/.local/share/flowrun/store"

    private static func store(_ place: Workplace) throws -> SQLiteSessionStore {
        for part in ["home", "home/.local", "home/.local/share"] { mkdir("\(place.path)/\(part)", 0o700) }
        return try SQLiteSessionStore(directory: "\(place.path)/\(folder)")
    }

    @Test("a store that cannot be opened still says where it is and what would open it")
    func closed() async throws {
        let place = try Workplace()
        _ = try Self.store(place)
        unlink("\(place.path)/\(Self.folder)/key")
        let text = await place.run("store status")
        #expect(text.status == 9)
        #expect(text.output == "\(place.path)/\(Self.folder)\nsealed by a key file\n")
        #expect(text.error.contains("\(Self.folder)/key is gone"))
        let json = await place.run("store status --json")
        #expect(json.status == 9)
        let members = #""sealed_by":"file","result":"failure","message":""#
        #expect(json.output.contains(members), "\(json.output)")
    }

    @Test("a database that says nothing of its key is a failure like any other")
    func damaged() async throws {
        let place = try Workplace(["\(Self.folder)/sessions.db": "no database, and looking makes none of it"])
        let result = await place.run("store status")
        #expect(result.status == 9)
        #expect(result.output.isEmpty)
    }

    @Test("sealing a store with the key file that seals it makes no new key, and says how one is made")
    func sameFile() async throws {
        let place = try Workplace()
        _ = try Self.store(place)
        let key = { try FileAccess.read("\(place.path)/\(Self.folder)/key", limit: 64) }
        let before = try key()
        let result = await place.run("store seal file")
        #expect(result.status == 0)
        #expect(try key() == before)
        #expect(result.error.contains("keeps its key"), "\(result.error)")
        #expect(result.error.contains("flowrun store seal passphrase, then flowrun store seal file"))
    }
}
