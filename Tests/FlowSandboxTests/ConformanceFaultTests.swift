import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

/// What a relying party does, step by step, as far as the sandbox lets it.
private struct RelyingParty {
    let signer: Signer
    let visitor: Visitor

    init(faults: [String]) throws {
        signer = try Signer()
        visitor = try signer.visitor(faults: faults)
    }

    /// Signs in; the error is that of the first message that cannot be accepted.
    func signIn(mode: String? = nil, hybrid: Bool = false) throws -> ProtocolError? {
        var request = signer.authorization(nil, mode: hybrid ? "form_post" : mode)
        if hybrid {
            request.query = request.query.map {
                $0.name == "response_type"
                    ? RequestParameter("response_type", .text("code id_token"), .specification) : $0
            }
        }
        let callback = try parameters(try visitor.send(request))
        var log = CheckLog()
        do throws(ProtocolError) {
            let response = try AuthorizationResponse.validate(
                callback, transaction: signer.transaction(), issuerParameterSupported: true,
                wantsIDToken: hybrid, log: &log)
            var answered: IDTokenExpectations.AnsweredToken?
            if let token = response.idToken {
                let checked = try verify(token, response, &log) { expected in
                    signer.transaction().nonce.map { expected.origin = .authorization(nonce: $0) }
                }
                answered = .init(issuer: checked.issuer, subject: checked.subject)
            }
            let tokens = try TokenResponse.read(
                answer { try visitor.send(signer.exchange(response)) }, dialect: .standard, log: &log)
            guard let text = tokens.idToken else {
                throw ProtocolError.failed(
                    Checks.idTokenPresent, expected: "an ID token", actual: "none")
            }
            let token = try verify(text, response, &log) { expected in
                expected.accessToken = tokens.accessToken
                expected.answered = answered
            }
            let plan = UserInfoRequest.plan(
                endpoint: Visitor.issuer + "/userinfo", accessToken: tokens.accessToken, dialect: .standard,
                step: "profile")
            _ = try UserInfoResponse.read(
                answer { try visitor.send(plan) }, expectedSubject: token.subject, dialect: .standard,
                log: &log)
            return nil
        } catch {
            return error
        }
    }

    /// A request that cannot be built fails the test by a status that no server sends.
    private func answer(_ send: () throws -> HTTPResponse) -> HTTPResponse {
        (try? send()) ?? HTTPResponse(status: 0)
    }

