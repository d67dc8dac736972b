internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// Reads `client`: how the client proves who it is.
extension DescriptorReader {
    static let clientKeys =
        ["token_endpoint_auth_method", "basic", "assertion", "client_secret"] + registeredKeys
    /// Members of a client's metadata by their registered names.
    private static let registeredKeys =
        [
            "token_endpoint_auth_signing_alg", "id_token_signed_response_alg", "userinfo_signed_response_alg",
            "id_token_encrypted_response_alg", "id_token_encrypted_response_enc",
            "userinfo_encrypted_response_alg", "userinfo_encrypted_response_enc",
            "introspection_signed_response_alg", "introspection_encrypted_response_alg",
            "introspection_encrypted_response_enc",
            "tls_client_certificate_bound_access_tokens",
        ] + clientSecurityKeys
    private static let registered = Set(registeredKeys)
    static let basicKeys = ["encoding", "username", "password"]
    static let assertionKeys = ["header", "claims", "expires_in"]
    static let madeSecretKeys = ["jwt"]
    static let madeSecretTokenKeys = ["alg", "key", "header", "claims", "expires_in"]

    mutating func clientFacts() -> ClientFacts {
        var facts = ClientFacts()
        guard let client = part("client", keys: Self.clientKeys) else { return facts }
        facts.authenticationMethod = client.word(
            "token_endpoint_auth_method", as: ClientAuthenticationMethod.self, &diagnostics)
        facts.signingAlgorithm = algorithm("token_endpoint_auth_signing_alg", in: client)
        checkAlgorithm(facts, client)
        if let basic = client.mapping("basic", keys: Self.basicKeys, &diagnostics) {
            facts.basicEncoding =
                basic.word("encoding", as: BasicCredentialsEncoding.self, &diagnostics) ?? .form
            facts.basicUser = text("username", in: basic, .credentials)
            facts.basicPassword = text("password", in: basic, .credentials)
        }
        if let assertion = client.mapping("assertion", keys: Self.assertionKeys, &diagnostics) {
            facts.assertion = signedToken(assertion)
        }
        facts.madeSecret = madeSecret(client)
        facts.idTokenSignedResponseAlgorithm = publicAlgorithm("id_token_signed_response_alg", in: client)
        facts.bindsTokensToCertificate =
            client.bool("tls_client_certificate_bound_access_tokens", &diagnostics) ?? false
        facts.userinfoSignedResponseAlgorithm = publicAlgorithm("userinfo_signed_response_alg", in: client)
        facts.security = clientSecurity(client)
        facts.security.requestEncryption = encryption(
            "request_object_encryption_alg", "request_object_encryption_enc", in: client)
        if facts.security.requestEncryption != nil, !facts.security.requiresSignedRequests,
            let node = client["request_object_encryption_alg"]
        {
            report(
                "FL068", node, "a request that is encrypted must be signed as well",
                hint: "register request_object_signing_alg and say it here")
        }
        facts.security.responseEncryption = encryption(
            "authorization_encrypted_response_alg", "authorization_encrypted_response_enc", in: client)
        facts.idTokenEncryption = encryption(
            "id_token_encrypted_response_alg", "id_token_encrypted_response_enc", in: client)
        facts.userinfoEncryption = encryption(
            "userinfo_encrypted_response_alg", "userinfo_encrypted_response_enc", in: client)
        facts.introspectionSignedResponseAlgorithm = publicAlgorithm(
            "introspection_signed_response_alg", in: client)
        facts.introspectionEncryption = encryption(
            "introspection_encrypted_response_alg", "introspection_encrypted_response_enc", in: client)
        if facts.userinfoEncryption != nil, !client.has("userinfo_signed_response_alg"),
            let node = client["userinfo_encrypted_response_alg"]
        {
            // Claims that are encrypted and not signed could be anybody's: the key is public.
            report(
                "FL068", node, "encrypted userinfo must be signed as well",
                hint: "register userinfo_signed_response_alg and say it here")
        }
        for entry in root["client"]?.mapping?.entries ?? [] where Self.registered.contains(entry.key) {
            switch entry.value.value {
            case .string(let text): facts.registeredMembers[entry.key] = .string(text)
            case .bool(let flag): facts.registeredMembers[entry.key] = .bool(flag)
            case .int, .number, .null, nil: continue
            }
        }
        return facts
    }

