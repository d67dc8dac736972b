import JOSE
import OAuthProtocol
import Testing

@Suite("An ID token beside the code (OIDC Core §3.3)")
struct HybridFlowTests {
    private static let code = Secret(
        "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk", kind: .code)
    /// The example of OIDC Core Appendix A.4.
    private static let codeHash = "LDktKdoQak3Pk0cnXxCltA"

    private func answer(
        _ more: [(name: String, value: String)], wantsIDToken: Bool = true
    ) -> (error: ProtocolError?, response: AuthorizationResponse?) {
        let transaction = Fixture.transaction()
        let parameters = [("code", "c"), ("state", transaction.state.reveal())] + more
        var response: AuthorizationResponse?
        let error = failure { log throws(ProtocolError) in
            response = try AuthorizationResponse.validate(
                parameters, transaction: transaction, issuerParameterSupported: false,
                wantsIDToken: wantsIDToken, log: &log)
        }.error
        return (error, response)
    }

    private func validate(
        _ changes: [(String, JSONValue?)] = [], _ change: (inout IDTokenExpectations) -> Void = { _ in }
    ) throws -> (error: ProtocolError?, log: CheckLog) {
        let nonce = try #require(Fixture.transaction().nonce)
        let jws = try Fixture.verified(Fixture.claims([("c_hash", .string(Self.codeHash))] + changes))
        var expected = IDTokenExpectations(
            issuers: [Fixture.issuer], clientID: Fixture.clientID, origin: .authorization(nonce: nonce),
            code: Self.code)
        change(&expected)
        return failure { log throws(ProtocolError) in
            try IDToken.validate(jws, expected, now: Fixture.now, log: &log)
        }
    }

    @Test("the token of the answer is taken out of it, and is there once [rule 6]")
    func parameter() {
        let good = answer([("id_token", "t"), ("x", "y")])
        #expect(good.error == nil)
        #expect(good.response?.idToken?.reveal() == "t")
        #expect(good.response?.extra.map(\.name) == ["x"])
        #expect(
            answer([]).error
                == .failed(
                    Checks.answeredToken, expected: "an ID token beside the code", actual: "no id_token"))
        #expect(
            answer([("id_token", "")]).error
                == .failed(
                    Checks.answeredToken, expected: "an ID token beside the code", actual: "an empty one"))
        #expect(
            answer([("id_token", "t"), ("id_token", "u")]).error
                == .failed(
                    Checks.duplicateParameter, expected: "every parameter once", actual: "id_token twice"))
    }

    @Test("a token that nobody asked for is no part of the answer")
    func unasked() {
        let found = answer([("id_token", "t")], wantsIDToken: false)
        #expect(found.error == nil)
        #expect(found.response?.idToken == nil)
    }

    @Test("the provider's error needs no token")
    func error() {
        #expect(
            answer([("error", "access_denied")]).error
                == .rejected(OAuthError(code: "access_denied", description: nil, uri: nil), status: 0))
    }

    @Test("it names the code that it came with [rules 6, 130]")
    func codeHash() throws {
        let good = try validate()
        #expect(good.error == nil)
        #expect(good.log.verdict(Checks.codeHash) == .passed)
        #expect(
            try validate([("c_hash", nil)]).error
                == .failed(Checks.codeHash, expected: "the hash of the code", actual: "no c_hash"))
        #expect(
            try validate([("c_hash", "77QmUPtjPfzWtF2AnpK9RQ")]).error
                == .failed(Checks.codeHash, expected: "the hash of the code", actual: "another hash"))
    }

    @Test("it names the state where it does so at all [rule 130]")
    func stateHash() throws {
        let state = Secret("s", kind: .state)
        #expect(
            try validate([("s_hash", .string(Self.codeHash))]) { $0.state = state }.error
                == .failed(Checks.stateHash, expected: "the hash of the state", actual: "another hash"))
        #expect(
            try validate { $0.state = state }.log.verdict(Checks.stateHash)
                == .notApplicable("the token has no s_hash"))
    }

    @Test("its nonce is that of the run, also of a provider that echoes none elsewhere [rules 6, 127]")
    func nonce() throws {
        #expect(
            try validate([("nonce", nil)]) { $0.nonceRequired = false }.error
                == .failed(Checks.nonce, expected: "the nonce of this run", actual: "no nonce"))
        #expect(
            try validate([("nonce", "other")]).error
                == .failed(Checks.nonce, expected: "the nonce of this run", actual: "another nonce"))
    }

    @Test("the token of the token response is of the same issuer and about the same person [rule 6]")
    func later() throws {
        func later(_ issuer: String, _ subject: String) throws -> (error: ProtocolError?, log: CheckLog) {
            try validate { expected in
                expected.origin = .code(nonce: Fixture.transaction().nonce)
                expected.answered = IDTokenExpectations.AnsweredToken(issuer: issuer, subject: subject)
            }
        }
        let good = try later(Fixture.issuer, "user-1")
        #expect(good.error == nil)
        #expect(good.log.verdict(Checks.answeredIssuer) == .passed)
        #expect(good.log.verdict(Checks.answeredSubject) == .passed)
        #expect(
            try later("https://x.example", "user-1").error
                == .failed(Checks.answeredIssuer, expected: "https://x.example", actual: Fixture.issuer))
        #expect(
            try later(Fixture.issuer, "user-2").error
                == .failed(
                    Checks.answeredSubject, expected: "the subject of the authorization response",
                    actual: "another subject"))
    }
}
