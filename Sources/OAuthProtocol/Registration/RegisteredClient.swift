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
    /// What the server registered otherwise than the client can use it, a clause each; the client is there all the same,
    /// and its secret is told only once.
    package let reservations: [String]

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
        management: Management?, metadata: JSONObject, reservations: [String] = []
    ) {
        self.clientID = clientID
        self.secret = secret
        self.secretExpiresAt = secretExpiresAt
        authenticationMethod = method
        self.management = management
        self.metadata = metadata
        self.reservations = reservations
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
    /// A client that comes with 200 exists all the same, and to refuse it would lose its secret. For the same reason
    /// what the server has changed is no error but a reservation.
    ///
    /// - Parameters:
    ///   - endpoint: Where it was registered; what manages the client is used only on the same origin.
    ///   - asked: What the answer is compared with.
    ///   - now: Milliseconds since 1970.
    /// - Throws: As `TokenResponse.read`; `failed` where the answer names no client, or lacks the secret it needs.
    package static func created(
        _ response: HTTPResponse, endpoint: String, asked: ClientMetadata, now: Int64, log: inout CheckLog
    ) throws(ProtocolError) -> RegisteredClient {
        var dialect = ResponseDialect.standard
        dialect.successStatus = 200...201
        try dialect.checkStatus(response, Checks.registrationStatus, success: "201", log: &log)
        let object = try dialect.members(of: response, .registration, log: &log)
        var reservations: [String] = []
        let management = Self.management(object, sameOriginAs: endpoint, nil, &reservations, log: &log)
        return try read(object, management, asked, nil, now, reservations, log: &log)
    }

    /// The identifier that an answer names whose client was made and whose rest is refused; `nil` for none.
    package static func identifier(in response: HTTPResponse) -> String? {
        guard (200...201).contains(response.status),
            // What cannot be read names none.
            let id = response.json?["client_id"]?.stringValue, !id.isEmpty
        else { return nil }
        return RemoteText.sanitize(id, limit: 200)
    }

    /// Reads the answer to a question for, or a change of, a registration (RFC 7592 §3).
    ///
    /// - Parameters:
    ///   - known: The client must be the same; its management stays where the answer names none.
    ///   - asked: The metadata of a change; `nil` after a question.
    ///   - now: Milliseconds since 1970.
    /// - Throws: As `TokenResponse.read`; `rejected` with `invalid_token` for a registration that is gone (401).
    package static func managed(
        _ response: HTTPResponse, known: RegisteredClient, asked: ClientMetadata? = nil, now: Int64,
        log: inout CheckLog
    ) throws(ProtocolError) -> RegisteredClient {
        try checkManaged(response, .standard, log: &log)
        let object = try ResponseDialect.standard.members(of: response, .registration, log: &log)
        let clientID = object["client_id"]?.stringValue ?? ""
        try log.require(
            clientID.isExactly(known.clientID), Checks.registeredClient, expected: known.clientID,
            actual: RemoteText.sanitize(clientID, limit: 100))
        var reservations: [String] = []
        let management = known.management.map { old in
            Self.management(object, sameOriginAs: old.uri, old, &reservations, log: &log) ?? old
        }
        return try read(object, management, asked, known, now, reservations, log: &log)
    }

    /// Reads the answer to a deletion: 204 (RFC 7592 §2.3).
    ///
    /// - Throws: `rejected` or `status` for any status that is no success.
    package static func checkDeleted(
        _ response: HTTPResponse, log: inout CheckLog
    ) throws(ProtocolError) {
        var dialect = ResponseDialect.standard
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

    /// - Parameter known: A client that was made before: its secret stays where the answer does not repeat it.
    private static func read(
        _ object: JSONObject, _ management: Management?, _ asked: ClientMetadata?, _ known: RegisteredClient?,
        _ now: Int64, _ reservations: [String], log: inout CheckLog
    ) throws(ProtocolError) -> RegisteredClient {
        let clientID = object["client_id"]?.stringValue ?? ""
        // RFC 6749 Appendix A.1: printable ASCII.
        try log.require(
            !clientID.isEmpty && clientID.utf8.allSatisfy { (0x20...0x7E).contains($0) },
            Checks.registeredClient, expected: "client_id, a text",
            actual: object["client_id"] == nil ? "none" : "another value")
        let comparison = RegistrationComparison(object, asked, known: known?.authenticationMethod)
        let method = comparison.method
        let told = object["client_secret"]?.stringValue.map { Secret($0, kind: .clientSecret) }
        let secret = told ?? (method.needsSecret ? known?.secret : nil)
        let end = object["client_secret_expires_at"]?.numberValue
        // "REQUIRED if client_secret is issued" (RFC 7591 §3.2.1), and 0 for no end; many servers leave it out.
        let stated = told == nil ? nil : end.flatMap { Int64(exactly: $0.rounded(.down)) }
        let expiresAt = stated == 0 ? nil : stated
        // *VSCHAR (RFC 6749 Appendix A.2).
        let isPrintable = secret?.reveal().utf8.allSatisfy { (0x20...0x7E).contains($0) } ?? true
        try log.require(
            secret?.isEmpty != true && (!method.needsSecret || secret != nil || known != nil) && isPrintable,
            Checks.registeredSecret, expected: "client_secret, for \(method.rawValue)",
            actual: isPrintable ? "none" : "one that is no printable ASCII")
        var reservations = comparison.differences + reservations
        if comparison.differences.isEmpty {
            log.pass(Checks.registeredMetadata)
        } else {
            log.skip(Checks.registeredMetadata, because: comparison.differences.joined(separator: "; "))
        }
        if let expiresAt, expiresAt <= now / 1000 {
            reservations.append("its secret has ended already: client_secret_expires_at is \(expiresAt)")
        }
        var metadata = object
        for name in ["client_secret", "registration_access_token"] { metadata[name] = nil }
        return RegisteredClient(
            clientID: clientID, secret: secret, secretExpiresAt: expiresAt, method: method,
            management: management, metadata: metadata, reservations: reservations)
    }

    /// What manages the client: a token goes there, so it must be where the client was registered.
    ///
    /// - Parameter old: Whose address stays where the answer names one elsewhere.
    private static func management(
        _ object: JSONObject, sameOriginAs endpoint: String, _ old: Management?,
        _ reservations: inout [String],
        log: inout CheckLog
    ) -> Management? {
        guard let uri = object["registration_client_uri"]?.present?.stringValue,
            let token = object["registration_access_token"]?.stringValue, !token.isEmpty
        else {
            log.skip(Checks.registrationManagement, because: "the server lets nobody change a registration")
            return nil
        }
        func refuse(_ reason: String) {
            log.skip(Checks.registrationManagement, because: reason)
            reservations.append("\(reason), so it is not used")
        }
        // It goes into a header field.
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            refuse("registration_access_token is no printable ASCII")
            return nil
        }
        let expected = (try? EndpointURL(endpoint, allowLoopbackHTTP: true))?.origin
        guard let expected, (try? EndpointURL(uri, allowLoopbackHTTP: true))?.origin == expected else {
            refuse(
                "registration_client_uri is \(RemoteText.sanitize(uri, limit: 200)), not at "
                    + (expected ?? "the registration endpoint"))
            return old.map { Management(uri: $0.uri, token: Secret(token, kind: .registrationAccessToken)) }
        }
        log.pass(Checks.registrationManagement)
        return Management(uri: uri, token: Secret(token, kind: .registrationAccessToken))
    }
}
