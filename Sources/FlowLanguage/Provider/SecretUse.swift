internal import OAuthProtocol

extension ProviderDescriptor {
    /// Whether clients need a secret, as far as the file says: they prove themselves with it, or what a sign-in sends or
    /// verifies is made of it.
    ///
    /// One that is made for each request is none that a client has.
    package var needsClientSecret: Bool {
        if client.madeSecret == nil, client.basicPassword == nil,
            client.authenticationMethod?.needsSecret == true
        {
            return true
        }
        let requests = [token.request, refresh.operation.request, userinfo.operation.request]
        let texts = requests.flatMap { $0.parameters + $0.query + $0.headers }.map(\.text)
        let others = [client.basicUser, client.basicPassword, callback.signature?.expected].compactMap(\.self)
        return (texts + others).contains { $0.reads(.clientSecret) }
    }
}
