import Glibc
import JOSE
import Testing

@testable import FlowCLI
@testable import FlowLive

@Suite("The list of sessions")
struct StatusCommandTests {
    /// One that lives as long as the test; its refresh token until `refreshEnd`.
    private static func session(
        profile: String = "default", refreshEnd: Int64? = nil, isInDoubt: Bool = false
    ) -> (key: String, bytes: [UInt8]) {
        var record: JSONObject = [
            "version": 1, "provider": "acme", "profile": .string(profile), "client_id": "c",
            "access_token": "at", "token_type": "Bearer", "refresh_token": "rt", "scopes": ["files"],
            "obtained_at": 0,
        ]
        record["refresh_expires_at"] = refreshEnd.map { .int($0) }
        if isInDoubt { record["in_doubt"] = true }
        return (profile, record.serializedBytes)
    }

    private static func place(_ sessions: [(key: String, bytes: [UInt8])]) async throws -> Workplace {
        let place = try Workplace()
        for part in ["home", "home/.local", "home/.local/share"] { mkdir("\(place.path)/\(part)", 0o700) }
        let store = try SQLiteSessionStore(directory: "\(place.path)/home/.local/share/flowrun/store")
        for (key, bytes) in sessions { _ = try await store.save(key: key, bytes: bytes, expecting: .absent) }
        return place
    }

    @Test("a session in doubt is good for a while, and for a script that wants one to keep it is none")
    func doubt() async throws {
        let place = try await Self.place([Self.session(isInDoubt: true)])
        let result = await place.run("status --check")
        #expect(result.status == 4)
        #expect(
            result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(
                "access token without an end, the refresh token may be used up, so it is not sent again: "
                    + "sign in again"), "\(result.output)")
        let json = await place.run("status --json").output
        #expect(json.contains(#""state":"in_doubt""#) && json.contains(#""in_doubt":true"#), "\(json)")
        #expect(try await Self.place([Self.session()]).run("status --check").status == 0)
    }

    @Test("a session says when its refresh token ends, where the server said so")
    func refreshEnd() async throws {
        let now = WallClock.now()
        for (end, words, isRefreshable) in [
            (nil, "can be refreshed\n", true), (now + 3_630_000, "can be refreshed for 60 min\n", true),
            (now - 1, "the refresh token has ended\n", false),
        ] as [(Int64?, String, Bool)] {
            let place = try await Self.place([Self.session(refreshEnd: end)])
            let text = await place.run("status")
            #expect(text.output.contains("access token without an end, \(words)"), "\(text.output)")
            let json = await place.run("status --json").output
            #expect(json.contains(#""refreshable":\#(isRefreshable)"#), "\(json)")
            #expect(json.contains(#""refresh_expires_at""#) == (end != nil), "\(json)")
        }
    }

    @Test("where a provider has several profiles each session names its own, and all say since when they are")
    func profiles() async throws {
        let one = try await Self.place([Self.session()]).run("status").output
        #expect(one.contains("acme\n") && one.contains("since   1970-01-01T00:00:00Z\n"), "\(one)")
        let two = try await Self.place([Self.session(), Self.session(profile: "work")]).run("status").output
        #expect(two.contains("acme  profile default\n") && two.contains("acme  profile work\n"), "\(two)")
    }

    @Test("where none is stored under a profile, the way to one names it")
    func profileWithoutSession() async throws {
        let place = try await Self.place([Self.session()])
        let none = await place.run("status --profile other").output
        #expect(none.contains("no session is stored under the profile other\n"), "\(none)")
        #expect(none.contains("flowrun login PROVIDER --profile other\n"), "\(none)")
        let acme = await place.run("status sandbox --profile other").output
        #expect(acme.contains("no session is stored at sandbox under the profile other\n"), "\(acme)")
    }
}
