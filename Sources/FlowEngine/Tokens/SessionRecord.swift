internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Names a stored session: one row for an issuer, a client, a profile and the flow's own `key`.
///
/// The access tokens in the row are told apart by `AccessTarget`, their scopes and resources.
package struct SessionKey: Sendable, Hashable {
    /// Lower-case hex of a SHA-256 over the parts; says nothing about them.
    package let digest: String

    package init(issuer: String, clientID: String, profile: String, key: String?) {
        var bytes: [UInt8] = []
        for part in [issuer, clientID, profile, key ?? ""] {
            bytes.append(contentsOf: String(part.utf8.count).utf8)
            bytes.append(0x3A)
            bytes.append(contentsOf: part.utf8)
        }
        digest = Hexadecimal.encode(Digest.sha256(bytes))
    }
}

/// Whose a stored session is, in the user's words.
package struct SessionLabel: Sendable, Hashable {
    /// Id of the descriptor.
    package let provider: String
    package let profile: String
    /// The `key` of the step that stored it.
    package let key: String?
    /// The descriptor's variables as they were at the sign-in, where they are not the descriptor's own; none is secret.
    package var variables: [String: String] = [:]
    /// Which of the descriptor's environments held.
    package var environment: String?
    /// Where its tokens may go, by the provider's file.
    package var destinations: Set<String> = []

    package init(provider: String, profile: String, key: String?) {
        self.provider = provider
        self.profile = profile
        self.key = key
    }

    init(_ provider: BoundProvider, profile: String, key: String?) {
        self.init(provider: provider.descriptor.id, profile: profile, key: key)
        variables = provider.bound.settings
        environment = provider.descriptor.environment
        destinations = provider.destinations
    }
}

/// What a list of sessions shows of one; nothing of it is secret.
package struct SessionSummary: Sendable, Hashable {
    package let label: SessionLabel
    /// The issuer, or what stands in place of one: the same for all sessions of one server.
    package let place: String?
    package let clientID: String
    package let subject: String?
    /// Of the grant.
    package let scopes: [String]
    /// Milliseconds since 1970; `nil` when the server named no lifetime.
    package let expiresAt: Int64?
    /// The access tokens for less than everything.
    package let held: [Held]
    package let obtainedAt: Int64
    package let hasRefreshToken: Bool
    /// Milliseconds since 1970; `nil` when the server did not say when the refresh token ends.
    package let refreshExpiresAt: Int64?
    /// Whether there is one that is not sent again, since nobody knows whether the server has redeemed it.
    package let isInDoubt: Bool
    /// `Bearer` or `DPoP`.
    package let tokenType: String

    /// `nil` where the provider has none.
    package var issuer: String? { place.flatMap { BoundProvider.isIssuer($0) ? $0 : nil } }

    /// An access token for some of the scopes, or for one of the resources.
    package struct Held: Sendable, Hashable {
        package let target: AccessTarget
        /// Milliseconds since 1970; `nil` when the server named no lifetime.
        package let expiresAt: Int64?
    }
}

