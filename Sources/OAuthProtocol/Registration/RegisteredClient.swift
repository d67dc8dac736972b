package import JOSE

/// What a server registered, checked (RFC 7591 §3.2.1, RFC 7592 §3).
package struct RegisteredClient: Sendable, Hashable {
    package let clientID: String
    package let secret: Secret?
    /// Seconds since 1970; `nil` for a secret that does not end, or none.
    package let secretExpiresAt: Int64?
    package let authenticationMethod: ClientAuthenticationMethod
    /// `nil` where the server lets nobody change a registration.
    package let management: Management?
    /// All members as they came, without credentials. The server may have changed what was asked for.
    package let metadata: JSONObject

    /// Where the registration is changed, and what allows it (RFC 7592 §3).
    package struct Management: Sendable, Hashable {
        package let uri: String
        package let token: Secret

        package init(uri: String, token: Secret) {
            self.uri = uri
            self.token = token
        }
    }

    private init(
        clientID: String, secret: Secret?, secretExpiresAt: Int64?, method: ClientAuthenticationMethod,
        management: Management?, metadata: JSONObject
    ) {
        self.clientID = clientID
        self.secret = secret
        self.secretExpiresAt = secretExpiresAt
        authenticationMethod = method
        self.management = management
        self.metadata = metadata
    }

    /// A client that was registered earlier, of which no more is known than what manages it.
    package static func stored(
        clientID: String, secret: Secret?, method: ClientAuthenticationMethod, management: Management
    ) -> RegisteredClient {
        RegisteredClient(
            clientID: clientID, secret: secret, secretExpiresAt: nil, method: method, management: management,
            metadata: [:])
    }

    /// The registration as other requests need it.
    ///
    /// - Parameter privateKey: Of the key set that was registered, for `private_key_jwt`.
    package func registration(privateKey: Secret? = nil) -> ClientRegistration {
        ClientRegistration(
            clientID: clientID, secret: secret, authenticationMethod: authenticationMethod,
            privateKey: privateKey)
    }
}

// MARK: - Reading

extension RegisteredClient {
    /// Reads the answer to a registration; success is 201 (RFC 7591 §3.2.1).
    ///
    /// A client that comes with 200 exists all the same, and to refuse it would lose its secret.
    ///
    /// - Parameters:
    ///   - endpoint: Where it was registered; what manages the client must be on the same origin.
    ///   - asked: Every redirect URI of it must have been registered.
    /// - Throws: As `TokenResponse.read`.
    package static func created(
        _ response: HTTPResponse, endpoint: String, asked: ClientMetadata,
        dialect: ResponseDialect = .standard,
        log: inout CheckLog
    ) throws(ProtocolError) -> RegisteredClient {
        var dialect = dialect.creating
        if dialect.successStatus == 201...201 { dialect.successStatus = 200...201 }
        try dialect.checkStatus(response, Checks.registrationStatus, success: "201", log: &log)
        let object = try dialect.members(of: response, .registration, log: &log)
        let management = try management(object, sameOriginAs: endpoint, log: &log)
        return try read(object, management, asked, log: &log)
    }

    /// The identifier that an answer names whose client was made and whose rest is refused; `nil` for none.
    package static func identifier(in response: HTTPResponse) -> String? {
        guard (200...201).contains(response.status),
            // What cannot be read names none.
            let id = (try? JSON.parse(response.body))?["client_id"]?.stringValue, !id.isEmpty
        else { return nil }
        return RemoteText.sanitize(id, limit: 200)
    }

    /// Reads the answer to a question for, or a change of, a registration (RFC 7592 §3).
    ///
    /// - Parameters:
    ///   - known: The client must be the same; its management stays where the answer names none.
    ///   - asked: The metadata of a change; `nil` after a question.
    /// - Throws: As `TokenResponse.read`; `rejected` with `invalid_token` for a registration that is gone (401).
    package static func managed(
        _ response: HTTPResponse, known: RegisteredClient, asked: ClientMetadata? = nil,
        dialect: ResponseDialect = .standard, log: inout CheckLog
    ) throws(ProtocolError) -> RegisteredClient {
        try checkManaged(response, dialect, log: &log)
        let object = try dialect.members(of: response, .registration, log: &log)
        let clientID = object["client_id"]?.stringValue ?? ""
        try log.require(
            clientID.isExactly(known.clientID), Checks.registeredClient, expected: known.clientID,
            actual: RemoteText.sanitize(clientID, limit: 100))
        var management = known.management
        if let old = management {
            management = try Self.management(object, sameOriginAs: old.uri, log: &log) ?? old
        }
        return try read(object, management, asked, log: &log)
    }

    /// Reads the answer to a deletion: 204 (RFC 7592 §2.3).
    ///
    /// - Throws: `rejected` or `status` for any status that is no success.
    package static func checkDeleted(
        _ response: HTTPResponse, dialect: ResponseDialect = .standard, log: inout CheckLog
    ) throws(ProtocolError) {
        var dialect = dialect
        // Any success says that it is gone; some servers answer 200.
        dialect.successStatus = 200...204
        try checkManaged(response, dialect, log: &log)
    }

