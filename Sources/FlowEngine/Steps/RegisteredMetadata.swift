internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

extension StepScope {
    /// What the step says of the client, and for what it does not say the descriptor and the run.
    func clientMetadata(_ registers: inout Registers) throws(RunFailure) -> ClientMetadata {
        let client = provider.descriptor.client
        // What the flow says of a member wins over its `metadata`, and that over what is usual.
        var further: JSONObject = [:]
        if case .json(.object(let members)) = value("metadata", &registers) { further = members }
        let named = value("token_endpoint_auth_method", &registers).text
        let usual = further["token_endpoint_auth_method"] == nil ? client.authenticationMethod : nil
        let method =
            (named ?? further["token_endpoint_auth_method"]?.stringValue).flatMap(
                ClientAuthenticationMethod.init) ?? usual
        let redirects = further["redirect_uris"] == nil ? provider.redirectURIs(fixed: plan.redirectURI) : []
        for (name, value) in client.registeredMembers where further[name] == nil { further[name] = value }
        var metadata = ClientMetadata(
            redirectURIs: givenTexts("redirect_uris", &registers) ?? redirects,
            grantTypes: texts("grant_types", &registers), authenticationMethod: method,
            name: value("client_name", &registers).text, scopes: texts("scopes", &registers), further: further
        )
        // Some servers know no standard for it, although RFC 7591 §2 gives one: code.
        let authorization = provider.descriptor.authorization
        let signsIn = metadata.members["grant_types"]?.arrayValue?.contains("authorization_code") == true
        if further["response_types"] == nil, signsIn || authorization.wantsIDToken {
            metadata.responseTypes = [authorization.responseType]
        }
        // A client of the standard type, web, may have no such redirect URI (OpenID Connect Registration §2).
        if provider.descriptor.wireProtocol == .oidc, further["application_type"] == nil,
            !metadata.redirectURIs.isEmpty, metadata.redirectURIs.allSatisfy(RedirectURI.isNative)
        {
            metadata.further["application_type"] = "native"
        }
        // One that ends in /* is no address, and can be registered by nobody (RP-Initiated Logout §3.1).
        let farewells = provider.extras.postLogoutRedirects.filter { !$0.hasSuffix("/*") }
        if further["post_logout_redirect_uris"] == nil, !farewells.isEmpty {
            metadata.further["post_logout_redirect_uris"] = .array(farewells.map(JSONValue.string))
        }
        if metadata.further["jwks_uri"] == nil, metadata.further["jwks"] == nil {
            metadata.keySet = try keySet(signs: isSigner(method, &registers))
        }
        return metadata
    }

    /// Whether the provider has to know what the client signs with.
    private func isSigner(_ method: ClientAuthenticationMethod?, _ registers: inout Registers) -> Bool {
        if case .bool(let wanted) = value("jwks", &registers) { return wanted }
        return method == .privateKeyJWT || provider.descriptor.client.signsRequests
    }

    /// The public half of the private key, once for each purpose; `nil` for a client that has none.
    private func keySet(signs: Bool) throws(RunFailure) -> JSONObject? {
        let client = provider.descriptor.client
        let encrypting = Set(client.encryptions.map(\.algorithm))
        let algorithms = KeyManagementAlgorithm.allCases.filter(encrypting.contains)
        guard signs || !algorithms.isEmpty else { return nil }
        let written = [client.signingAlgorithm, client.security.requestObjectAlgorithm].compactMap(\.self)
        let proof = ClientProof(provider: provider, serial: "", now: 0)
        guard case .key(let key, let signing, let kid) = try proof.signer(written.first { !$0.isMAC })
        else { return nil }
        if !provider.isRehearsal, let wrong = algorithms.first(where: { !$0.fits(key.type) }) {
            throw RunFailure(
                .clientKey, "nobody can encrypt to the client's private key with \(wrong.rawValue)")
        }
        let keys =
            (signs ? [key.publicJWK(kid: kid, alg: signing)] : [])
            + algorithms.map { key.publicJWK(kid: kid, encryptingBy: $0) }
        return ["keys": .array(keys)]
    }
}

extension BoundProvider {
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
