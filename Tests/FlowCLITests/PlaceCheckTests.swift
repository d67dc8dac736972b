import Testing

@testable import FlowCLI

/// The folders of a user that is not this one, on a disk as each test wants it.
@Suite("The folders that the doctor looks at")
struct PlaceCheckTests {
    private static let user: UInt32 = 4711
    private static let configuration = "/srv/config/flowrun"
    private static let store = "/srv/data/flowrun/store"

    /// - Parameters:
    ///   - folders: Those that are there, with their owner and mode.
    ///   - writable: Those that this user may write to.
    private static func findings(
        _ folders: [String: (owner: UInt32, mode: UInt32)], writable: Set<String> = [],
        readable: Bool = true, room: UInt64 = 1 << 30
    ) throws -> [Finding] {
        let place = try Workplace()
        var checks = PlaceChecks(
            surroundings: place.surroundings([
                "XDG_CONFIG_HOME": "/srv/config", "XDG_DATA_HOME": "/srv/data",
                "XDG_STATE_HOME": "/srv/state", "XDG_CACHE_HOME": "/srv/cache",
            ]))
        checks.user = user
        checks.status = { path in
            folders[path].map { .init(kind: .directory, owner: $0.owner, permissions: $0.mode) }
        }
        checks.mayWrite = { writable.contains($0) }
        checks.mayRead = { _ in readable }
        checks.room = { _ in room }
        return checks.findings
    }

    private static func finding(_ name: String, _ findings: [Finding]) throws -> Finding {
        try #require(findings.first { $0.what.hasPrefix("\(name):") })
    }

    @Test("a configuration that root owns and this user reads is as an administrator wants it")
    func rootsConfiguration() throws {
        let found = try Self.findings([Self.configuration: (0, 0o755)])
        let finding = try Self.finding("configuration", found)
        #expect(finding == .ok("path", "configuration: \(Self.configuration) (mode 755), to be read only"))
    }

    @Test("what root owns and this user cannot read is to be mended, and so is another user's")
    func foreignConfiguration() throws {
        let closed = try Self.findings([Self.configuration: (0, 0o700)], readable: false)
        let foreign = try Self.findings([Self.configuration: (1, 0o755)])
        #expect(try Self.finding("configuration", closed).state == .bad)
        #expect(try Self.finding("configuration", foreign).state == .bad)
    }

    @Test("a configuration or a cache that cannot be made is to know; sessions and locks need their place")
    func nothingToWrite() throws {
        let found = try Self.findings([:])
        #expect(found.map(\.state) == [.warning, .bad, .bad, .warning])
    }

    @Test("sessions that root owns are to be mended, whoever may read them")
    func rootsSessions() throws {
        let found = try Self.findings([Self.store: (0, 0o755)])
        #expect(try Self.finding("sessions", found).state == .bad)
    }

    @Test("a disk without room is told before a session is lost on it")
    func fullDisk() throws {
        let folders = [Self.store: (owner: Self.user, mode: UInt32(0o700))]
        let full = try Self.findings(folders, writable: [Self.store], room: 4096)
        let finding = try Self.finding("sessions", full)
        #expect(finding.state == .bad)
        #expect(finding.what == "sessions: 4 kB are left on the disk of \(Self.store)")
        #expect(finding.fix == "make room: df -h \(Self.store)")
        let enough = try Self.findings(folders, writable: [Self.store], room: 1 << 20)
        #expect(try Self.finding("sessions", enough).state == .ok)
    }

    @Test("a variable that is ignored, since it is no absolute path, is told")
    func relative() throws {
        let place = try Workplace()
        let surroundings = place.surroundings(["XDG_DATA_HOME": "var/lib", "XDG_STATE_HOME": ""])
        let ignored = PlaceChecks(surroundings: surroundings).findings.filter { $0.state == .warning }
        #expect(
            ignored == [
                .warning("path", "XDG_DATA_HOME is no absolute path and is ignored", fix: "begin it with /")
            ])
    }
}
