import FlowLanguage
import Testing

@Suite("Names that say that their value is a secret")
struct SecretNameTests {
    @Test(
        "however its parts are joined, a name says the same",
        arguments: [
            ("session_key", true, true), ("Session-Key", true, true), ("sessionKey", true, true),
            ("api_key", true, true), ("API-Key", true, true), ("apikey", true, true),
            ("device-code", true, true), ("refresh_token", true, true), ("my_password", true, true),
            // What is told about tokens and secrets.
            ("token_endpoint_auth_signing_alg", false, true), ("token-expires-in", false, true),
            ("session_created_at", false, true), ("Authorization-Details", false, true),
            // What is told to everybody.
            ("token_type", false, false), ("Token-Type", false, false), ("client_id", false, false),
            ("session_state", false, false), ("name", false, false), ("", false, false),
        ])
    func names(name: String, tells: Bool, isAlike: Bool) {
        #expect(SecretName.tells(SecretName.normal(name)) == tells)
        #expect(SecretName.isAlike(SecretName.normal(name)) == isAlike)
    }
}
