import FlowTesting
import JOSE
import Testing

@testable import FlowLanguage

@Suite("Types of claims")
struct ClaimTypeTests {
    private func read(_ value: JSONValue, as type: String) throws -> (value: JSONValue?, unread: [String]) {
        let (descriptor, report) = DescriptorFixture.read("claims: {sub: sub, x: {path: x, type: \(type)}}\n")
        #expect(report == [])
        let bound = try #require(descriptor).bind(variables: [:])
        var unread: [UnreadClaim] = []
        let profile = bound.profile(
            claims: ["sub": "1", "x": value], userinfo: nil, token: nil, callback: nil, additional: [:],
            clientID: "", unread: &unread)
        #expect(profile["sub"] == "1")
        return (profile["x"], unread.map(\.text))
    }

    @Test(
        "booleans are written in several ways",
        arguments: [
            (true, true), (false, false), ("true", true), ("TRUE", true), ("False", false), (1, true),
            (0, false),
            ("1", true), ("0", false),
        ] as [(JSONValue, Bool)])
    func booleans(value: JSONValue, flag: Bool) throws {
        let found = try read(value, as: "boolean")
        #expect(found.value == .bool(flag))
        #expect(found.unread == [])
    }

    @Test(
        "times become seconds",
        arguments: [
            (1_700_000_000, "timestamp"), ("1700000000", "timestamp"), (1_700_000_000.9, "timestamp"),
            ("2023-11-14T22:13:20Z", "timestamp"), ("2023-11-14T22:13:20.500Z", "timestamp"),
            (1_700_000_000_000, "timestamp_ms"), ("1700000000999", "timestamp_ms"),
            ("2023-11-14T22:13:20Z", "timestamp_ms"),
        ] as [(JSONValue, String)])
    func times(value: JSONValue, type: String) throws {
        let found = try read(value, as: type)
        #expect(found.value == .int(1_700_000_000))
        #expect(found.unread == [])
    }

    @Test(
        "milliseconds are milliseconds whenever they are, also before 1978 and 1970",
        arguments: [
            (100_000_000_000, 100_000_000), ("252460800000", 252_460_800), (1, 0), (-1, -1),
            (-86_400_000, -86_400),
        ] as [(JSONValue, Int64)])
    func earlyTimes(value: JSONValue, seconds: Int64) throws {
        #expect(try read(value, as: "timestamp_ms").value == .int(seconds))
    }

    @Test(
        "what a type cannot be made of is left out and told, without its value",
        arguments: [
            ("yes", "boolean", "another text, and boolean is made of true or false, 1 or 0, also as text"),
            (2, "boolean", "another number, and boolean is made of true or false, 1 or 0, also as text"),
            (
                1_700_000_000_000, "timestamp",
                "another number, and timestamp is made of seconds since 1970 or a text of RFC 3339; milliseconds are "
                    + "timestamp_ms"
            ),
            (
                "yesterday", "timestamp_ms",
                "another text, and timestamp_ms is made of milliseconds since 1970 or a text of RFC 3339"
            ),
            (
                ["a": 1], "string",
                "an object, and string is made of a text, true or false, or a number of at most 15 digits"
            ),
            ("many", "integer", "another text, and integer is made of a whole number, also as text"),
            ([1], "number", "a list, and number is made of a number, also as text"),
        ] as [(JSONValue, String, String)])
    func unread(value: JSONValue, type: String, words: String) throws {
        let found = try read(value, as: type)
        #expect(found.value == nil)
        #expect(found.unread == ["claim \"x\" is left out: the answer has \(words)"])
    }

    @Test("what is not there, and what another place has, is nothing to tell")
    func silence() throws {
        #expect(try read(.null, as: "boolean").unread == [])
        #expect(try read("", as: "boolean").unread == [])
        let (descriptor, _) = DescriptorFixture.read("claims: {sub: sub, x: {path: [a, b], type: boolean}}\n")
        let bound = try #require(descriptor).bind(variables: [:])
        var unread: [UnreadClaim] = []
        let profile = bound.profile(
            claims: ["sub": "1", "a": "yes", "b": 1], userinfo: nil, token: nil, callback: nil,
            additional: [:],
            clientID: "", unread: &unread)
        #expect(profile["x"] == true)
        #expect(unread == [])
    }
}
