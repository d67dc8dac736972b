import FlowSandbox
import JOSE
import Testing

@Suite("Fault specifications")
struct FaultSpecificationTests {
    static let good: [(text: String, fault: Fault)] = [
        ("token:invalid_grant@1", Fault(.token, .protocolError("invalid_grant"), .only(1))),
        ("token:500x2", Fault(.token, .status(500), .first(2))),
        ("token:503", Fault(.token, .status(503, retryAfter: 1))),
        ("token:503=2", Fault(.token, .status(503, retryAfter: 2))),
        ("token:503=2x12", Fault(.token, .status(503, retryAfter: 2), .first(12))),
        ("token:slow=5s", Fault(.token, .slow(milliseconds: 5000))),
        ("token:slow=200ms@3", Fault(.token, .slow(milliseconds: 200), .only(3))),
        ("discovery:issuer=other", Fault(.discovery, .member("issuer", "https://other.invalid"))),
        ("jwks:rotate", Fault(.jwks, .rotateKeys)),
        ("idtoken:alg=hs256", Fault(.idtoken, .idToken(.hmacWithPublicKey))),
        ("callback:error=access_denied", Fault(.callback, .callback(.error("access_denied")))),
        ("access:expires=1", Fault(.access, .accessLifetime(seconds: 1))),
        ("refresh:drop", Fault(.refresh, .noRefreshToken)),
    ]

    @Test("a fault is read with its value and its hits", arguments: good)
    func reading(text: String, fault: Fault) throws {
        #expect(try Fault.parse(text) == fault)
    }

    @Test("every fault is read as it is spelled", arguments: Fault.spellings)
    func spelling(text: String) throws {
        #expect(try Fault.parse(text).occurrence == .always)
        #expect(try Fault.parse(text + "@2").occurrence == .only(2))
    }

    static let unknown: [(text: String, nearest: String?)] = [
        ("tokn:invalid_grant", "token:invalid_grant"), ("token:invalid_grnt@1", "token:invalid_grant"),
        ("idtoken:nonce=bda", "idtoken:nonce=bad"), ("callback:state=wron", "callback:state=wrong"),
        ("invalid_grant", "token:invalid_grant"), ("rotate", "jwks:rotate"),
        ("token:slwo=5s", "token:slow=5s"),
        ("token:slo=2s", "token:slow=5s"), ("token:timeout", nil), ("userinfo:sub", "userinfo:sub=other"),
        ("token:invalid_token", nil), ("idtoken:nonse", "idtoken:nonce=bad"), ("", nil),
        ("jwks:rotat", "jwks:rotate"), ("completely:different", nil),
    ]

    @Test("a name that is none is answered with the nearest that is one", arguments: unknown)
    func suggestion(text: String, nearest: String?) {
        #expect(throws: FaultSpecificationError(text: text, problem: .unknown(nearest: nearest))) {
            try Fault.parse(text)
        }
    }

    static let values: [(text: String, expected: String)] = [
        ("token:slow", "a duration, as =5s or =200ms"), ("token:slow=5", "a duration, as =5s or =200ms"),
        ("token:slow=-5s", "a duration, as =5s or =200ms"),
        ("token:slow=99999999999999999999s", "a duration, as =5s or =200ms"),
        ("token:503=soon", "a number of seconds, as =2, or none"),
        ("access:expires", "a number of seconds, as =1"), ("token:html=1", "no value"),
    ]

    @Test("a value that is missing or wrong is named", arguments: values)
    func value(text: String, expected: String) {
        #expect(throws: FaultSpecificationError(text: text, problem: .value(expected: expected))) {
            try Fault.parse(text)
        }
    }

    @Test(
        "hits count from 1",
        arguments: [
            "token:500@0", "token:500x0", "token:500@", "token:500@x", "token:500@1@99999999999999999999",
        ])
    func occurrence(text: String) {
        #expect(throws: FaultSpecificationError(text: text, problem: .occurrence)) { try Fault.parse(text) }
    }

    @Test("an error says what to write instead")
    func description() {
        let error = FaultSpecificationError(text: "tokn:500", problem: .unknown(nearest: "token:500"))
        #expect(error.description == "no fault is named 'tokn:500'; did you mean 'token:500'?")
    }
}