/// What is kept of a session, as the bytes that the store seals.
package enum SessionRecord {
    /// Raised when a member changes its meaning; older records are then `corrupt`.
    private static let version: Int64 = 1
    /// A record was written here, with up to seventeen access tokens of any length, and with parts of answers that were as
    /// deep as they may be.
    static let limits = JSONLimits(depth: 2 * JSONLimits.default.depth, bytes: 64 << 20)

    /// - Parameter label: What a list of sessions calls it.
    package static func encode(_ set: TokenSet, label: SessionLabel) -> [UInt8] {
        // Whoever reads no targets finds the token of the whole grant, or one that is past its time.
        var set = set
        set.use(.whole)
        var record: JSONObject = [
            "version": .int(version),
            "provider": .string(label.provider),
            "profile": .string(label.profile),
            "client_id": .string(set.clientID),
            "access_token": .string(set.accessToken.reveal()),
            "token_type": .string(set.tokenType),
            "scopes": .array(set.scopes.map { .string($0) }),
            "obtained_at": .int(set.obtainedAt),
            "meta": .object(set.meta),
        ]
        record["key"] = label.key.map { .string($0) }
        if !label.variables.isEmpty {
            record["variables"] = .object(JSONObject(sorting: label.variables) { .string($0) })
        }
        record["environment"] = label.environment.map { .string($0) }
        let destinations = label.destinations.union(set.destinations ?? [])
        if !destinations.isEmpty {
            record["destinations"] = .array(destinations.sorted().map { .string($0) })
        }
        record["issuer"] = set.issuer.map { .string($0) }
        record["expires_at"] = set.expiresAt.map { .int($0) }
        record["lifetime"] = set.lifetime.map { .int($0) }
        record["refresh_token"] = set.refreshToken.map { .string($0.reveal()) }
        if set.refreshToken != nil { record["refresh_expires_at"] = set.refreshExpiresAt.map { .int($0) } }
        if set.isInDoubt, set.refreshToken != nil { record["in_doubt"] = true }
        record["id_token"] = (set.idToken ?? set.earlierIDToken).map { .string($0.reveal()) }
        record["iss"] = set.tokenIssuer.map { .string($0) }
        record["subject"] = set.subject.map { .string($0) }
        if set.isSubjectAsserted { record["subject_asserted"] = true }
        record["dpop_key"] = set.proofKey.map { .string($0.reveal()) }
        record["nonce"] = set.nonce.map { .string($0.reveal()) }
        record["auth_time"] = set.authTime.map { .int($0) }
        record["acr"] = set.acr.map { .string($0) }
        if !set.audiences.isEmpty { record["aud"] = .array(set.audiences.map { .string($0) }) }
        record["azp"] = set.authorizedParty.map { .string($0) }
        record["refreshed_at"] = set.refreshedAt.map { .int($0) }
        record["granted"] = set.granted == set.scopes ? nil : .array(set.granted.map { .string($0) })
        if !set.held.isEmpty { record["held"] = HeldTokenCoding.encode(set.held) }
        if !set.kept.isEmpty { record["kept"] = .object(set.kept) }
        if !set.captured.isEmpty { record["captured"] = .object(set.captured) }
        if !set.others.isEmpty {
            record["others"] = .object(JSONObject(sorting: set.others) { .string($0.reveal()) })
        }

        return record.serializedBytes
    }

    /// A session as it was read under its key, in doubt where the record or its store says so.
    ///
    /// - Returns: `nil` when the bytes are no record of this version for that client and issuer.
    package static func decode(
        _ stored: StoredSession, issuer: String?, clientID: String, key: SessionKey
    ) -> TokenSet? {
        var set = decode(
            stored.bytes, issuer: issuer, clientID: clientID,
            place: TokenSet.StoredPlace(key: key, generation: stored.generation))
        if stored.isInDoubt { set?.isInDoubt = true }
        return set
    }

    /// - Returns: `nil` when the bytes are no record of this version for that client and issuer.
    package static func decode(
        _ bytes: [UInt8], issuer: String?, clientID: String, place: TokenSet.StoredPlace
    ) -> TokenSet? {
        // Any parse error means the same: not a record.
        guard let record = (try? JSON.parse(bytes, limits: limits))?.objectValue,
            record["version"]?.intValue == version,
            record["client_id"]?.stringValue == clientID,
            record["issuer"]?.stringValue == issuer,
            let accessToken = record["access_token"]?.stringValue,
            let tokenType = record["token_type"]?.stringValue,
            let obtainedAt = record["obtained_at"]?.intValue
        else { return nil }
        var set = TokenSet(
            TokenSet.Parts(
                origin: .store, issuer: issuer, clientID: clientID,
                accessToken: Secret(accessToken, kind: .accessToken), tokenType: tokenType,
                expiresAt: record["expires_at"]?.intValue, lifetime: record["lifetime"]?.intValue,
                refreshToken: record["refresh_token"]?.stringValue.map { Secret($0, kind: .refreshToken) },
                refreshExpiresAt: record["refresh_expires_at"]?.intValue,
                idToken: record["id_token"]?.stringValue.map { Secret($0, kind: .idToken) },
                scopes: record["scopes"]?.arrayValue?.compactMap(\.stringValue) ?? [],
                subject: record["subject"]?.stringValue, tokenIssuer: record["iss"]?.stringValue,
                nonce: record["nonce"]?.stringValue.map { Secret($0, kind: .nonce) },
                authTime: record["auth_time"]?.intValue, acr: record["acr"]?.stringValue,
                obtainedAt: obtainedAt,
                refreshedAt: record["refreshed_at"]?.intValue, members: record["kept"]?.objectValue ?? [:],
                captured: record["captured"]?.objectValue ?? [:], others: others(record),
                kept: record["kept"]?.objectValue ?? [:], stored: place))
        set.audiences = record["aud"]?.arrayValue?.compactMap(\.stringValue) ?? []
        set.authorizedParty = record["azp"]?.stringValue
        set.grantedScopes = record["granted"]?.arrayValue?.compactMap(\.stringValue)
        set.held = HeldTokenCoding.decode(record)
        set.isInDoubt = record["in_doubt"]?.boolValue == true
        set.isSubjectAsserted = record["subject_asserted"]?.boolValue == true
        set.destinations = destinations(record)
        set.meta = record["meta"]?.objectValue ?? [:]
        set.stored?.name = record["key"]?.stringValue
        set.proofKey = record["dpop_key"]?.stringValue.map { Secret($0, kind: .other) }
        return set
    }

    /// - Parameter isInDoubt: Whether the refresh token is one that is not sent again.
    /// - Returns: `nil` when the bytes are no record of this version.
    package static func summary(_ bytes: [UInt8], isInDoubt: Bool = false) -> SessionSummary? {
        // Any parse error means the same: not a record.
        guard let record = (try? JSON.parse(bytes, limits: limits))?.objectValue,
            record["version"]?.intValue == version, let clientID = record["client_id"]?.stringValue,
            let tokenType = record["token_type"]?.stringValue,
            let obtainedAt = record["obtained_at"]?.intValue
        else { return nil }
        var label = SessionLabel(
            provider: record["provider"]?.stringValue ?? "", profile: record["profile"]?.stringValue ?? "",
            key: record["key"]?.stringValue)
        for (name, value) in record["variables"]?.objectValue ?? [:] {
            label.variables[name] = value.stringValue
        }
        label.environment = record["environment"]?.stringValue
        label.destinations = destinations(record) ?? []
        let isInDoubt = isInDoubt || record["in_doubt"]?.boolValue == true
        return SessionSummary(
            label: label, place: record["issuer"]?.stringValue, clientID: clientID,
            subject: record["subject"]?.stringValue,
            scopes: (record["granted"] ?? record["scopes"])?.arrayValue?.compactMap(\.stringValue) ?? [],
            expiresAt: record["expires_at"]?.intValue,
            held: HeldTokenCoding.decode(record).map { .init(target: $0.target, expiresAt: $0.expiresAt) },
            obtainedAt: obtainedAt, hasRefreshToken: record["refresh_token"] != nil && !isInDoubt,
            refreshExpiresAt: record["refresh_expires_at"]?.intValue,
            isInDoubt: record["refresh_token"] != nil && isInDoubt, tokenType: tokenType)
    }

    private static func destinations(_ record: JSONObject) -> Set<String>? {
        record["destinations"]?.arrayValue.map { Set($0.compactMap(\.stringValue)) }
    }

    private static func others(_ record: JSONObject) -> [String: Secret] {
        var others: [String: Secret] = [:]
        for (name, value) in record["others"]?.objectValue ?? [:] {
            others[name] = value.stringValue.map { Secret($0, kind: .other) }
        }
        return others
    }
}
