import JOSE
import OAuthProtocol
import Testing

@Suite("Device authorization (RFC 8628)")
struct DeviceAuthorizationTests {
    @Test("the request says who asks for what; nothing that is added takes the client's place")
    func request() throws {
        func text(_ scopes: [String], _ extra: [String] = []) throws -> String {
            try DeviceAuthorizationRequest.plan(
                endpoint: "https://op.example/device", scopes: scopes, scopeDelimiter: ",",
                extra: extra.map { RequestParameter($0, .text("x"), .descriptor("p.yaml:1")) },
                registration: Fixture.registration(), dialect: .standard, step: "device"
            ).encoded().text
        }
        #expect(try text([]) == "client_id=client-1&client_secret=s3cret")
        #expect(
            try text(["a", "b"], ["audience", "client_id", "state"])
                == "scope=a%2Cb&audience=x&client_id=client-1&client_secret=s3cret")
    }

    @Test("a challenge goes with the request and its verifier with the question (RFC 7636 §4.3, §4.5)")
    func proofKey() throws {
        let pkce = PKCE(randomBytes: Array(repeating: 0, count: PKCE.randomByteCount))
        let begun = try DeviceAuthorizationRequest.plan(
            endpoint: "https://op.example/device", scopes: ["a"], scopeDelimiter: " ", pkce: pkce,
            extra: ["code_challenge", "code_challenge_method"].map {
                RequestParameter($0, .text("x"), .descriptor("p.yaml:1"))
            },
            registration: Fixture.registration(.none), dialect: .standard, step: "device"
        ).encoded().text
        #expect(
            begun == "scope=a&code_challenge=DwBzhbb51LfusnSGBa_hqYSgo7-j8BTQnip4TOnlzRo"
                + "&code_challenge_method=S256&client_id=client-1")
        let asked = try TokenRequest.device(
            endpoint: "https://op.example/token", deviceCode: Secret("dc", kind: .deviceCode),
            codeVerifier: pkce.verifier, registration: Fixture.registration(.none), dialect: .standard,
            step: "poll"
        ).encoded().text
        #expect(asked.hasSuffix("device_code=dc&code_verifier=\(pkce.verifier.reveal())&client_id=client-1"))
    }

    @Test("its members are there for later, without the device code by whatever name")
    func members() throws {
        var dialect = ResponseDialect.standard
        dialect.map = ["device_code": [try #require(ValuePath("secret.code"))]]
        let changes: [(String, JSONValue?)] = [
            ("device_code", nil), ("secret", ["code": "dc-1", "area": "eu"]),
        ]
        let answer = try read(changes, dialect: dialect)
        #expect(answer.deviceCode.reveal() == "dc-1")
        #expect(answer.members["user_code"] == "WDJB-MJHT")
        #expect(answer.members["secret"] == ["area": "eu"])
        #expect(!answer.members.serialize().contains("dc-1"))
    }

    private func read(
        _ changes: [(String, JSONValue?)] = [], dialect: ResponseDialect = .standard,
        log: inout CheckLog
    ) throws(ProtocolError) -> DeviceAuthorizationResponse {
        var answer: JSONObject = [
            "device_code": "GmRhmhcxhwAzkoEqiMEg", "user_code": "WDJB-MJHT",
            "verification_uri": "https://op.example/device", "expires_in": 1800, "interval": 7,
        ]
        for (name, value) in changes { answer[name] = value }
        return try DeviceAuthorizationResponse.read(
            Fixture.response(answer.serialize()), dialect: dialect, log: &log)
    }

    private func read(
        _ changes: [(String, JSONValue?)] = [], dialect: ResponseDialect = .standard
    ) throws(ProtocolError) -> DeviceAuthorizationResponse {
        var log = CheckLog()
        return try read(changes, dialect: dialect, log: &log)
    }

    @Test(
        "what a person cannot use is refused, and the member named [rules 153, 154]",
        arguments: [
            (("device_code", nil), Checks.deviceCode, "device_code, a text", "none"),
            (("device_code", ""), Checks.deviceCode, "device_code, a text", "empty or another type"),
            (("user_code", 5), Checks.userCode, "user_code, a text", "empty or another type"),
            (
                ("user_code", "\u{A0} \u{1B}"), Checks.userCode, "user_code, a text",
                "nothing that can be shown"
            ),
            (("verification_uri", nil), Checks.verificationURI, "verification_uri, a text", "none"),
            (("expires_in", nil), Checks.deviceLifetime, "expires_in, a number above 0", "none"),
            (("expires_in", 0), Checks.deviceLifetime, "expires_in, a number above 0", "another value"),
        ] as [((String, JSONValue?), Check, String, String)])
    func refusal(change: (String, JSONValue?), check: Check, expected: String, actual: String) {
        let result = failure { log throws(ProtocolError) in try read([change], log: &log) }
        #expect(result.error == .failed(check, expected: expected, actual: actual))
        #expect(result.log.failedMember == change.0)
    }

    @Test("nobody is sent to an address that others on the way can change [rule 154]")
    func address() {
        for name in ["verification_uri", "verification_uri_complete"] {
            #expect(
                failure { log throws(ProtocolError) in
                    try read([(name, "http://op.example/device")], log: &log)
                }.error
                    == .failed(
                        Checks.verificationURI, expected: "an https URL",
                        actual: "http://op.example/device is not https"))
        }
    }

    @Test("the address with the code in it may be left out, also as an empty text")
    func withoutCompleteAddress() throws {
        let complete = "https://op.example/device?user_code=WDJB-MJHT"
        #expect(
            try read([("verification_uri_complete", .string(complete))]).verificationURIComplete == complete)
        for none in [nil, .null, ""] as [JSONValue?] {
            #expect(try read([("verification_uri_complete", none)]).verificationURIComplete == nil)
        }
    }

    @Test("an interval that is missing or cannot be used is five seconds, and the trace says why [rule 151]")
    func interval() throws {
        for (value, verdict) in [
            (7, .passed), (nil, .notApplicable("the server names none, so it is 5 s")),
            (0, .notApplicable("the server's cannot be used, so it is 5 s")),
        ] as [(JSONValue?, CheckVerdict)] {
            var log = CheckLog()
            _ = try read([("interval", value)], log: &log)
            #expect(log.verdict(Checks.pollInterval) == verdict)
        }
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
