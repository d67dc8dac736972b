internal import JOSE

/// A sandbox's memory outside the process: its keys and what it issued, without the tokens themselves.
///
/// The bytes hold private keys: they belong into a file that only its owner can read.
package struct SandboxSnapshot: Sendable {
    package let issuer: String
    let keys: SandboxKeys
    let ledger: GrantLedger

    /// The only version there is; another one is refused.
    private static let version: Int64 = 1

    init(issuer: String, keys: SandboxKeys, ledger: GrantLedger) {
        self.issuer = issuer
        self.keys = keys
        self.ledger = ledger
    }

    /// Writes the snapshot as JSON.
    ///
    /// - Throws: `SandboxError.keys` when a key cannot be written.
    package func encoded() throws(SandboxError) -> [UInt8] {
        var keys: [JSONValue] = []
        for entry in self.keys.entries {
            do throws(KeyError) {
                keys.append([
                    "alg": .string(entry.algorithm.rawValue), "pem": .string(try entry.key.privatePEM()),
                ])
            } catch {
                throw .keys("a key cannot be written: \(error)")
            }
        }
        let document: JSONObject = [
            "version": .int(Self.version),
            "issuer": .string(issuer),
            "keys": .array(keys),
            "grants": .array(ledger.grants.values.map(Self.encode)),
            "access_tokens": .array(ledger.accessTokens.map(Self.encode)),
            "refresh_tokens": .array(ledger.refreshTokens.map(Self.encode)),
            "clients": .array(ledger.clients.values.map(\.stored)),
        ]
        return document.serializedBytes
    }

    /// Reads what `encoded` wrote.
    ///
    /// - Throws: `snapshot` with the member that is missing or wrong, empty when the bytes are no JSON;
    ///   `keys` when a key cannot be read or an algorithm has none.
    package init(decoding bytes: [UInt8]) throws(SandboxError) {
        let document: JSONValue
        do throws(JSONError) {
            // Our own file, with a record of some 150 bytes for each token: 64 MiB are plenty.
            document = try JSON.parse(bytes, limits: JSONLimits(bytes: 64 << 20))
        } catch {
            throw .snapshot(member: "")
        }
        guard document["version"]?.intValue == Self.version else { throw .snapshot(member: "version") }
        issuer = try SnapshotRecord(document).text("issuer")
        keys = try Self.keys(try SnapshotRecord(document).records("keys"))
        ledger = try Self.ledger(SnapshotRecord(document))
    }
}

extension SandboxSnapshot {
    private static func keys(_ records: [SnapshotRecord]) throws(SandboxError) -> SandboxKeys {
        var entries: [SandboxKeys.Entry] = []
        for record in records {
            guard let algorithm = SigningAlgorithm(rawValue: try record.text("alg")) else {
                throw .snapshot(member: "alg")
            }
            do throws(KeyError) {
                let key = try PrivateKey(pem: record.value["pem"]?.stringValue ?? "")
                entries.append(SandboxKeys.Entry(algorithm: algorithm, key: key))
            } catch {
                throw .keys("a key of the snapshot cannot be read: \(error)")
            }
        }
        let keys = SandboxKeys(entries: entries)
        for algorithm in SigningAlgorithm.allCases where keys.newest(algorithm) == nil {
            throw .keys("the snapshot has no \(algorithm.rawValue) key")
        }
        return keys
    }

