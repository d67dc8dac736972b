import JOSE
import Testing

@testable import FlowCLI

@Suite("jwt decode")
struct DecodeTokenCommandTests {
    private static func token(_ parts: JSONValue..., rest: String = ".c2ln") -> String {
        parts.map { Base64URL.encode($0.serialize().utf8) }.joined(separator: ".") + rest
    }

    private static let signed = token(
        ["alg": "RS256", "kid": "k1"],
        [
            "iss": "https://op.example", "aud": ["a", "b"], "exp": 1_700_000_000, "nbf": 32_503_680_000,
            "name": "A\u{202E}\u{1B}[31m", "email_verified": true,
        ])

    @Test("header and claims are shown, times as dates, and that nothing was checked")
    func shown() async throws {
        let place = try Workplace(["token": Self.signed + "\n"])
        for result in [
            await place.run("jwt decode", input: "Authorization: Bearer \(Self.signed)\r\n"),
            await place.run("jwt decode token"),
        ] {
            #expect(result.status == 0)
            #expect(
                result.output == """
                    header
                      alg  RS256
                      kid  k1

                    claims
                      iss             https://op.example
                      aud             ["a","b"]
                      exp             1700000000  2023-11-14T22:13:20Z, expired
                      nbf             32503680000  3000-01-01T00:00:00Z, not good yet
                      name            A[31m
                      email_verified  true

                    """)
            #expect(result.error == "the signature is not checked: anybody could have written this\n")
        }
    }

    @Test("a program reads it as JSON, without the signature")
    func json() async throws {
        let result = try await Workplace().run("jwt decode --json", input: Self.signed)
        let object = try #require(try JSON.parse(Array(result.output.utf8)).objectValue)
        #expect(object.map(\.key) == ["header", "claims"])
        #expect(object["claims"]?["email_verified"] == true)
        #expect(!result.output.contains("c2ln"))
    }

    @Test("of an encrypted token the header is shown")
    func encrypted() async throws {
        let token = Self.token(["alg": "ECDH-ES", "enc": "A128GCM"], rest: ".a.b.c.d")
        let result = try await Workplace().run("jwt decode", input: token)
        #expect(result.output == "header\n  alg  ECDH-ES\n  enc  A128GCM\n")
        #expect(result.error == "it is encrypted: what it says only its recipient can read\n")
    }

    @Test(
        "what is no JWT is said to be none, and a token in an argument is refused",
        arguments: [
            ("jwt decode", "opaque", 3, "it has 1 part, and a token that is signed has 3"),
            ("jwt decode", " \n", 3, "there is no token in standard input"),
            ("jwt decode", "a.b.c", 3, "its header is not base64url"),
            ("jwt decode", "W10.e30.x", 3, "its header is no JSON object"),
            ("jwt decode", "e30.e1.x", 3, "its payload is not base64url"),
            ("jwt decode missing", "", 3, "missing: No such file"),
            ("jwt decode \(signed)", "", 2, "a token does not belong into an argument"),
        ] as [(String, String, Int32, String)])
    func refused(_ line: String, _ input: String, _ status: Int32, _ words: String) async throws {
        let result = try await Workplace().run(line, input: input)
        #expect(result.status == status)
        #expect(result.error.contains(words))
        #expect(result.output == "" && !result.error.contains("eyJ"))
    }
}
