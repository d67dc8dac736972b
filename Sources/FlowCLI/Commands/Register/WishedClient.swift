internal import FlowEngine
internal import JOSE

extension RegisterRequest {
    /// What the command line, and the file of `--metadata`, say that the client is to be.
    ///
    /// Unless they say otherwise it signs people in and stays signed in, with the scopes that a sign-in asks for: some
    /// providers give a client no others.
    func wish(for provider: BoundProvider, redirectURI: String?, _ further: JSONObject) -> ClientWish {
        let redirects = provider.redirectURIs(fixed: redirectURI)
        let signsIn = grants.isEmpty && further["grant_types"] == nil && !redirects.isEmpty
        var wish = ClientWish(
            grantTypes: signsIn ? ["authorization_code", "refresh_token"] : grants, method: method,
            name: name, further: further)
        if redirectURI != nil || further["redirect_uris"] == nil { wish.redirectURIs = redirects }
        if further["scope"] == nil {
            wish.scopes = signsIn ? provider.authorizationScopes(nil) : client.scopes
        }
        return wish
    }
}
