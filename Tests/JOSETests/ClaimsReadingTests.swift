import JOSE
import Testing

/// Claims are noted where they stand and made when asked for: always what a tree of all values says.
@Suite("claims and the tree of values")
struct ClaimsReadingTests {
    private static let document = #"""
        {"iss":"https://a.example", "é":["iss",{"sub":"inner"}], "s\u0075b":"\u00e9\ud83d\ude00", "\u0061ud":["a","é"],
         "exp":-1.5e3, "iat":9007199254740993, "nbf":0, "auth_time":1e308, "address":{"iss":1,"more":[[],{}]},
         "nonce":"né", "azp":"", "jti":"a\\b", "acr":"1","amr":[],"at_hash":"x", "c_hash":"y","s_hash":"z","sid":"q",
         "at_hasher":1, "at_has":2, "e":null, "email_verified":true, "preferred_username":"u", "a long name of a claim":1}
        """#

    @Test("each claim is what the tree says, however its name and its text are written")
    func values() throws {
        try agree(Self.document)
        try agree(#"{"aud":"\u0061"}"#)
        try agree(#"{"aud":["a","b","c"],"amr":["\u0061","é"]}"#)
        try agree("{}")
        try agree(#"{"is":"x","issu":"x","Iss":"x","auth_timf":"x","auth_times":"x"}"#)
    }

    @Test("a document that is cut short anywhere gives the same error")
    func cut() {
        let bytes = Array(Self.document.utf8)
        for count in bytes.indices { agreeOnError(bytes[..<count]) }
    }

    @Test("any single changed byte gives the same values or the same error [rule 182]")
    func changed() throws {
        var bytes = Array(Self.document.utf8)
        for place in bytes.indices {
            let before = bytes[place]
            for byte in [0, 0x0A, 0x22, 0x2C, 0x30, 0x5C, 0x5D, 0x65, 0x7D, 0x80, 0xC3, 0xFF] as [UInt8] {
                bytes[place] = byte
                agreeOnError(bytes[...])
                if let tree = try? JSON.parse(bytes), tree.objectValue != nil,
                    let claims = try? JWTClaims(payload: bytes)
                {
                    try agree(claims, try #require(tree.objectValue))
                }
            }
            bytes[place] = before
        }
    }

    @Test("a name that stands twice is found, with escapes, among few and among many members")
    func repeated() {
        for count in [0, 3, 22, 23, 24, 25, 80] {
            let fillers = (0..<count).map { #""claim number \#($0)":{"iss":"x"},"# }.joined()
            for (first, second) in [
                ("iss", "iss"), ("iss", #"\u0069ss"#), (#"\u0069ss"#, "iss"),
                ("auth_time", #"auth\u005ftime"#),
                ("é", #"\u00e9"#), ("", ""),
            ] {
                agreeOnError(
                    Array(#"{"\#(first)":"a",\#(fillers)"\#(second)":"b"}"#.utf8)[...], isWrong: true)
                agreeOnError(
                    Array(#"{\#(fillers)"\#(first)":"a","\#(second)":"b"}"#.utf8)[...], isWrong: true)
            }
            // Only canonically equivalent, and of one length that a mark no longer tells apart.
            agreeOnError(Array("{\(fillers)\"\u{E9}\":1,\"e\u{301}\":2}".utf8)[...])
            let long = String(repeating: "n", count: 300)
            agreeOnError(Array(#"{\#(fillers)"\#(long)":1,"\#(long)n":2}"#.utf8)[...])
        }
    }

    @Test("of several claims of a wrong type the first one in the order of the specification is named")
    func firstWrong() {
        for text in [#"{"sid":1,"exp":"x","aud":[],"iss":"a"}"#, #"{"iss":"a","aud":[],"exp":"x","sid":1}"#] {
            #expect(
                error { () throws(JWTClaimsError) in try JWTClaims(payload: Array(text.utf8)) }
                    == .wrongType(name: "aud", expected: "a string or a non-empty array of strings"))
        }
    }

    @Test("a claim says one text only, byte for byte")
    func says() throws {
        let claims = try JWTClaims(payload: Array(Self.document.utf8))
        #expect(claims.says(.iss, "https://a.example"))
        #expect(!claims.says(.iss, "https://a.exampl"))
        #expect(!claims.says(.iss, "https://a.example/"))
        #expect(claims.says(.sub, "é😀"))
        #expect(!claims.says(.sub, "e\u{301}😀"))
        #expect(claims.says(.nonce, "né"))
        #expect(!claims.says(.nonce, "ne\u{301}"))
        #expect(claims.says(.azp, ""))
        #expect(claims.says(.jti, "a\\b"))
        // A list or a number says nothing, and neither does what is not there.
        #expect(!claims.says(.aud, "a"))
        #expect(!claims.says(.nbf, "0"))
        #expect(try !JWTClaims(payload: Array("{}".utf8)).says(.iss, ""))
        #expect(try JWTClaims(payload: Array(#"{"aud":"a"}"#.utf8)).says(.aud, "a"))
    }

    private func agree(_ text: String) throws {
        let bytes = Array(text.utf8)
        try agree(try JWTClaims(payload: bytes), try #require(try JSON.parse(bytes).objectValue))
    }

    private func agree(_ claims: JWTClaims, _ tree: JSONObject) throws {
        #expect(claims.raw == tree)
        let texts: [(RegisteredClaim, String?)] = [
            (.iss, claims.iss), (.sub, claims.sub), (.jti, claims.jti), (.nonce, claims.nonce),
            (.azp, claims.azp),
            (.acr, claims.acr), (.atHash, claims.atHash), (.cHash, claims.cHash), (.sHash, claims.sHash),
            (.sid, claims.sid),
        ]
        for (claim, text) in texts { #expect(text.map(JSONValue.string) == tree[claim.name]) }
        let numbers: [(RegisteredClaim, Double?)] = [
            (.exp, claims.exp), (.nbf, claims.nbf), (.iat, claims.iat), (.authTime, claims.authTime),
        ]
        for (claim, number) in numbers { #expect(number == tree[claim.name]?.numberValue) }
        let audience = tree["aud"]
        #expect(claims.aud == audience.map { $0.stringValue.map { [$0] } ?? strings($0) })
        #expect(claims.audienceCount == claims.aud?.count ?? 0)
        #expect(claims.amr == tree["amr"].map(strings))
        for claim in RegisteredClaim.allCases { #expect(claims.has(claim) == (tree[claim.name] != nil)) }
    }

    private func strings(_ value: JSONValue) -> [String] { value.arrayValue?.compactMap(\.stringValue) ?? [] }

    /// Both readers accept the bytes, or refuse them for the same reason at the same place.
    private func agreeOnError(
        _ bytes: ArraySlice<UInt8>, isWrong: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let expected = error { () throws(JSONError) in try JSON.parse(bytes) }
        let found = error { () throws(JWTClaimsError) in try JWTClaims(payload: Array(bytes)) }
        if let expected {
            #expect(found == .notJSON(expected), sourceLocation: sourceLocation)
        } else if case .notJSON = found {
            Issue.record("only the claims are no JSON", sourceLocation: sourceLocation)
        }
        if isWrong { #expect(expected != nil, sourceLocation: sourceLocation) }
    }
}