    private static func ledger(_ document: SnapshotRecord) throws(SandboxError) -> GrantLedger {
        var grants: [String: Grant] = [:]
        for record in try document.records("grants") {
            let grant = try grant(record)
            grants[grant.id] = grant
        }
        var accessTokens: [TokenHash: AccessRecord] = [:]
        for record in try document.records("access_tokens") {
            accessTokens[TokenHash(stored: try record.text("hash"))] = AccessRecord(
                grantID: try record.text("grant"), scopes: try record.words("scope"),
                expiresAt: try record.number("expires"), key: record.value["jkt"]?.stringValue,
                resources: record.texts("resources"))
        }
        var refreshTokens: [TokenHash: RefreshRecord] = [:]
        for record in try document.records("refresh_tokens") {
            refreshTokens[TokenHash(stored: try record.text("hash"))] = RefreshRecord(
                grantID: try record.text("grant"), isSpent: record.value["spent"]?.boolValue ?? false)
        }
        var clients: [String: DynamicClient] = [:]
        // A file of an older sandbox knows no client but the configured ones.
        for value in document.value["clients"]?.arrayValue ?? [] {
            guard let client = DynamicClient(stored: value) else { throw .snapshot(member: "clients") }
            clients[client.client.id] = client
        }
        return GrantLedger(
            grants: grants, accessTokens: accessTokens, refreshTokens: refreshTokens, clients: clients)
    }

    private static func grant(_ record: SnapshotRecord) throws(SandboxError) -> Grant {
        Grant(
            id: try record.text("id"), clientID: try record.text("client"),
            username: try record.text("user"), scopes: try record.words("scope"),
            nonce: nil, acr: record.value["acr"]?.stringValue,
            authenticatedAt: try record.number("auth_time"), refreshKey: record.value["jkt"]?.stringValue,
            resources: record.texts("resources"),
            details: record.value["details"]?.arrayValue?.compactMap(\.objectValue) ?? [],
            claims: WantedClaims(
                idToken: record.texts("id_token_claims"), userInfo: record.texts("userinfo_claims")))
    }

    /// Without the nonce, which only the first ID token carries.
    private static func encode(_ grant: Grant) -> JSONValue {
        var record: JSONObject = [
            "id": .string(grant.id),
            "client": .string(grant.clientID),
            "user": .string(grant.username),
            "scope": .string(grant.scopes.joined(separator: " ")),
            "auth_time": .int(grant.authenticatedAt),
        ]
        record["acr"] = grant.acr.map(JSONValue.string)
        record["jkt"] = grant.refreshKey.map(JSONValue.string)
        record["resources"] = list(grant.resources)
        record["details"] = grant.details.isEmpty ? nil : .array(grant.details.map(JSONValue.object))
        record["id_token_claims"] = list(grant.claims.idToken)
        record["userinfo_claims"] = list(grant.claims.userInfo)
        return .object(record)
    }

    private static func encode(_ hash: TokenHash, _ record: AccessRecord) -> JSONValue {
        var members: JSONObject = [
            "hash": .string(hash.text),
            "grant": .string(record.grantID),
            "scope": .string(record.scopes.joined(separator: " ")),
            "expires": .int(record.expiresAt),
        ]
        members["jkt"] = record.key.map(JSONValue.string)
        members["resources"] = list(record.resources)
        return .object(members)
    }

    /// Nothing for an empty list.
    private static func list(_ texts: [String]) -> JSONValue? {
        texts.isEmpty ? nil : .array(texts.map(JSONValue.string))
    }

    private static func encode(_ hash: TokenHash, _ record: RefreshRecord) -> JSONValue {
        ["hash": .string(hash.text), "grant": .string(record.grantID), "spent": .bool(record.isSpent)]
    }
}

/// One object of a snapshot, read member by member.
private struct SnapshotRecord {
    let value: JSONValue

    init(_ value: JSONValue) {
        self.value = value
    }

    func text(_ member: String) throws(SandboxError) -> String {
        guard let text = value[member]?.stringValue else { throw .snapshot(member: member) }
        return text
    }

    func words(_ member: String) throws(SandboxError) -> [String] {
        try text(member).split(separator: " ").map(String.init)
    }

    /// An optional list.
    func texts(_ member: String) -> [String] {
        value[member]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    func number(_ member: String) throws(SandboxError) -> Int64 {
        guard let number = value[member]?.intValue else { throw .snapshot(member: member) }
        return number
    }

    func records(_ member: String) throws(SandboxError) -> [SnapshotRecord] {
        guard let records = value[member]?.arrayValue else { throw .snapshot(member: member) }
        return records.map(SnapshotRecord.init)
    }
}
