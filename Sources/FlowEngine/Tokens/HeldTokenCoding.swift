internal import JOSE
internal import OAuthProtocol

/// The access tokens for some of the scopes or one of the resources, in the record of their session.
enum HeldTokenCoding {
    /// The tokens in the order of what they are for.
    static func encode(_ tokens: [HeldToken]) -> JSONValue {
        .array(tokens.sorted { order($0.target).lexicographicallyPrecedes(order($1.target)) }.map(encode))
    }

    private static func order(_ target: AccessTarget) -> [String] {
        [target.resources.joined(separator: " "), target.scopes?.joined(separator: " ") ?? ""]
    }

    private static func encode(_ token: HeldToken) -> JSONValue {
        var record: JSONObject = [
            "access_token": .string(token.accessToken.reveal()),
            "token_type": .string(token.tokenType),
            "scopes": texts(token.scopes),
            "resources": texts(token.target.resources),
        ]
        record["asked"] = token.target.scopes.map(texts)
        record["expires_at"] = token.expiresAt.map { .int($0) }
        record["lifetime"] = token.lifetime.map { .int($0) }
        return .object(record)
    }

    /// - Returns: Those that can be read: a token that cannot be is asked for again.
    static func decode(_ session: JSONObject) -> [HeldToken] {
        session["held"]?.arrayValue?.compactMap(token) ?? []
    }

    private static func token(_ record: JSONValue) -> HeldToken? {
        guard let accessToken = record["access_token"]?.stringValue,
            let tokenType = record["token_type"]?.stringValue
        else { return nil }
        return HeldToken(
            target: AccessTarget(
                scopes: record["asked"].map(texts), resources: texts(record["resources"] ?? [])),
            accessToken: Secret(accessToken, kind: .accessToken), tokenType: tokenType,
            expiresAt: record["expires_at"]?.intValue, lifetime: record["lifetime"]?.intValue,
            scopes: texts(record["scopes"] ?? []))
    }

    private static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

    private static func texts(_ value: JSONValue) -> [String] {
        value.arrayValue?.compactMap(\.stringValue) ?? []
    }
}
