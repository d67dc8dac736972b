internal import FlowEngine
internal import FlowLanguage
internal import FlowSandbox
internal import JOSE
internal import OAuthProtocol

/// Sessions that began before the stand-in did.
extension StandIn {
    /// Takes the tokens of a stored session for its own.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func adopt(_ tokens: TokenSet, now: Int64) {
        let added = addedScopes(to: tokens.scopes)
        let (access, refresh) = (tokens.accessToken.reveal(), tokens.refreshToken?.reveal())
        sandbox.adopt(
            AdoptedSession(
                client: tokens.clientID, accessToken: access, expiresAt: tokens.expiresAt ?? .max,
                // One that is renewed by its access token has none of its own.
                refreshToken: refresh ?? Self.placeholder, scopes: tokens.scopes + added),
            now: now)
        memory.note(
            accessToken: access, refreshToken: refresh ?? Self.placeholder,
            of: StandInMemory.SignIn(client: tokens.clientID, redirectURI: "", added: added))
        learn(.token, ["access_token": .string(access)], client: tokens.clientID)
        if let idToken = tokens.idToken { memory.trust(idToken: idToken.reveal(), of: tokens.clientID) }
    }

    /// Takes a token of another server for one that was issued here.
    func adoptForeign(_ token: String, scopes: [String], client: String, now: Int64) {
        sandbox.adopt(
            AdoptedSession(
                client: client, accessToken: token, expiresAt: .max, refreshToken: nil,
                scopes: (scopes + ["openid"]).uniqued),
            now: now)
    }

    private static let placeholder = "stand-in-for-the-refresh-token-of-a-stored-session"

    /// Signs out; an ID token of an adopted session names its client like any other, though another key signed it.
    func logOut(_ request: ServerRequest, now: Int64) -> SandboxReply {
        var read = StandInRequest(request, descriptor.logout)
        if let client = read["id_token_hint"].flatMap({ memory.client(idToken: $0) }) {
            read["id_token_hint"] = nil
            read["client_id"] = client
        }
        return ask(.logout, query: read.parameters, request, now: now)
    }
}
