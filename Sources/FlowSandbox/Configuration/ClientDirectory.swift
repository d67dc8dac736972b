internal import JOSE
internal import OAuthProtocol

/// A client that registered itself (RFC 7591), and what it may manage its registration with.
struct DynamicClient: Sendable, Hashable {
    let client: SandboxClient
    let managementToken: TokenHash
    /// The metadata as it was registered, without credentials.
    let metadata: JSONObject
}

extension DynamicClient {
    /// For a snapshot, which is as secret as the keys beside it.
    var stored: JSONValue {
        var record: JSONObject = [
            "id": .string(client.id), "name": .string(client.name), "token": .string(managementToken.text),
            "redirect_uris": .array(client.redirectURIs.map(JSONValue.string)),
            "methods": .array(client.authenticationMethods.map { .string($0.rawValue) }),
            "metadata": .object(metadata),
            "demands": [
                .bool(client.demands.proof), .bool(client.demands.pushedRequest),
                .bool(client.demands.signedRequest),
            ],
        ]
        record["secret"] = client.secret.map { .string($0.reveal()) }
        record["jwks"] = client.keySet.map(JSONValue.object)
        return .object(record)
    }

    /// `nil` when a member is missing or wrong.
    init?(stored: JSONValue) {
        guard let id = stored["id"]?.stringValue, let name = stored["name"]?.stringValue,
            let token = stored["token"]?.stringValue,
            let uris = stored["redirect_uris"]?.arrayValue?.compactMap(\.stringValue),
            let methods = stored["methods"]?.arrayValue?.compactMap(\.stringValue),
            let demands = stored["demands"]?.arrayValue?.compactMap(\.boolValue), demands.count == 3
        else { return nil }
        metadata = stored["metadata"]?.objectValue ?? [:]
        client = SandboxClient(
            id: id, name: name,
            secret: stored["secret"]?.stringValue.map { Secret($0, kind: .clientSecret) }, redirectURIs: uris,
            farewells: metadata["post_logout_redirect_uris"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            keySet: stored["jwks"]?.objectValue,
            authenticationMethods: methods.compactMap(ClientAuthenticationMethod.init),
            demands: SandboxClient.Demands(
                proof: demands[0], pushedRequest: demands[1], signedRequest: demands[2]),
            grantTypes: metadata["grant_types"]?.arrayValue?.compactMap(\.stringValue))
        managementToken = TokenHash(stored: token)
    }
}

/// Everybody who may ask: the clients of the configuration, and those that registered themselves.
struct ClientDirectory: Sendable {
    private let configured: [SandboxClient]
    private let registered: [String: DynamicClient]
    private let takesAny: Bool

    init(_ configuration: SandboxConfiguration, _ ledger: GrantLedger) {
        configured = configuration.clients
        registered = ledger.clients
        takesAny = configuration.takesAnyClient
    }

    func client(_ id: String) -> SandboxClient? {
        configured.first { $0.id.hasBytes(of: id) } ?? registered[id]?.client
            ?? (takesAny ? .open(id) : nil)
    }
}
