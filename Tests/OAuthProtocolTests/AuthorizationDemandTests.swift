import JOSE
import OAuthProtocol
import Testing

@Suite("Authorization details (RFC 9396)")
struct AuthorizationDetailsTests {
    /// RFC 9396 §2, shortened.
    private static let example: JSONValue = [
        [
            "type": "account_information", "actions": ["list_accounts", "read_balances"],
            "locations": ["https://example.com/accounts"],
        ],
        ["type": "payment_initiation", "instructedAmount": ["currency": "EUR", "amount": "123.50"]],
    ]

    private func granted(
        _ member: String?, asked: JSONValue?
    ) throws -> (error: ProtocolError?, log: CheckLog) {
        let details = try asked.map { try AuthorizationDetails.parse($0) }
        let further = member.map { #","authorization_details":\#($0)"# } ?? ""
        return failure { log throws(ProtocolError) in
            let tokens = try TokenResponse.read(
                Fixture.response(#"{"access_token":"t","token_type":"Bearer"\#(further)}"#),
                dialect: .standard, log: &log)
            return try AuthorizationDetails.granted(in: tokens, asked: details, log: &log)
        }
    }

    @Test("a list of objects with a type is one, and is sent as JSON")
    func parameter() throws {
        let details = try AuthorizationDetails.parse(Self.example)
        #expect(details.types == ["account_information", "payment_initiation"])
        let plan = AuthorizationRequest.plan(
            endpoint: "https://op.example/authorize", transaction: Fixture.transaction(),
            demands: AuthorizationDemands(authorizationDetails: details), step: "authorize")
        let parameter = try #require(plan.query.last)
        #expect(parameter.name == "authorization_details")
        #expect(parameter.value == .text(Self.example.serialize()))
    }

    @Test("the resources that a token is for are named at the token endpoint too, one by one [rule 42]")
    func resources() {
        let refresh = TokenRequest.refresh(
            endpoint: "https://op.example/token", token: nil, scopes: nil,
            resources: ["https://a", "https://b"],
            registration: Fixture.registration(), dialect: .standard, step: "refresh")
        #expect(
            refresh.body.filter { $0.name == "resource" }.map(\.value) == [
                .text("https://a"), .text("https://b"),
            ])
    }

    @Test("anything else is none")
    func malformed() {
        #expect(throws: AuthorizationDetailsError.notAnArray) {
            try AuthorizationDetails.parse(["type": "a"])
        }
        #expect(throws: AuthorizationDetailsError.element(1)) {
            try AuthorizationDetails.parse([["type": "a"], ["typ": "a"]])
        }
        #expect(throws: AuthorizationDetailsError.element(0)) {
            try AuthorizationDetails.parse([["type": ""]])
        }
    }

    @Test("what was granted may be enriched, but has no further type [rule 42]")
    func granted() throws {
        #expect(try granted(#"[{"type":"a","more":1}]"#, asked: [["type": "a"], ["type": "b"]]).error == nil)
        #expect(
            try granted(#"[{"type":"c"}]"#, asked: [["type": "a"]]).error
                == .failed(Checks.authorizationDetails, expected: "a", actual: "c"))
        #expect(
            try granted(#"[{"type":"c"}]"#, asked: nil).error
                == .failed(Checks.authorizationDetails, expected: "none", actual: "c"))
        #expect(
            try granted(#"{"type":"a"}"#, asked: [["type": "a"]]).error
                == .failed(
                    Checks.authorizationDetails, expected: "a list of objects with a type",
                    actual: "another value"))
        #expect(
            try granted(nil, asked: [["type": "a"]]).log.verdict(Checks.authorizationDetails)
                == .notApplicable("the server does not say what it granted"))
    }
}

@Suite("Claims parameter (OIDC Core §5.5)")
struct ClaimsRequestTests {
    @Test("a request is sent as it is written, null included")
    func parameter() throws {
        let value: JSONValue = [
            "userinfo": ["given_name": ["essential": true], "nickname": nil],
            "id_token": ["acr": ["values": ["urn:mace:incommon:iap:silver"]]],
        ]
        let request = try ClaimsRequest.parse(value)
        let plan = AuthorizationRequest.plan(
            endpoint: "https://op.example/authorize", transaction: Fixture.transaction(),
            demands: AuthorizationDemands(claims: request), step: "authorize")
        #expect(plan.query.last?.value == .text(value.serialize()))
        #expect(request.essentialACRValues.isEmpty)
    }

    @Test("an essential acr becomes what the ID token is checked for")
    func essential() throws {
        let one = try ClaimsRequest.parse(["id_token": ["acr": ["essential": true, "value": "gold"]]])
        #expect(one.essentialACRValues == ["gold"])
        let several = try ClaimsRequest.parse(
            ["id_token": ["acr": ["essential": true, "values": ["gold", "silver"]]]])
        #expect(several.essentialACRValues == ["gold", "silver"])
    }

    static let wrong: [(value: JSONValue, place: String)] = [
        ([], "claims"), (["userinfo": []], "userinfo"), (["id_token": ["acr": "gold"]], "id_token.acr"),
        (["id_token": ["acr": ["essential": "yes"]]], "id_token.acr.essential"),
        (["userinfo": ["email": ["values": []]]], "userinfo.email.values"),
    ]

    @Test("a value that is no request is refused with its place", arguments: wrong)
    func malformed(value: JSONValue, place: String) {
        #expect(throws: ClaimsRequestError(place: place)) { try ClaimsRequest.parse(value) }
    }
}

@Suite("Scope that was granted (RFC 6749 §3.3)")
struct ScopeChangeTests {
    private func change(_ granted: [String]?) -> (change: ScopeChange, log: CheckLog) {
        var log = CheckLog()
        return (ScopeChange.of(granted: granted, asked: ["openid", "email"], log: &log), log)
    }

    @Test("no answer, or the same in another order, is no change")
    func same() {
        #expect(change(nil).change.isEmpty)
        #expect(change(["email", "openid"]).log.passedNames == ["scope-granted"])
    }

    @Test("what is missing and what was added is told apart, and is no failure [rule 93]")
    func differences() {
        let (found, log) = change(["openid", "admin"])
        #expect(found == ScopeChange(missing: ["email"], added: ["admin"]))
        #expect(
            log.verdict(Checks.scopeChange)
                == .notApplicable("not granted: email; granted unasked: admin"))
        #expect(change(["openid"]).log.verdict(Checks.scopeChange) == .notApplicable("not granted: email"))
        let more = change(["openid", "email", "admin"])
        #expect(!more.change.isEmpty)
        #expect(more.log.verdict(Checks.scopeChange) == .notApplicable("granted unasked: admin"))
    }

    @Test("where nothing was asked for, nothing was granted unasked")
    func serversChoice() {
        var log = CheckLog()
        #expect(ScopeChange.of(granted: ["admin"], asked: [], log: &log).isEmpty)
        #expect(log.passedNames == ["scope-granted"])
    }
}
