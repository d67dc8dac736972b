internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Where a provider file and the provider's own word differ: one check for each difference.
struct MetadataComparison: Sendable {
    private let provider: BoundProvider
    /// What the provider says where the file does not say otherwise.
    private let published: ServerMetadataFields
    /// What it says in any case.
    private let document: JSONObject
    /// Asked for beside those of the descriptor.
    private let scopes: [String]

    init(provider: BoundProvider, published: DiscoveredMetadata, scopes: [String]) {
        self.provider = provider
        self.published = published.fields
        document = published.document
        self.scopes = scopes
    }

    private var descriptor: ProviderDescriptor { provider.descriptor }

    func checks() -> [ProviderCheck] {
        let differences =
            endpoints() + scopeChecks() + methods() + furtherMethods() + pkce() + algorithms() + others()
        return differences.isEmpty ? [.pass("agreement", "file and metadata agree")] : differences
    }

    private func endpoints() -> [ProviderCheck] {
        ServerMetadataFields.urls.compactMap { name, path in
            guard let declared = provider.declared[keyPath: path], let url = document[name]?.stringValue,
                declared != url
            else { return nil }
            return .warn(
                name, "the file says \(declared), the provider publishes \(RemoteText.sanitize(url))",
                fix: "leave \(name) out of \(descriptor.file), or correct it")
        }
    }

    private func scopeChecks() -> [ProviderCheck] {
        guard let listed = published.scopesSupported else { return [] }
        let asked = provider.bound.requiredScopes + provider.bound.scopes + scopes
        return asked.uniqued.filter { !listed.contains($0) }.map { scope in
            let near = ArgumentReader.suggestion(scope, listed).dropFirst(2)
            return .warn(
                "scope", "the provider does not list the scope \(scope)",
                fix: near.isEmpty ? nil : String(near))
        }
    }

    private func methods() -> [ProviderCheck] {
        guard let listed = published.tokenEndpointAuthMethodsSupported, !listed.isEmpty else { return [] }
        guard let method = descriptor.client.authenticationMethod else {
            guard listed.allSatisfy({ ClientAuthenticationMethod(rawValue: $0) == nil }) else { return [] }
            return [
                .warn(
                    "authentication",
                    "the provider lists \(listed.joined(separator: ", ")), of which flowrun knows none",
                    fix: "say client.token_endpoint_auth_method in \(descriptor.file) if it takes another")
            ]
        }
        guard !listed.contains(method.rawValue) else { return [] }
        return [
            .warn(
                "authentication",
                "the file says \(method.rawValue), the provider lists \(listed.joined(separator: ", "))",
                fix: "correct client.token_endpoint_auth_method in \(descriptor.file)")
        ]
    }

    /// Endpoints that say for themselves how a client proves who it is there (RFC 8414 §2).
    private func furtherMethods() -> [ProviderCheck] {
        let requests = [
            ("introspection", descriptor.introspection), ("revocation", descriptor.revocation.operation),
        ]
        return requests.compactMap { name, operation in
            let ofClient = descriptor.client.authenticationMethod
            guard let method = operation.request.authenticationMethod ?? ofClient,
                let values = document["\(name)_endpoint_auth_methods_supported"]?.arrayValue
            else { return nil }
            let listed = values.compactMap(\.stringValue)
            guard !listed.isEmpty, !listed.contains(method.rawValue) else { return nil }
            return .warn(
                name,
                "the file says \(method.rawValue), the provider lists \(listed.joined(separator: ", "))",
                fix: "say \(name): { auth: METHOD } in \(descriptor.file)")
        }
    }

    private func pkce() -> [ProviderCheck] {
        guard let listed = published.codeChallengeMethodsSupported else { return [] }
        let authorization = descriptor.authorization
        let method = authorization.challengeMethod.name
        let isOff = authorization.pkce == .off
        if isOff || method != "S256", listed.contains("S256") {
            return [
                .warn(
                    "pkce", "PKCE is \(isOff ? "off" : method) in the file, and the provider takes S256",
                    fix: "remove authorization.pkce from \(descriptor.file)")
            ]
        }
        guard !isOff, !listed.contains(method) else { return [] }
        return [.warn("pkce", "the provider lists no \(method), only \(listed.joined(separator: ", "))")]
    }

    private func algorithms() -> [ProviderCheck] {
        guard let listed = published.idTokenSigningAlgValuesSupported else { return [] }
        if let registered = descriptor.client.idTokenSignedResponseAlgorithm {
            guard !listed.contains(registered.rawValue) else { return [] }
            return [
                .warn(
                    "id_token",
                    "the file expects \(registered.rawValue), the provider lists \(listed.joined(separator: ", "))",
                    fix: "correct client.id_token_signed_response_alg in \(descriptor.file)")
            ]
        }
        let isUsable = listed.contains { SignatureAlgorithm(name: $0)?.keyType != nil }
        guard !isUsable else { return [] }
        if let mac = listed.first(where: { SignatureAlgorithm(name: $0)?.isMAC == true }) {
            return [
                .fail(
                    "id_token",
                    "the provider signs with the client secret (\(mac)), which the file does not say",
                    fix: "say client.id_token_signed_response_alg: \(mac) in \(descriptor.file), "
                        + "and token_endpoint_auth_method", .provider)
            ]
        }
        return [
            .fail(
                "id_token", "no signature algorithm of \(listed.joined(separator: ", ")) is known here",
                fix: "register the client for RS256 or ES256", .provider)
        ]
    }

    private func others() -> [ProviderCheck] {
        var checks: [ProviderCheck] = []
        let type = descriptor.authorization.wantsIDToken ? descriptor.authorization.responseType : "code"
        if let listed = published.responseTypesSupported, !listed.contains(type) {
            checks.append(
                .warn(
                    "response_type",
                    "the provider lists no \"\(type)\", only \(listed.joined(separator: ", "))"))
        }
        if let listed = published.grantTypesSupported, descriptor.refresh.isSupported,
            !listed.contains("refresh_token")
        {
            checks.append(
                .warn(
                    "refresh", "the provider does not list the grant refresh_token",
                    fix: "say refresh: {supported: false} in \(descriptor.file) if it gives none"))
        }
        if published.authorizationResponseIssParameterSupported == true, descriptor.callback.issuer == .ignore
        {
            checks.append(
                .warn(
                    "iss", "the file does without the parameter iss, which the provider sends (RFC 9207)",
                    fix: "remove callback.iss from \(descriptor.file)"))
        }
        // Where there is an endpoint for them, requests are pushed without a word in the file.
        if published.requirePushedAuthorizationRequests == true,
            published.pushedAuthorizationRequestEndpoint == nil,
            provider.declared.pushedAuthorizationRequestEndpoint == nil
        {
            checks.append(
                .warn(
                    "par",
                    "the provider takes pushed authorization requests only (RFC 9126), and names no endpoint",
                    fix: "say pushed_authorization_request_endpoint in \(descriptor.file)"))
        }
        return checks
    }
}
