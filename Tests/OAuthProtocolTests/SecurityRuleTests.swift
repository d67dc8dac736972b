import JOSE
import OAuthProtocol
import Testing

/// Rules of the security page that no other suite shows by themselves.
@Suite("Security rules of messages")
struct SecurityRuleTests {
    // MARK: Metadata

    private func metadata(_ changes: [(String, JSONValue?)]) -> (error: ProtocolError?, log: CheckLog) {
        var document: JSONObject = [
            "issuer": .string(Fixture.issuer), "authorization_endpoint": "https://op.example/authorize",
            "token_endpoint": "https://op.example/token", "jwks_uri": "https://op.example/jwks",
        ]
        for (name, value) in changes { document[name] = value }
        let response = Fixture.response(JSONValue.object(document).serialize())
        return failure { log throws(ProtocolError) in
            try DiscoveredMetadata.validate(
                response, issuer: Fixture.issuer, acceptedIssuers: [], log: &log)
        }
    }

    @Test(
        "an endpoint is an absolute https URL, a text and no other value [rules 15, 17]",
        arguments: [
            ("/token", Checks.metadataEndpointURL, "token_endpoint is an https URL"),
            ("file:///etc/passwd", Checks.metadataEndpointSecure, "token_endpoint is an https URL"),
            ("gopher://op.example/", Checks.metadataEndpointSecure, "token_endpoint is an https URL"),
            (7, Checks.metadataMember, "token_endpoint is a string"),
        ] as [(JSONValue, Check, String)])
    func endpoints(value: JSONValue, check: Check, expected: String) {
        guard case .failed(let failed, let wanted, _)? = metadata([("token_endpoint", value)]).error else {
            Issue.record("\(value) was accepted")
            return
        }
        #expect(failed == check)
        #expect(wanted == expected)
    }

    @Test("metadata signed by whomever changes nothing: the plain members hold [rule 27]")
    func signedMetadata() throws {
        let claims: JSONObject = [
            "iss": "https://evil.example", "issuer": .string(Fixture.issuer),
            "token_endpoint": "https://evil.example/token",
        ]
        let signed = try JWS.sign(
            header: [:], payload: Array(JSONValue.object(claims).serialize().utf8), key: Fixture.es256Key(),
            algorithm: .es256)
        let document: JSONObject = [
            "issuer": .string(Fixture.issuer), "token_endpoint": "https://op.example/token",
            "signed_metadata": .string(signed),
        ]
        var log = CheckLog()
        let found = try DiscoveredMetadata.validate(
            Fixture.response(JSONValue.object(document).serialize()), issuer: Fixture.issuer,
            acceptedIssuers: [], log: &log)
        #expect(found.fields.tokenEndpoint == "https://op.example/token")
    }

    // MARK: What is sent

    @Test("a verifier is 43 unreserved characters of 256 random bits [rule 30]")
    func verifier() throws {
        let verifier = try #require(Fixture.transaction().pkce?.verifier.reveal())
        #expect(verifier.utf8.count == 43)
        let unreserved = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        #expect(verifier.utf8.allSatisfy(unreserved.contains))
        #expect(Base64URL.decode(verifier)?.count == 32)
        #expect(AuthorizationTransaction.randomByteCount == 3 * 32)
    }

    @Test(
        "exactly one way of client authentication is in a request [rule 75]",
        arguments: [ClientAuthenticationMethod.clientSecretBasic, .clientSecretPost, .none])
    func oneMethod(method: ClientAuthenticationMethod) throws {
        let secret: String? = method == .none ? nil : "s3cret"
        var plan = RequestPlan(method: .post, endpoint: "https://op.example/token", bodyFormat: .form)
        ClientAuthentication.apply(Fixture.registration(method, secret: secret), to: &plan)
        let request = try plan.encoded()
        let ways = [
            request.field("Authorization") != nil, request.text.contains("client_secret="),
            request.text.contains("client_assertion="),
        ]
        #expect(ways.filter { $0 }.count == (method == .none ? 0 : 1))
        #expect(request.url == "https://op.example/token")
    }

    // MARK: What comes back

    @Test(
        "a redirect of the UserInfo endpoint is an error, whatever its body [rule 136]",
        arguments: [301, 302, 303, 307, 308])
    func userInfoRedirect(status: Int) {
        let response = Fixture.response(
            #"{"sub":"user-1"}"#, status: status, fields: [HTTPField("Location", "https://evil.example")])
        let result = failure { log throws(ProtocolError) in
            try UserInfoResponse.read(
                response, expectedSubject: "user-1", subjectMember: "sub", dialect: .standard, log: &log)
        }
        #expect(result.error == .status(status))
    }

    @Test("a hash claim made by the hash of another algorithm, or by none, equals nothing [rule 129]")
    func otherHash() throws {
        let expected = { (hash: String) in
            var expected = IDTokenExpectations(
                issuers: [Fixture.issuer], clientID: Fixture.clientID,
                origin: .code(nonce: Fixture.transaction().nonce))
            expected.accessToken = Secret("at", kind: .accessToken)
            let jws = try Fixture.verified(Fixture.claims([("at_hash", .string(hash))]))
            return failure { log throws(ProtocolError) in
                try IDToken.validate(jws, expected, now: Fixture.now, log: &log)
            }.error
        }
        let refused = ProtocolError.failed(
            Checks.accessTokenHash, expected: "the hash of the access token", actual: "another hash")
        // The halves of other hashes of the same token, and nothing at all.
        for other in [
            Base64URL.encode(Digest.hash("at".utf8, .sha384).prefix(24)),
            Base64URL.encode(Digest.sha512("at".utf8).prefix(32)),
            Base64URL.encode(Digest.sha256("at".utf8)), "",
        ] {
            #expect(try expected(other) == refused)
        }
        #expect(try expected(Base64URL.encode(Digest.sha256("at".utf8).prefix(16))) == nil)
    }

    @Test("claims that lie elsewhere stay where they are: nothing is fetched [rule 141]")
    func distributedClaims() throws {
        let body = """
            {"sub":"user-1","_claim_names":{"email":"src"},
             "_claim_sources":{"src":{"endpoint":"http://169.254.169.254/","access_token":"x"}}}
            """
        var log = CheckLog()
        let answer = try UserInfoResponse.read(
            Fixture.response(body), expectedSubject: "user-1", subjectMember: "sub", dialect: .standard,
            log: &log)
        #expect(answer.claims["email"] == nil)
        #expect(answer.claims["_claim_names"] == ["email": "src"])
    }

    @Test("an event is a line of a log")
    func line() {
        let event = SecurityEvent(
            .critical, .refused, Checks.state, host: "p.example", "an answer was refused",
            evidence: [SecurityEvent.Evidence("found", "none")])
        #expect("\(event)" == "critical: state of p.example: an answer was refused, found: none")
    }
}
