/// Descriptors for tests.
package enum ProviderText {
    /// Everything declared, so that nothing is discovered; rotates refresh tokens.
    package static let standard = make()

    /// Only the issuer is known, and where its metadata is.
    package static let discovered =
        located + """
            server_metadata_url: https://p.example/.well-known/openid-configuration

            """

    /// Only the issuer is known.
    package static let located = """
        provider: p
        display_name: Provider P
        protocol: oidc
        issuer: https://p.example
        client: { token_endpoint_auth_method: client_secret_basic, id_token_signed_response_alg: ES256 }
        authorization: { scope: [openid, email] }

        """

    /// Plain OAuth 2.0 with answers of its own form.
    package static let plain = """
        provider: q
        display_name: Provider Q
        protocol: oauth2
        issuer: https://q.example
        discovery: off
        authorization_endpoint: https://q.example/authorize
        token_endpoint: https://q.example/token
        userinfo_endpoint: https://q.example/user
        client: { token_endpoint_auth_method: client_secret_post }
        authorization: { scope: [read] }
        token:
          response:
            error_when: [{ path: error, exists: true }]
        userinfo:
          also:
            - { name: emails, endpoint: "https://q.example/emails", when: "!has(userinfo.email)" }
        claims:
          source: userinfo
          sub: { path: userinfo.id, type: string }
          email: [userinfo.email, "emails[0].email"]

        """

    /// With the endpoints of RFC 7009, RFC 7662, RFC 8628 and RP-Initiated Logout, and a resource.
    package static let complete = make(extra: further)

    package static let further = """
        revocation_endpoint: https://p.example/revoke
        introspection_endpoint: https://p.example/introspect
        device_authorization_endpoint: https://p.example/device
        end_session_endpoint: https://p.example/logout
        resources: [https://api.example]
        endpoints: { report: "https://api.example/report" }
        api_key: { placement: "header:X-Key", value: "${vars.key}" }
        variables: { key: { default: marker-api-key } }

        """

    /// - Parameters:
    ///   - omit: Endpoints to leave out.
    ///   - extra: Further lines.
    package static func make(
        omit: Set<String> = [], refresh: String = "{ rotation: single_use }", extra: String = ""
    ) -> String {
        let endpoints = [
            "authorization_endpoint": "authorize", "token_endpoint": "token", "userinfo_endpoint": "userinfo",
            "jwks_uri": "jwks",
        ]
        let lines = endpoints.filter { !omit.contains($0.key) }.sorted { $0.key < $1.key }
            .map { "\($0.key): https://p.example/\($0.value)\n" }.joined()
        return """
            provider: p
            display_name: Provider P
            protocol: oidc
            issuer: https://p.example
            discovery: off
            client: { token_endpoint_auth_method: client_secret_basic, id_token_signed_response_alg: ES256 }
            authorization: { scope: [openid, email], allow_params: [hd] }
            refresh: \(refresh)
            \(lines)\(extra)
            """
    }
}
