import JOSE
import OAuthProtocol
import Testing

@Suite("ID token claims (OIDC Core §3.1.3.7, §12.2)")
struct IDTokenTests {
    private let seconds = Fixture.now / 1000

    private func expectations(
        _ change: (inout IDTokenExpectations) -> Void = { _ in }
    ) -> IDTokenExpectations {
        var expected = IDTokenExpectations(
            issuers: [Fixture.issuer], clientID: Fixture.clientID,
            origin: .code(nonce: Fixture.transaction().nonce))
        change(&expected)
        return expected
    }

    private func validate(
        _ changes: [(String, JSONValue?)] = [], now: Int64 = Fixture.now,
        _ change: (inout IDTokenExpectations) -> Void = { _ in }
    ) throws -> (error: ProtocolError?, log: CheckLog) {
        let jws = try Fixture.verified(Fixture.claims(changes))
        let expected = expectations(change)
        return failure { log throws(ProtocolError) in
            try IDToken.validate(jws, expected, now: now, log: &log)
        }
    }

    private func refresh(
        _ issuer: String = Fixture.issuer, _ subject: String = "user-1", nonce: Secret? = nil,
        authTime: Double? = nil, audience: IDTokenExpectations.PreviousAudience? = nil
    ) -> (inout IDTokenExpectations) -> Void {
        let origin = IDTokenExpectations.Origin.refresh(
            issuer: issuer, subject: subject, previousNonce: nonce, previousAuthTime: authTime,
            previousAudience: audience)
        return { $0.origin = origin }
    }

