import JOSE
import OAuthProtocol
import Testing

@Suite("Device authorization (RFC 8628)")
struct DeviceAuthorizationTests {
    private func read(
        _ changes: [(String, JSONValue?)] = [], dialect: ResponseDialect = .standard
    ) throws(ProtocolError) -> DeviceAuthorizationResponse {
        var answer: JSONObject = [
            "device_code": "GmRhmhcxhwAzkoEqiMEg", "user_code": "WDJB-MJHT",
            "verification_uri": "https://op.example/device", "expires_in": 1800, "interval": 7,
        ]
        for (name, value) in changes { answer[name] = value }
        var log = CheckLog()
        return try DeviceAuthorizationResponse.read(
            Fixture.response(answer.serialize()), dialect: dialect, log: &log)
    }

    static let lengths: [(value: JSONValue?, lifetime: Int64?, interval: Int64)] = [
        (10, 10, 10), ("10", 10, 10), (1.2, 2, 2), ("1.2", 2, 2), (1_000_000, 86_400, 5), (0, nil, 5),
        (-1, nil, 5), ("soon", nil, 5), (.null, nil, 5), (nil, nil, 5), ([10], nil, 5),
    ]

    @Test("seconds may be written as text or with a fraction, and are rounded up", arguments: lengths)
    func seconds(value: JSONValue?, lifetime: Int64?, interval: Int64) throws {
        #expect(try read([("interval", value)]).interval == interval)
        if let lifetime {
            #expect(try read([("expires_in", value)]).expiresIn == lifetime)
        } else {
            #expect(throws: ProtocolError.self) { try read([("expires_in", value)]) }
        }
    }

    @Test("a descriptor says in what its provider counts")
    func types() throws {
        var dialect = ResponseDialect.standard
        dialect.types = ["expires_in": .milliseconds, "interval": .milliseconds]
        let answer = try read([("expires_in", 600_000), ("interval", 2_500)], dialect: dialect)
        #expect(answer.expiresIn == 600)
        #expect(answer.interval == 3)
    }
}