    private func verify(
        _ text: Secret, _ response: AuthorizationResponse, _ log: inout CheckLog,
        _ change: (inout IDTokenExpectations) -> Void
    ) throws(ProtocolError) -> IDToken {
        let keys = try JWKSResponse.read(answer { try #require(visitor.get("/jwks").response) }, log: &log)
        let jws = try IDTokenSignature.verify(text, keys: keys, allowed: [.es256], log: &log)
        let transaction = signer.transaction()
        var expected = IDTokenExpectations(
            issuers: [Visitor.issuer], clientID: Signer.id, origin: .code(nonce: transaction.nonce),
            code: response.code, state: transaction.state, maxAge: 3600)
        change(&expected)
        return try IDToken.validate(jws, expected, now: Visitor.now, log: &log)
    }

    private func parameters(_ response: HTTPResponse) throws -> [(name: String, value: String)] {
        guard response.status == 200 else {
            return try response.callback().flatMap { name, values in values.map { (name: name, value: $0) } }
        }
        return ["code", "id_token", "state", "iss", "error"].compactMap { name in
            response.text.contains("name=\"\(name)\" value=")
                ? (try? response.hidden(name)).map { (name, $0) } : nil
        }
    }
}

/// Names of modules are those of the OpenID Foundation's suite, shortened.
@Suite("What the relying-party test modules do, as faults")
struct ConformanceFaultTests {
    static let accepted: [(module: String, faults: [String])] = [
        ("oidcc-client-test", []),
        ("kid-absent-single-jwks", ["idtoken:kid=missing", "jwks:single"]),
        ("kid-absent-multiple-jwks", ["idtoken:kid=missing", "jwks:rotate@1"]),
        ("keys without kid", ["idtoken:kid=missing", "jwks:kid=missing"]),
        ("signing-key-rotation-just-before-signing", ["jwks:rotate@1"]),
        ("valid-aud-as-array", ["idtoken:aud=array"]),
        ("token-endpoint-response-without-expires_in", ["token:expires_in=missing"]),
        ("expires_in as text", ["token:expires_in=text"]),
        ("token-type-case-insensitivity", ["token:token_type=inverted"]),
        ("no-scope-in-token-endpoint-response", ["token:scope=missing"]),
        ("narrower scope", ["token:scope=narrow"]), ("wider scope", ["token:scope=wide"]),
        ("no at_hash", ["idtoken:at_hash=missing"]),
    ]

    @Test("what a client must put up with", arguments: accepted, [nil, "form_post"] as [String?])
    func accept(row: (module: String, faults: [String]), mode: String?) throws {
        #expect(try RelyingParty(faults: row.faults).signIn(mode: mode) == nil, "\(row.module)")
    }

    static let refused: [(module: String, fault: String, check: Check)] = [
        ("invalid-iss", "idtoken:iss=other", Checks.issuer),
        ("missing-iss", "idtoken:iss=missing", Checks.issuer),
        ("missing-sub", "idtoken:sub=missing", Checks.subject),
        ("invalid-aud", "idtoken:aud=other", Checks.audience),
        ("missing-aud", "idtoken:aud=missing", Checks.audience),
        ("invalid-secondary-aud", "idtoken:aud=secondary", Checks.otherAudiences),
        ("azp of another", "idtoken:azp=other", Checks.authorizedParty),
        ("missing-iat", "idtoken:iat=missing", Checks.issuedAt),
        ("iat-is-week-in-past", "idtoken:iat=old", Checks.issuedAt),
        ("iat in the future", "idtoken:iat=future", Checks.issuedAt),
        ("nbf in the future", "idtoken:nbf=future", Checks.notBefore),
        ("idtoken-sig-none", "idtoken:alg=none", Checks.algorithm),
        ("invalid-null-alg", "idtoken:alg=none", Checks.algorithm),
        ("invalid-alternate-alg", "idtoken:alg=alternate", Checks.algorithm),
        ("HMAC with the public key", "idtoken:alg=hs256", Checks.algorithm),
        ("invalid-sig-es256", "idtoken:signature=bad", Checks.signature),
        ("unknown kid", "idtoken:kid=unknown", Checks.key),
        ("nonce-invalid", "idtoken:nonce=bad", Checks.nonce),
        ("missing-nonce", "idtoken:nonce=missing", Checks.nonce),
        ("invalid-expired-exp", "idtoken:expired", Checks.expiry),
        ("missing-exp", "idtoken:exp=missing", Checks.expiry),
        ("userinfo-invalid-sub", "userinfo:sub=other", Checks.userInfoSubject),
        ("userinfo without sub", "userinfo:sub=missing", Checks.userInfoSubject),
        ("invalid-athash", "idtoken:at_hash=bad", Checks.accessTokenHash),
        ("invalid-chash", "idtoken:c_hash=bad", Checks.codeHash),
        ("invalid-shash", "idtoken:s_hash=bad", Checks.stateHash),
        ("max_age not kept", "idtoken:auth_time=old", Checks.authenticationTime),
        ("no auth_time", "idtoken:auth_time=missing", Checks.authenticationTime),
        ("another kind of token", "idtoken:typ=access", Checks.tokenTypeHeader),
        ("crit", "idtoken:crit", Checks.critical),
        ("no ID token", "idtoken:absent", Checks.idTokenPresent),
        ("invalid-authorization-response-iss", "callback:iss=other", Checks.iss),
        ("remove-authorization-response-iss", "callback:iss=missing", Checks.iss),
        ("authorization-response-with-invalid-state", "callback:state=wrong", Checks.state),
        ("authorization-response-with-missing-state", "callback:state=missing", Checks.state),
        ("no access token", "token:access_token=missing", Checks.accessToken),
        ("no token_type", "token:token_type=missing", Checks.tokenType),
        ("token_type of another kind", "token:token_type=mac", Checks.tokenType),
    ]

    @Test("what a client must refuse", arguments: refused, [nil, "form_post"] as [String?])
    func refuse(row: (module: String, fault: String, check: Check), mode: String?) throws {
        let error = try RelyingParty(faults: [row.fault]).signIn(mode: mode)
        #expect(error?.check == row.check, "\(row.module): \(String(describing: error))")
    }

    /// Faults of the ID token beside the code, and the check that each must fail.
    static let besideCode: [(fault: String?, check: Check?)] = [
        (nil, nil), ("answer:c_hash=bad", Checks.codeHash), ("answer:c_hash=missing", Checks.codeHash),
        ("answer:s_hash=bad", Checks.stateHash), ("answer:nonce=bad", Checks.nonce),
        ("answer:nonce=missing", Checks.nonce), ("answer:iss=other", Checks.issuer),
        ("answer:aud=other", Checks.audience), ("answer:expired", Checks.expiry),
        ("answer:signature=bad", Checks.signature), ("answer:alg=none", Checks.algorithm),
        ("answer:absent", Checks.answeredToken), ("answer:sub=other", Checks.answeredSubject),
        ("idtoken:sub=other", Checks.answeredSubject), ("idtoken:nonce=bad", Checks.nonce),
    ]

    @Test("what a client of the hybrid flow must refuse, and what it takes [rule 6]", arguments: besideCode)
    func hybrid(row: (fault: String?, check: Check?)) throws {
        let error = try RelyingParty(faults: row.fault.map { [$0] } ?? []).signIn(hybrid: true)
        #expect(error?.check == row.check, "\(row.fault ?? "none"): \(String(describing: error))")
    }

    @Test("form-post-error: the provider's word ends the sign-in")
    func formPostError() throws {
        let error = try RelyingParty(faults: ["callback:error=login_required"]).signIn(mode: "form_post")
        #expect(error?.code == "login_required")
    }

    static let metadata: [(fault: String, check: Check)] = [
        ("discovery:issuer=other", Checks.metadataIssuer),
        ("discovery:issuer=missing", Checks.metadataIssuer),
        ("discovery:token_endpoint=http", Checks.metadataEndpointSecure),
    ]

    @Test("discovery-issuer-mismatch, and other metadata that cannot be used", arguments: metadata)
    func discovery(fault: String, check: Check) throws {
        let visitor = try Visitor(faults: [fault])
        let response = try #require(visitor.get("/.well-known/openid-configuration").response)
        #expect(
            refusal { log throws(ProtocolError) in
                try DiscoveredMetadata.validate(
                    response, issuer: Visitor.issuer, acceptedIssuers: [], log: &log)
            }?.check == check)
    }

    @Test("metadata may offer plain alone, or no keys")
    func downgrade() throws {
        let document = { (fault: String) in
            try #require(Visitor(faults: [fault]).get("/.well-known/openid-configuration").response).json()
        }
        #expect(try document("discovery:pkce=plain")["code_challenge_methods_supported"] == ["plain"])
        #expect(try document("discovery:jwks_uri=missing")["jwks_uri"] == nil)
    }

    @Test("refresh-token-test: the resource answers 401 once, and every refresh brings another refresh token")
    func refreshToken() throws {
        let party = try RelyingParty(faults: ["resource:invalid_token@1"])
        let signer = party.signer
        var tokens = try signer.tokens(party.visitor)
        let call = { (token: Secret) in
            try party.visitor.send(
                UserInfoRequest.plan(
                    endpoint: Visitor.issuer + "/resource", accessToken: token, dialect: .standard,
                    step: "call"))
        }
        #expect(try call(tokens.accessToken).status == 401)
        for _ in 0..<2 {
            let old = try #require(tokens.refreshToken)
            tokens = try signer.read(
                party.visitor.send(
                    TokenRequest.refresh(
                        endpoint: Visitor.issuer + "/token", token: old, scopes: nil,
                        registration: signer.registration(), dialect: .standard, step: "refresh")))
            #expect(tokens.refreshToken != old)
        }
        #expect(try call(tokens.accessToken).status == 200)
    }

    @Test("refresh-token-invalid-issuer and -invalid-sub", arguments: ["iss=other", "sub=other"])
    func refreshedIDToken(fault: String) throws {
        let party = try RelyingParty(faults: ["idtoken:\(fault)@2"])
        let signer = party.signer
        let old = try signer.tokens(party.visitor).refreshToken
        let renewed = try signer.read(
            party.visitor.send(
                TokenRequest.refresh(
                    endpoint: Visitor.issuer + "/token", token: old, scopes: nil,
                    registration: signer.registration(), dialect: .standard, step: "refresh")))
        let jws = try JWS.verify(
            JWS.split(try #require(renewed.idToken).reveal()), keys: party.visitor.keySet(), allowed: [.es256]
        )
        let expected = IDTokenExpectations(
            issuers: [Visitor.issuer], clientID: Signer.id,
            origin: .refresh(issuer: Visitor.issuer, subject: "sandbox-user-1"))
        let error = refusal { log throws(ProtocolError) in
            try IDToken.validate(jws, expected, now: Visitor.now, log: &log)
        }
        #expect(error?.check == (fault == "iss=other" ? Checks.issuer : Checks.refreshSubject))
    }

    @Test("rp-init-logout with another state and with none", arguments: ["wrong", "missing"])
    func logout(kind: String) throws {
        let returned = { (faults: [String]) in
            let visitor = try Visitor(faults: faults)
            let plan = LogoutRequest.plan(
                endpoint: Visitor.issuer + "/logout", idToken: nil, clientID: "flowrun-sandbox",
                redirectURI: Visitor.redirectURI, state: Secret("s", kind: .state), dialect: .standard,
                step: "logout")
            let location = try #require(try visitor.send(plan).field("Location"))
            let items = try #require(QueryItems.parse(location.drop { $0 != "?" }.dropFirst()))
            return LogoutReturn.isOurs(items, sent: Secret("s", kind: .state))
        }
        #expect(try returned([]))
        #expect(try !returned(["logout:state=\(kind)"]))
    }

    @Test("a device's answer may lack its interval, its end or a safe address")
    func device() throws {
        let read = { (fault: String) in
            let visitor = try Visitor(faults: [fault])
            let response = try visitor.send(
                DeviceAuthorizationRequest.plan(
                    endpoint: Visitor.issuer + "/device_authorization", scopes: ["openid"],
                    scopeDelimiter: " ", extra: [],
                    registration: ClientRegistration(
                        clientID: "flowrun-sandbox", authenticationMethod: .none),
                    dialect: .standard, step: "device"))
            var interval: Int64?
            let error = refusal { log throws(ProtocolError) in
                interval = try DeviceAuthorizationResponse.read(response, dialect: .standard, log: &log)
                    .interval
            }
            return (check: error?.check, interval: interval)
        }
        #expect(try read("device:interval=missing") == (nil, 5))
        #expect(try read("device:expires_in=missing").check == Checks.deviceLifetime)
        #expect(try read("device:verification_uri=http").check == Checks.verificationURI)
    }
}