    @Test("every rule is written down in order, also those that ask nothing")
    func order() throws {
        let result = try validate()
        #expect(result.error == nil)
        #expect(
            result.log.results.map(\.check.name) == [
                "encryption", "id_token-iss", "aud", "azp-present", "azp", "signature-verified",
                "registered-alg", "mac-key", "exp", "iat", "nonce", "acr", "auth_time", "nbf", "sub",
                "at_hash",
                "c_hash", "s_hash", "refresh-iss", "refresh-sub", "refresh-aud", "refresh-azp",
                "refresh-auth_time", "expected-sub", "required-claims",
            ])
        #expect(
            result.log.passedNames == [
                "id_token-iss", "aud", "signature-verified", "registered-alg", "exp", "iat", "nonce", "sub",
            ])
        #expect(
            result.log.verdict(Checks.encryption)
                == .notApplicable("this client registers no encryption key"))
    }

    @Test("issuer, subject and all claims come out")
    func values() throws {
        var log = CheckLog()
        let token = try IDToken.validate(
            Fixture.verified(Fixture.claims([("email", "a@b")])), expectations(), now: Fixture.now, log: &log)
        #expect(token.issuer == Fixture.issuer)
        #expect(token.subject == "user-1")
        #expect(token.raw["email"] == "a@b")
        #expect(token.claims.aud == [Fixture.clientID])
    }

    @Test("rule 2: another issuer is refused, an alias accepted [rule 120]")
    func issuer() throws {
        for iss in ["https://op.example/", "op.example", ""] {
            #expect(
                try validate([("iss", .string(iss))]).error
                    == .failed(Checks.issuer, expected: Fixture.issuer, actual: iss))
        }
        #expect(
            try validate([("iss", nil)]).error
                == .failed(Checks.issuer, expected: Fixture.issuer, actual: "no iss"))
        #expect(try validate([("iss", "op.example")]) { $0.issuers.append("op.example") }.error == nil)
    }

    @Test("rule 3: the client is in aud, and nobody who is not trusted [rule 121]")
    func audience() throws {
        for (aud, actual) in [
            ("other", "other"), (nil, "no aud"), ("client-1 ", "client-1 "), ("CLIENT-1", "CLIENT-1"),
        ] as [(JSONValue?, String)] {
            #expect(
                try validate([("aud", aud), ("azp", .string(Fixture.clientID))]).error
                    == .failed(Checks.audience, expected: Fixture.clientID, actual: actual))
        }
        let both: JSONValue = [.string(Fixture.clientID), "other"]
        #expect(
            try validate([("aud", both), ("azp", .string(Fixture.clientID))]).error
                == .failed(Checks.otherAudiences, expected: Fixture.clientID, actual: "client-1 other"))
        #expect(try validate([("aud", [.string(Fixture.clientID)])]).error == nil)
    }

    @Test("rule 3: a trusted audience is accepted beside the client, never in its place")
    func additionalAudience() throws {
        let trust = { (expected: inout IDTokenExpectations) in expected.additionalAudiences = ["other"] }
        let both: JSONValue = [.string(Fixture.clientID), "other"]
        #expect(try validate([("aud", both), ("azp", .string(Fixture.clientID))], trust).error == nil)
        #expect(
            try validate([("aud", "other")], trust).error
                == .failed(Checks.audience, expected: Fixture.clientID, actual: "other"))
    }

    @Test("rule 4: several audiences need azp [rule 122]")
    func authorizedPartyPresent() throws {
        let both: JSONValue = [.string(Fixture.clientID), "other"]
        #expect(
            try validate([("aud", both)]) { $0.additionalAudiences = ["other"] }.error
                == .failed(
                    Checks.authorizedPartyPresent, expected: "azp beside 2 audiences", actual: "no azp"))
    }

    @Test("rule 5: azp is the client [rule 122]")
    func authorizedParty() throws {
        #expect(
            try validate([("azp", "other")]).error
                == .failed(Checks.authorizedParty, expected: Fixture.clientID, actual: "other"))
        #expect(try validate([("azp", .string(Fixture.clientID))]).error == nil)
    }

    @Test("rule 9: a token is good until exp, with leeway [rule 123]")
    func expiry() throws {
        let refused = ProtocolError.failed(
            Checks.expiry, expected: "later than \(seconds)", actual: "\(seconds - 60)")
        #expect(try validate([("exp", .int(seconds - 60))]).error == refused)
        #expect(try validate([("exp", .int(seconds - 59))]).error == nil)
        #expect(try validate([("exp", .number(Double(seconds) - 59.5))]).error == nil)
        #expect(
            try validate([("exp", nil)]).error == .failed(Checks.expiry, expected: "exp", actual: "no exp"))
    }

    @Test("leeway is five minutes at most, and never negative [rule 123]")
    func leeway() throws {
        #expect(try validate([("exp", .int(seconds - 299))]) { $0.leewaySeconds = .max }.error == nil)
        #expect(
            try validate([("exp", .int(seconds - 300))]) { $0.leewaySeconds = .max }.error
                == .failed(Checks.expiry, expected: "later than \(seconds)", actual: "\(seconds - 300)"))
        #expect(try validate([("exp", .int(seconds + 1))]) { $0.leewaySeconds = .min }.error == nil)
    }

    @Test("a token that was verified when it came and only says who signed in may be older")
    func stored() throws {
        let stored = { (expected: inout IDTokenExpectations) in
            expected.leewaySeconds = 3600
            expected.isStored = true
        }
        #expect(try validate([("exp", .int(seconds - 3599))], stored).error == nil)
        #expect(
            try validate([("exp", .int(seconds - 3600))], stored).error
                == .failed(Checks.expiry, expected: "later than \(seconds)", actual: "\(seconds - 3600)"))
    }

    @Test("numbers that no integer holds are compared without a trap [rule 126]")
    func hugeNumbers() throws {
        #expect(try validate([("exp", 1e308)]).error == nil)
        #expect(
            try validate([("exp", -1e308)]).error
                == .failed(Checks.expiry, expected: "later than \(seconds)", actual: "-1e+308"))
        #expect(
            try validate([("iat", .int(.max))]).error
                == .failed(
                    Checks.issuedAt, expected: "about \(seconds)", actual: "9.223372036854776e+18"))
    }

    @Test("rule 10: iat is about now [rule 124]")
    func issuedAt() throws {
        for iat in [seconds + 61, seconds - 86_461] {
            #expect(
                try validate([("iat", .int(iat))]).error
                    == .failed(Checks.issuedAt, expected: "about \(seconds)", actual: "\(iat)"))
        }
        for iat in [seconds + 60, seconds - 86_460] {
            #expect(try validate([("iat", .int(iat))]).error == nil)
        }
        #expect(
            try validate([("iat", nil)]).error
                == .failed(Checks.issuedAt, expected: "iat", actual: "no iat"))
    }

    @Test("rule 11: the nonce is the one that was sent [rule 127]")
    func nonce() throws {
        #expect(
            try validate([("nonce", "other")]).error
                == .failed(Checks.nonce, expected: "the nonce of this run", actual: "another nonce"))
        #expect(
            try validate([("nonce", nil)]).error
                == .failed(Checks.nonce, expected: "the nonce of this run", actual: "no nonce"))
    }

    @Test("rule 11: a provider may echo no nonce, but not another one [rule 3]")
    func nonceNotRequired() throws {
        let result = try validate([("nonce", nil)]) { $0.nonceRequired = false }
        #expect(result.error == nil)
        #expect(
            result.log.verdict(Checks.nonce)
                == .relaxed("the descriptor says that this provider echoes none"))
        #expect(
            try validate([("nonce", "other")]) { $0.nonceRequired = false }.error
                == .failed(Checks.nonce, expected: "the nonce of this run", actual: "another nonce"))
    }

    @Test("rule 11: a nonce that nobody sent belongs to another request")
    func unsolicitedNonce() throws {
        #expect(
            try validate { $0.origin = .code(nonce: nil) }.error
                == .failed(Checks.nonce, expected: "no nonce, for none was sent", actual: "a nonce"))
        #expect(try validate([("nonce", nil)]) { $0.origin = .code(nonce: nil) }.error == nil)
    }

    @Test("rule 12: acr is one that was asked for [rule 132]")
    func authenticationContext() throws {
        let ask = { (expected: inout IDTokenExpectations) in expected.acrValues = ["a", "b"] }
        #expect(try validate([("acr", "b")], ask).error == nil)
        #expect(
            try validate([("acr", "c")], ask).error
                == .failed(Checks.authenticationContext, expected: "a or b", actual: "c"))
        #expect(
            try validate([], ask).error
                == .failed(Checks.authenticationContext, expected: "a or b", actual: "no acr"))
    }

    @Test("rule 13: max_age needs an auth_time that is recent [rule 131]")
    func authenticationTime() throws {
        let ask = { (expected: inout IDTokenExpectations) in expected.maxAge = 100 }
        for time in [seconds - 160, seconds + 60] {
            #expect(try validate([("auth_time", .int(time))], ask).error == nil)
        }
        for time in [seconds - 161, seconds + 61] {
            #expect(
                try validate([("auth_time", .int(time))], ask).error
                    == .failed(
                        Checks.authenticationTime, expected: "within 100 s before \(seconds)",
                        actual: "\(time)"))
        }
        #expect(
            try validate([], ask).error
                == .failed(
                    Checks.authenticationTime, expected: "auth_time, for max_age was asked for",
                    actual: "no auth_time"))
    }

    @Test("nbf is honoured with leeway [rule 125]")
    func notBefore() throws {
        #expect(try validate([("nbf", .int(seconds + 60))]).error == nil)
        #expect(
            try validate([("nbf", .int(seconds + 61))]).error
                == .failed(Checks.notBefore, expected: "not after \(seconds)", actual: "\(seconds + 61)"))
    }

    @Test("sub is 1 to 255 ASCII characters [rule 128]")
    func subject() throws {
        for (sub, actual) in [
            (nil, "no sub"), ("", "0 bytes"), ("ä", "2 bytes"),
            (.string(String(repeating: "a", count: 256)), "256 bytes"),
        ] as [(JSONValue?, String)] {
            #expect(
                try validate([("sub", sub)]).error
                    == .failed(Checks.subject, expected: "1 to 255 ASCII characters", actual: actual))
        }
        #expect(try validate([("sub", .string(String(repeating: "a", count: 255)))]).error == nil)
    }

    @Test(
        "at_hash and c_hash are the left half of the hash (the example of OIDC Core Appendix A.3 and A.4) [rules 129, 130]"
    )
    func hashes() throws {
        let accessToken = Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y", kind: .accessToken)
        let code = Secret("Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk", kind: .code)
        let came = { (expected: inout IDTokenExpectations) in
            expected.accessToken = accessToken
            expected.code = code
        }
        let right: [(String, JSONValue?)] = [
            ("at_hash", "77QmUPtjPfzWtF2AnpK9RQ"), ("c_hash", "LDktKdoQak3Pk0cnXxCltA"),
        ]
        let result = try validate(right, came)
        #expect(result.error == nil)
        #expect(result.log.verdict(Checks.accessTokenHash) == .passed)
        #expect(result.log.verdict(Checks.codeHash) == .passed)
        #expect(
            try validate([("at_hash", "LDktKdoQak3Pk0cnXxCltA")], came).error
                == .failed(
                    Checks.accessTokenHash, expected: "the hash of the access token", actual: "another hash"))
        #expect(
            try validate([("c_hash", "77QmUPtjPfzWtF2AnpK9RQ")], came).error
                == .failed(Checks.codeHash, expected: "the hash of the code", actual: "another hash"))
        #expect(
            try validate(right).log.verdict(Checks.codeHash) == .notApplicable("no code came with the token"))
    }

    @Test("with EdDSA the hash is SHA-512 [rule 129]")
    func hashOfEdDSA() throws {
        let accessToken = Secret("at", kind: .accessToken)
        let hash = Base64URL.encode(Digest.sha512("at".utf8).prefix(32))
        let payload = Array(JSONValue.object(Fixture.claims([("at_hash", .string(hash))])).serialize().utf8)
        let text = try JWS.sign(
            header: ["kid": "k2"], payload: payload, key: Fixture.ed25519Key(), algorithm: .edDSA)
        let jws = try JWS.verify(JWS.split(text), keys: Fixture.keys(), allowed: [.edDSA])
        var log = CheckLog()
        _ = try IDToken.validate(
            jws, expectations { $0.accessToken = accessToken }, now: Fixture.now, log: &log)
        #expect(log.verdict(Checks.accessTokenHash) == .passed)
    }

    @Test("§12.2: a refreshed token is of the same issuer and user [rule 145]")
    func refreshed() throws {
        #expect(try validate([("nonce", nil)], refresh()).error == nil)
        #expect(
            try validate([("nonce", nil)], refresh("https://old.example")).error
                == .failed(Checks.refreshIssuer, expected: "https://old.example", actual: Fixture.issuer))
        #expect(
            try validate([("nonce", nil)], refresh(Fixture.issuer, "user-2")).error
                == .failed(
                    Checks.refreshSubject, expected: "the subject of the first token",
                    actual: "another subject"))
    }

    @Test("§12.2: a nonce after a refresh is that of the first token, if it is known [rule 145]")
    func refreshedNonce() throws {
        let nonce = Fixture.transaction().nonce
        #expect(try validate([], refresh(nonce: nonce)).error == nil)
        #expect(
            try validate([], refresh(nonce: Secret("other", kind: .nonce))).error
                == .failed(Checks.nonce, expected: "the nonce of the first token", actual: "another nonce"))
        #expect(
            try validate([], refresh()).log.verdict(Checks.nonce)
                == .notApplicable("the nonce of the first token is not known"))
        #expect(
            try validate([("nonce", nil)], refresh(nonce: nonce)).log.verdict(Checks.nonce)
                == .notApplicable("a refreshed token need not have one"))
    }

    @Test("§12.2: auth_time after a refresh is that of the first sign-in; a later one is told [rule 145]")
    func refreshedAuthenticationTime() throws {
        #expect(try validate([("nonce", nil), ("auth_time", 5)], refresh(authTime: 5)).error == nil)
        #expect(
            try validate([("nonce", nil), ("auth_time", 5)], refresh(authTime: 6)).error
                == .failed(Checks.refreshAuthenticationTime, expected: "6", actual: "5"))
        let later = try validate([("nonce", nil), ("auth_time", 6)], refresh(authTime: 5))
        #expect(later.error == nil)
        #expect(
            later.log.verdict(Checks.refreshAuthenticationTime)
                == .relaxed("it is of a sign-in at the provider since then, which counts for nothing here"))
    }

    @Test(
        "§12.2: a refreshed token is for everybody that the first was for, and azp stays as it was [rule 145]"
    )
    func refreshedAudience() throws {
        let refreshed = { (changes: [(String, JSONValue?)], audiences: [String], azp: String?) in
            try validate(
                [("nonce", nil)] + changes,
                refresh(
                    audience: IDTokenExpectations.PreviousAudience(
                        audiences: audiences, authorizedParty: azp))
            ).error
        }
        let client = Fixture.clientID
        #expect(try refreshed([], [client], nil) == nil)
        #expect(try refreshed([("azp", .string(client))], [client], client) == nil)
        #expect(
            try refreshed([], [client, "other"], nil)
                == .failed(Checks.refreshAudience, expected: "client-1 other", actual: "client-1"))
        #expect(
            try refreshed([("azp", .string(client))], [client], nil)
                == .failed(Checks.refreshAuthorizedParty, expected: "no azp", actual: "client-1"))
        #expect(
            try refreshed([], [client], client)
                == .failed(Checks.refreshAuthorizedParty, expected: "client-1", actual: "no azp"))
    }

    @Test("s_hash is the hash of the state, when both are there [rule 130]")
    func stateHash() throws {
        let state = Secret("af0ifjsldkj", kind: .state)
        let digest = Digest.sha256("af0ifjsldkj".utf8)
        let hash = JSONValue.string(Base64URL.encode(digest.prefix(16)))
        #expect(try validate([("s_hash", hash)]) { $0.state = state }.log.passedNames.contains("s_hash"))
        #expect(
            try validate([("s_hash", "AAAA")]) { $0.state = state }.error
                == .failed(Checks.stateHash, expected: "the hash of the state", actual: "another hash"))
        #expect(
            try validate { $0.state = state }.log.verdict(Checks.stateHash)
                == .notApplicable("the token has no s_hash"))
    }

    @Test("another user than the one asked for is refused")
    func expectedSubject() throws {
        #expect(try validate { $0.expectedSubject = "user-1" }.error == nil)
        #expect(
            try validate { $0.expectedSubject = "user-2" }.error
                == .failed(
                    Checks.expectedSubject, expected: "the subject that was asked for",
                    actual: "another subject"))
    }

    @Test("required claims must be there, null is not")
    func requiredClaims() throws {
        let ask = { (expected: inout IDTokenExpectations) in expected.requiredClaims = ["email", "name"] }
        #expect(try validate([("email", "a@b"), ("name", "A")], ask).error == nil)
        #expect(
            try validate([("email", .null)], ask).error
                == .failed(Checks.requiredClaims, expected: "email name", actual: "no email, no name"))
    }

    @Test("a claim of the wrong type fails the check that reads it")
    func types() throws {
        let rows: [(String, JSONValue, Check, String)] = [
            ("iss", 1, Checks.issuer, "a string"), ("sub", 1, Checks.subject, "a string"),
            ("aud", 1, Checks.audience, "a string or a non-empty array of strings"),
            ("aud", [], Checks.audience, "a string or a non-empty array of strings"),
            ("aud", ["client-1", 1], Checks.audience, "a string or a non-empty array of strings"),
            ("exp", "1", Checks.expiry, "a number of seconds"),
            ("iat", true, Checks.issuedAt, "a number of seconds"),
            ("nonce", 1, Checks.nonce, "a string"), ("azp", [], Checks.authorizedParty, "a string"),
            ("auth_time", "1", Checks.requiredClaims, "a number of seconds"),
            ("nbf", [:], Checks.notBefore, "a number of seconds"),
            ("at_hash", 1, Checks.accessTokenHash, "a string"),
            ("amr", "pwd", Checks.requiredClaims, "an array of strings"),
        ]
        for (name, value, check, type) in rows {
            #expect(
                try validate([(name, value)]).error
                    == .failed(check, expected: "\(name) is \(type)", actual: "another type"))
        }
    }

    @Test("a payload that is no claims set is malformed [rule 102]")
    func payload() throws {
        for (text, words) in [
            ("[]", "the payload is not a JSON object"),
            ("{", "the payload is not JSON: the text ends early at byte 1"),
            (
                #"{"sub":"a","sub":"b"}"#,
                "the payload is not JSON: member sub is there twice at byte 11"
            ),
        ] {
            let token = try JWS.sign(
                header: ["kid": "k1"], payload: Array(text.utf8), key: Fixture.es256Key(), algorithm: .es256)
            let jws = try JWS.verify(JWS.split(token), keys: Fixture.keys(), allowed: [.es256])
            let result = failure { log throws(ProtocolError) in
                try IDToken.validate(jws, expectations(), now: Fixture.now, log: &log)
            }
            #expect(result.error == .malformed("id token", detail: words))
        }
    }

    @Test("no claim of any type traps")
    func arbitraryScalars() throws {
        let values: [JSONValue] = [
            .null, true, 0, .int(.min), .int(.max), 1e308, -1e308, 1e-300, "", "x", [], [[]], [:], ["a": 1],
        ]
        let names = [
            "iss", "sub", "aud", "exp", "iat", "nbf", "nonce", "azp", "acr", "amr", "auth_time", "at_hash",
            "c_hash",
        ]
        for name in names {
            for value in values {
                let result = try validate([(name, value)]) {
                    $0.maxAge = .max
                    $0.acrValues = ["x"]
                    $0.accessToken = Secret("at", kind: .accessToken)
                }
                #expect(result.error != nil)
            }
        }
    }

    @Test("no failure shows the subject, the nonce or a token [rule 185]")
    func noSecrets() throws {
        let token = Secret("access-token-value", kind: .accessToken)
        for changes in [
            [("nonce", "nonce-value")], [("at_hash", "hash-value")], [("sub", "subject-value")],
        ] as [[(String, JSONValue?)]] {
            let result = try validate(changes) {
                $0.accessToken = token
                $0.expectedSubject = "user-1"
            }
            let text = "\(String(reflecting: result.error)) \(result.log)"
            #expect(result.error != nil)
            #expect(!text.contains("-value"))
        }
    }
}
