import FlowLive
import FlowTesting
import JOSE
import Testing

@testable import FlowCLI

@Suite("jwt sign")
struct SignTokenCommandTests {
    private func place(_ files: [String: String] = [:]) throws -> Workplace {
        try Workplace(["key.pem": TestKey.pem].merging(files) { $1 })
    }

    /// Header and claims, once the signature is known to be the key's.
    private func opened(
        _ text: String, _ key: PrivateKey? = nil
    ) throws -> (header: JSONObject, claims: JSONObject) {
        let jws = try JWS.split(text.replacing("\n", with: ""))
        let key = try key ?? PrivateKey(pem: TestKey.pem)
        let keys = try JWKSet.parse(["keys": [key.publicJWK(kid: jws.header.kid)]])
        let payload = try JWS.verify(jws, keys: keys, allowed: [.es256]).payload
        let header = try #require(Base64URL.decode(Array(text.prefix { $0 != "." }.utf8)[...]))
        return (
            try #require(JSON.parse(header).objectValue), try #require(JSON.parse(payload).objectValue)
        )
    }

    @Test("claims of a file and of options are signed, and what makes it good for a while and once is added")
    func signed() async throws {
        let place = try place(["claims.json": #"{"iss": "c", "sub": "x", "n": 1}"#])
        let before = WallClock.now() / 1000
        let run = await place.run(
            "jwt sign claims.json --private-key-file key.pem --claim sub=c --claim aud=a --claim aud=b"
                + " --lifetime 1m")
        #expect(run.status == 0, "\(run.error)")
        let (header, claims) = try opened(run.output)
        #expect(header == ["alg": "ES256", "typ": "JWT"])
        #expect(claims.map(\.key) == ["iss", "sub", "n", "aud", "iat", "exp", "jti"])
        #expect(claims["sub"] == "c")
        #expect(claims["aud"] == ["a", "b"])
        let issued = try #require(claims["iat"]?.intValue)
        #expect((before...WallClock.now() / 1000).contains(issued))
        #expect(claims["exp"] == .int(issued + 60))
        #expect(claims["jti"]?.stringValue?.utf8.count == 22)
        let other = await place.run("jwt sign - --private-key-file key.pem", input: "{}")
        #expect(try opened(other.output).claims["jti"] != claims["jti"])
    }

    @Test("what the claims say themselves is left alone, and the header is what the options say")
    func kept() async throws {
        let claims = #"{"iat": 1, "exp": 2, "jti": "j"}"#
        let run = try await place().run(
            "jwt sign - --private-key-env KEY --kid k1 --type at+jwt --algorithm ES256",
            environment: ["KEY": TestKey.pem], input: claims)
        #expect(run.status == 0, "\(run.error)")
        let opened = try opened(run.output)
        #expect(opened.claims == ["iat": 1, "exp": 2, "jti": "j"])
        #expect(opened.header == ["alg": "ES256", "typ": "at+jwt", "kid": "k1"])
    }

    @Test("a JWK gives its name to the header")
    func jwk() async throws {
        // RFC 7515 Appendix A.3.1.
        let jwk: JSONValue = [
            "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
            "d": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI", "kid": "mine",
        ]
        let run = try await place(["key.jwk": jwk.serialize()]).run(
            "jwt sign --claim iss=c --private-key-file key.jwk")
        #expect(try opened(run.output, PrivateKey(jwk: jwk)).header["kid"] == "mine", "\(run.error)")
    }

    @Test(
        "what cannot be signed is told, and no key is shown",
        arguments: [
            ("--private-key-file key.pem", "", 2, "nothing is to be signed"),
            ("- --claim iss=c", "{}", 2, "give --private-key-file or --private-key-env"),
            ("- --private-key-file key.pem", "[1]", 3, "standard input holds no JSON object"),
            ("- --private-key-file key.pem --algorithm RS256", "{}", 3, "cannot make signatures of RS256"),
            ("- --private-key-file key.pem --algorithm HS256", "{}", 2, "--algorithm"),
            ("- --private-key-file no.pem", "{}", 3, "the key in file no.pem cannot sign"),
        ])
    func refused(_ words: String, _ input: String, _ status: Int, _ message: String) async throws {
        let place = try place(["no.pem": "marker-of-a-key"])
        let run = await place.run("jwt sign \(words)", input: input)
        #expect(run.status == status)
        #expect(run.error.contains(message), "\(run.error)")
        #expect(!run.error.contains("marker"))
        #expect(run.output.isEmpty)
    }
}

@Suite("pkce")
struct PKCECommandTests {
    @Test("the challenge is that of RFC 7636 Appendix B")
    func known() async throws {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let run = try await Workplace().run("pkce -", input: verifier + "\n")
        #expect(
            run.output == """
                code_verifier \(verifier)
                code_challenge E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
                code_challenge_method S256

                """)
    }

    @Test("a verifier that is made is new each time, and its challenge is its own")
    func made() async throws {
        let place = try Workplace()
        let first = try JSON.parse(Array(await place.run("pkce --json").output.utf8))
        let second = try JSON.parse(Array(await place.run("pkce --json").output.utf8))
        let verifier = try #require(first["code_verifier"]?.stringValue)
        #expect(verifier.utf8.count == 43)
        #expect(verifier != second["code_verifier"]?.stringValue)
        let again = await place.run("pkce - --json", input: verifier)
        #expect(try JSON.parse(Array(again.output.utf8)) == first)
    }

    @Test(
        "what is no verifier is not taken, and not shown",
        arguments: ["short", String(repeating: "a", count: 129), String(repeating: "+", count: 43), ""])
    func refused(_ text: String) async throws {
        let run = try await Workplace().run("pkce -", input: text)
        #expect(run.status == 3)
        #expect(run.error.contains("this is no code verifier"))
        #expect(text.isEmpty || !run.error.contains(text))
    }
}
