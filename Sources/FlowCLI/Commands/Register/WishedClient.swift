internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

extension RegisterRequest {
    /// What the command line, and the file of `--metadata`, say that the client is to be.
    ///
    /// Unless they say otherwise it signs people in and stays signed in, where the provider renews tokens. A client
    /// that signs people in registers the scopes that a sign-in asks for: some providers give it no others.
    func wish(for provider: BoundProvider, redirectURI: String?, _ further: JSONObject) -> ClientWish {
        let redirects = provider.redirectURIs(fixed: redirectURI)
        let isUsual = grants.isEmpty && further["grant_types"] == nil && !redirects.isEmpty
        let usual =
            ["authorization_code"] + (provider.descriptor.refresh.isSupported ? ["refresh_token"] : [])
        var wish = ClientWish(
            grantTypes: isUsual ? usual : grants, method: method, name: name, further: further)
        if redirectURI != nil || further["redirect_uris"] == nil { wish.redirectURIs = redirects }
        if further["scope"] == nil {
            let stated = further["grant_types"]?.arrayValue?.compactMap(\.stringValue) ?? []
            let signsIn = (wish.grantTypes.isEmpty ? stated : wish.grantTypes).contains {
                $0 == "authorization_code" || $0 == TokenRequest.deviceGrant
            }
            wish.scopes = signsIn ? provider.authorizationScopes(nil) : client.scopes
        }
        return wish
    }
}