    /// What a key signs and what a secret authenticates are different algorithms (RFC 7518 §3.1).
    private mutating func checkAlgorithm(_ facts: ClientFacts, _ client: MappingReader) {
        guard let algorithm = facts.signingAlgorithm, let node = client["token_endpoint_auth_signing_alg"]
        else { return }
        switch facts.authenticationMethod {
        case .privateKeyJWT where algorithm.isMAC:
            report(
                "FL068", node, "private_key_jwt signs with a key, and \(algorithm.rawValue) takes a secret")
        case .clientSecretJWT where !algorithm.isMAC:
            report(
                "FL068", node, "client_secret_jwt takes a secret, and \(algorithm.rawValue) signs with a key")
        default: break
        }
    }

    /// Reads `…_encrypted_response_alg` and `…_enc` (OpenID Connect Dynamic Client Registration §2).
    private mutating func encryption(
        _ alg: String, _ enc: String, in client: MappingReader
    ) -> RegisteredEncryption? {
        guard client.has(alg) else {
            if let node = client[enc] { report("FL016", node, "\(enc) needs \(alg) beside it", hint: nil) }
            return nil
        }
        let algorithm = client.word(alg, as: KeyManagementAlgorithm.self, &diagnostics)
        let content =
            client.has(enc) ? client.word(enc, as: ContentEncryption.self, &diagnostics) : nil
        return algorithm.map { RegisteredEncryption($0, content) }
    }

    private mutating func madeSecret(_ client: MappingReader) -> ClientFacts.SignedToken? {
        let secret = client.mapping("client_secret", keys: Self.madeSecretKeys, &diagnostics)
        guard let jwt = secret?.mapping("jwt", keys: Self.madeSecretTokenKeys, &diagnostics) else {
            return nil
        }
        jwt.require("alg", "key", "claims", diagnostics: &diagnostics)
        return signedToken(jwt)
    }

    private mutating func signedToken(_ reader: MappingReader) -> ClientFacts.SignedToken {
        var token = ClientFacts.SignedToken()
        token.algorithm = algorithm("alg", in: reader)
        token.key = text("key", in: reader, .credentials)
        token.header = texts("header", in: reader, .credentials)
        for entry in reader["header"]?.mapping?.entries ?? []
        where ["alg", "crit", "b64"].contains(entry.key) {
            report("FL058", entry.keySpan, "\"\(entry.key)\" in the header of a JWS belongs to the engine")
        }
        token.claims = texts("claims", in: reader, .credentials)
        token.lifetime = reader.int("expires_in", in: 1...15_777_000, &diagnostics) ?? token.lifetime
        return token
    }

    mutating func algorithm(_ key: String, in reader: MappingReader) -> SignatureAlgorithm? {
        guard reader.has(key) else { return nil }
        return reader.word(key, as: SignatureAlgorithm.self, &diagnostics)
    }

    mutating func publicAlgorithm(_ key: String, in client: MappingReader) -> SignatureAlgorithm? {
        guard let node = client[key] else { return nil }
        let name = node.scalar?.text ?? ""
        let algorithm = SignatureAlgorithm(name: name)
        if algorithm == nil {
            report(
                name == "none" ? "FL068" : "FL016", node, "\"\(name)\" is no signature algorithm",
                hint: "such as RS256, ES256 or EdDSA")
        } else if algorithm?.keyType == nil,
            client["token_endpoint_auth_method"]?.scalar?.text.hasPrefix("client_secret") != true
        {
            report(
                "FL068", node, "\"\(name)\" needs a client with a secret (OIDC Core §10.1)",
                hint: "say which way the secret proves the client: token_endpoint_auth_method")
        }
        return algorithm
    }
}
