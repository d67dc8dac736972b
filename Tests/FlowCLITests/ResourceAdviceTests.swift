import FlowEngine
import OAuthProtocol
import Testing

@testable import FlowCLI

@Suite("What to do about a token that a resource does not take")
struct ResourceAdviceTests {
    private static func hints(
        _ status: Int, _ challenge: String?, signIn: String? = "flowrun login p", scopes: [String] = ["read"]
    ) -> [String] {
        let fields = challenge.map { [HTTPField("WWW-Authenticate", $0)] } ?? []
        let answer = HTTPResponse(status: status, fields: fields, body: [])
        return ResourceAdvice(signIn: signIn, scopes: scopes).hints(for: answer, SecretIndex([]))
    }

    @Test(
        "a person signs in for the scopes that it wants, a client asks for them",
        arguments: [
            ("flowrun login p", "sign in for what it wants: flowrun login p --scope a --scope b"),
            (nil, "for a token with what it wants: --client-credentials --scope a --scope b"),
        ])
    func demanded(signIn: String?, advice: String) {
        #expect(Self.hints(403, "Bearer error=insufficient_scope, scope=\"a b\"", signIn: signIn) == [advice])
    }

    @Test("a person whose token is refused signs in again; for a client there is nobody who could")
    func refused() {
        let challenge = "Bearer error=invalid_token"
        #expect(Self.hints(401, challenge) == ["sign in: flowrun login p"])
        #expect(
            Self.hints(401, challenge, signIn: nil)
                == ["where it takes nothing but the token of a person: leave out --client-credentials"])
    }

    @Test("where a resource forbids without a word of why, the scopes of the token are told")
    func forbidden() {
        #expect(
            Self.hints(403, nil, scopes: ["read", "x\u{1b}[0m"]) == ["the token has the scopes read x[0m"])
        #expect(Self.hints(403, "Bearer error=insufficient_scope") == ["the token has the scopes read"])
        #expect(Self.hints(403, nil, scopes: []).isEmpty)
        #expect(Self.hints(404, nil).isEmpty)
    }
}