    /// A bearer token that is refused is told by a challenge (RFC 7592 §2, RFC 6750 §3).
    private static func checkManaged(
        _ response: HTTPResponse, _ dialect: ResponseDialect, log: inout CheckLog
    ) throws(ProtocolError) {
        if response.status == 401 || response.status == 403 {
            let error = response.challenges.lazy.compactMap(\.oauthError).first
            throw log.rejected(
                Checks.registrationStatus, error ?? OAuthError(code: "invalid_token"),
                status: response.status)
        }
        try dialect.checkStatus(response, Checks.registrationStatus, log: &log)
    }

    private static func read(
        _ object: JSONObject, _ management: Management?, _ asked: ClientMetadata?, log: inout CheckLog
    ) throws(ProtocolError) -> RegisteredClient {
        let clientID = object["client_id"]?.stringValue ?? ""
        // RFC 6749 Appendix A.1: printable ASCII.
        try log.require(
            !clientID.isEmpty && clientID.utf8.allSatisfy { (0x20...0x7E).contains($0) },
            Checks.registeredClient, expected: "client_id, a text",
            actual: object["client_id"] == nil ? "none" : "another value")
        let method = try method(object, asked, log: &log)
        try checkRedirects(object, asked, log: &log)
        let secret = object["client_secret"]?.stringValue.map { Secret($0, kind: .clientSecret) }
        let end = object["client_secret_expires_at"]?.numberValue
        // "REQUIRED if client_secret is issued" (RFC 7591 §3.2.1), and 0 for no end; many servers leave it out.
        let expiresAt = secret == nil ? nil : end.flatMap { Int64(exactly: $0.rounded(.down)) }
        // *VSCHAR (RFC 6749 Appendix A.2).
        let isPrintable = secret?.reveal().utf8.allSatisfy { (0x20...0x7E).contains($0) } ?? true
        try log.require(
            secret?.isEmpty != true && (method.needsSecret == false || secret != nil) && isPrintable,
            Checks.registeredSecret, expected: "client_secret, for \(method.rawValue)",
            actual: isPrintable ? "none" : "one that is no printable ASCII")
        var metadata = object
        for name in ["client_secret", "registration_access_token"] { metadata[name] = nil }
        return RegisteredClient(
            clientID: clientID, secret: secret, secretExpiresAt: expiresAt == 0 ? nil : expiresAt,
            method: method, management: management, metadata: metadata)
    }

    /// `client_secret_basic` where the server says nothing (RFC 7591 §2).
    private static func method(
        _ object: JSONObject, _ asked: ClientMetadata?, log: inout CheckLog
    ) throws(ProtocolError) -> ClientAuthenticationMethod {
        guard let name = object["token_endpoint_auth_method"]?.present?.stringValue else {
            return asked?.authenticationMethod ?? .clientSecretBasic
        }
        guard let method = ClientAuthenticationMethod(rawValue: name) else {
            throw log.failure(
                Checks.registeredMetadata, expected: "a token_endpoint_auth_method that is known here",
                actual: RemoteText.sanitize(name, limit: 60))
        }
        return method
    }

    /// The server may change what was asked for, but without its redirect URIs the client cannot sign anybody in.
    private static func checkRedirects(
        _ object: JSONObject, _ asked: ClientMetadata?, log: inout CheckLog
    ) throws(ProtocolError) {
        guard let asked, let list = object["redirect_uris"]?.arrayValue?.compactMap(\.stringValue) else {
            return log.skip(Checks.registeredMetadata, because: "the server does not say what it registered")
        }
        let missing = asked.redirectURIs.filter { uri in !list.contains { $0.isExactly(uri) } }
        try log.require(
            missing.isEmpty, Checks.registeredMetadata, expected: "every redirect URI that was asked for",
            actual: "\(missing.count) of them missing")
    }

    /// A token goes there, so it must be where the client was registered.
    private static func management(
        _ object: JSONObject, sameOriginAs endpoint: String, log: inout CheckLog
    ) throws(ProtocolError) -> Management? {
        guard let uri = object["registration_client_uri"]?.present?.stringValue,
            let token = object["registration_access_token"]?.stringValue, !token.isEmpty
        else {
            log.skip(Checks.registrationManagement, because: "the server lets nobody change a registration")
            return nil
        }
        // It goes into a header field.
        try log.require(
            token.utf8.allSatisfy { (0x21...0x7E).contains($0) }, Checks.registrationManagement,
            expected: "a token in printable ASCII", actual: "another character in registration_access_token")
        let place = try? EndpointURL(uri, allowLoopbackHTTP: true)
        let expected = (try? EndpointURL(endpoint, allowLoopbackHTTP: true))?.origin
        try log.require(
            place != nil && place?.origin == expected, Checks.registrationManagement,
            expected: "a URL at \(expected ?? "the registration endpoint")",
            actual: RemoteText.sanitize(uri, limit: 200))
        return Management(uri: uri, token: Secret(token, kind: .registrationAccessToken))
    }
}
