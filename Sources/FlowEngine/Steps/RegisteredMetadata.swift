internal import FlowLanguage
package import JOSE
package import OAuthProtocol

extension StepScope {
    /// What the step says of the client, and for what it does not say the descriptor and the run.
    func clientMetadata(_ registers: inout Registers) throws(RunFailure) -> ClientMetadata {
        var wish = ClientWish(
            redirectURIs: givenTexts("redirect_uris", &registers),
            grantTypes: texts("grant_types", &registers),
            method: value("token_endpoint_auth_method", &registers).text
                .flatMap(ClientAuthenticationMethod.init),
            name: value("client_name", &registers).text, scopes: texts("scopes", &registers))
        if case .json(.object(let members)) = value("metadata", &registers) { wish.further = members }
        if case .bool(let wanted) = value("jwks", &registers) { wish.sendsKeys = wanted }
        return try provider.clientMetadata(wish, redirectURI: plan.redirectURI)
    }
}

/// What a client is to be, as far as somebody says it.
package struct ClientWish: Sendable {
    package var redirectURIs: [String]?
    package var grantTypes: [String]
    package var method: ClientAuthenticationMethod?
    package var name: String?
    package var scopes: [String]
    /// Whether the public half of the private key goes along; `nil` leaves it to what it is used for.
    package var sendsKeys: Bool?
    /// Members by their names in RFC 7591 §2; what is said beside them wins.
    package var further: JSONObject

    package init(
        redirectURIs: [String]? = nil, grantTypes: [String] = [], method: ClientAuthenticationMethod? = nil,
        name: String? = nil, scopes: [String] = [], sendsKeys: Bool? = nil, further: JSONObject = [:]
    ) {
        self.redirectURIs = redirectURIs
        self.grantTypes = grantTypes
        self.method = method
        self.name = name
        self.scopes = scopes
        self.sendsKeys = sendsKeys
        self.further = further
    }
}

extension BoundProvider {
    /// The metadata of such a client; what nobody says is what the descriptor says, and then what is usual.
    ///
    /// - Parameter redirectURI: The one that the user has chosen.
    package func clientMetadata(
        _ wish: ClientWish, redirectURI: String?
    ) throws(RunFailure) -> ClientMetadata {
        let client = descriptor.client
        var further = wish.further
        if let name = ClientMetadata.privateMember(of: further) {
            throw RunFailure(.clientKey, "jwks of the metadata holds a private key: its member \"\(name)\"")
        }
        let usual = further["token_endpoint_auth_method"] == nil ? client.authenticationMethod : nil
        let method =
            wish.method
            ?? further["token_endpoint_auth_method"]?.stringValue.flatMap(ClientAuthenticationMethod.init)
            ?? usual
        let redirects = further["redirect_uris"] == nil ? redirectURIs(fixed: redirectURI) : []
        for (name, value) in client.registeredMembers where further[name] == nil { further[name] = value }
        var metadata = ClientMetadata(
            redirectURIs: wish.redirectURIs ?? redirects, grantTypes: wish.grantTypes,
            authenticationMethod: method, name: wish.name, scopes: wish.scopes, further: further)
        // Some servers know no standard for it, although RFC 7591 §2 gives one: code.
        let authorization = descriptor.authorization
        let signsIn = metadata.members["grant_types"]?.arrayValue?.contains("authorization_code") == true
        if further["response_types"] == nil, signsIn || authorization.wantsIDToken {
            metadata.responseTypes = [authorization.responseType]
            // An ID token in the browser is of the implicit grant (OpenID Connect Registration §2), which nothing else uses.
            if authorization.wantsIDToken, signsIn, further["grant_types"] == nil {
                metadata.grantTypes.append("implicit")
            }
        }
        // A client of the standard type, web, may have no such redirect URI (OpenID Connect Registration §2); a server that
        // knows no types passes over it (RFC 7591 §2).
        if further["application_type"] == nil, !metadata.redirectURIs.isEmpty,
            metadata.redirectURIs.allSatisfy(RedirectURI.isNative)
        {
            metadata.further["application_type"] = "native"
        }
        // One that ends in /* is no address, and can be registered by nobody (RP-Initiated Logout §3.1).
        let farewells = extras.postLogoutRedirects.filter { !$0.hasSuffix("/*") }
        if further["post_logout_redirect_uris"] == nil, !farewells.isEmpty {
            metadata.further["post_logout_redirect_uris"] = .array(farewells.map(JSONValue.string))
        }
        if metadata.further["jwks_uri"] == nil, metadata.further["jwks"] == nil {
            metadata.keySet = try keySet(
                signs: wish.sendsKeys ?? (method == .privateKeyJWT || client.signsRequests))
        }
        return metadata
    }

    /// The public half of the private key, once for each purpose; `nil` for a client that has none.
    private func keySet(signs: Bool) throws(RunFailure) -> JSONObject? {
        let client = descriptor.client
        let encrypting = Set(client.encryptions.map(\.algorithm))
        let algorithms = KeyManagementAlgorithm.allCases.filter(encrypting.contains)
        guard signs || !algorithms.isEmpty else { return nil }
        let written = [client.signingAlgorithm, client.security.requestObjectAlgorithm].compactMap(\.self)
        let proof = ClientProof(provider: self, serial: "", now: 0)
        guard case .key(let key, let signing, let kid) = try proof.signer(written.first { !$0.isMAC })
        else { return nil }
        if !isRehearsal, let wrong = algorithms.first(where: { !$0.fits(key.type) }) {
            throw RunFailure(
                .clientKey, "nobody can encrypt to the client's private key with \(wrong.rawValue)")
        }
        let keys =
            (signs ? [key.publicJWK(kid: kid, alg: signing)] : [])
            + algorithms.map { key.publicJWK(kid: kid, encryptingBy: $0) }
        return ["keys": .array(keys)]
    }

    /// The redirect URIs of a client on this machine; without a port where any will do (RFC 8252 §7.3).
    ///
    /// - Parameter fixed: The one that the user has chosen.
    package func redirectURIs(fixed: String?) -> [String] {
        if let fixed { return [fixed] }
        let redirect = descriptor.redirect
        guard redirect.kinds.contains(.loopback) else { return [] }
        guard let ports = redirect.loopbackPorts else {
            // Where it listens: the port is free to differ.
            return ["http://\(redirect.loopbackHosts.first ?? "127.0.0.1")\(redirect.loopbackPath)"]
        }
        return redirect.loopbackHosts.flatMap { host in
            ports.map { "http://\(host):\($0)\(redirect.loopbackPath)" }
        }
    }
}
