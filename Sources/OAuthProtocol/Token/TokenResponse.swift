package import JOSE

/// A token response whose members have been checked (RFC 6749 §5.1).
///
/// What was granted is not compared with what was asked for, and the ID token is not verified here.
package struct TokenResponse: Sendable, Hashable {
    package let accessToken: Secret
    /// `Bearer` or `DPoP`, in the server's spelling.
    package let tokenType: String
    /// Lifetime in seconds; `nil` when the server did not say.
    package let expiresIn: Int?
    /// For the servers that send a point in time instead: milliseconds since 1970.
    package let expiresAt: Int64?
    /// The lifetime as it was written; `nil` where there is none, or none that is a number.
    package let writtenLifetime: WrittenLifetime?
    package let refreshToken: Secret?
    /// Lifetime of the refresh token in seconds, or its end in milliseconds since 1970; both `nil` when the server did
    /// not say.
    package let refreshExpiresIn: Int?
    package let refreshExpiresAt: Int64?
    package let idToken: Secret?
    /// `nil` when the server did not say: then it is what was asked for.
    package let scopes: [String]?
    /// The other members, with every token removed at any depth.
    package let members: JSONObject
    /// Further token sets of the same answer, by the descriptor's names: the JSON of each.
    package let others: [String: Secret]
    /// The members that the descriptor keeps with the session.
    package let kept: JSONObject

    private init(
        accessToken: Secret, tokenType: String, lifetime: TokenLifetime, refreshToken: Secret?,
        refreshLifetime: TokenLifetime, idToken: Secret?, scopes: [String]?, members: JSONObject,
        others: [String: Secret], kept: JSONObject
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresIn = lifetime.seconds
        self.expiresAt = lifetime.end
        self.writtenLifetime = lifetime.written
        self.refreshToken = refreshToken
        self.refreshExpiresIn = refreshLifetime.seconds
        self.refreshExpiresAt = refreshLifetime.end
        self.idToken = idToken
        self.scopes = scopes
        self.members = members
        self.others = others
        self.kept = kept
    }

    /// The type of a token that is no access token (RFC 8693 §2.2.1).
    private static let notApplicable = "N_A"

    /// The type of the token that an exchange issued.
    ///
    /// - Parameter requested: The one that was asked for; `nil` when the server chose.
    package func issuedType(
        requested: String?, log: inout CheckLog
    ) throws(ProtocolError) -> String {
        guard let type = members["issued_token_type"]?.stringValue, !type.isEmpty else {
            throw log.failure(
                Checks.issuedTokenType, expected: "issued_token_type, a text", actual: "none or another type",
                of: "issued_token_type")
        }
        let shown = RemoteText.sanitize(type, limit: 100)
        try log.require(
            requested.map { $0.isExactly(type) } ?? true, Checks.issuedTokenType,
            expected: requested ?? "any", actual: shown)
        return shown
    }

    /// Members of which `TokenLifetime` and `TokenScope` know how they may be written.
    private static let typedMembers = Set(
        ["expires_in", "expires_at", "scope"] + TokenLifetime.refreshMembers)

    /// Reads the answer of a token endpoint.
    ///
    /// - Throws: `rejected` for an error of OAuth, also inside a success; `status` for another status without
    ///   one, a redirect too; `malformed` for a body that cannot be read; `failed` for a member.
    ///
    /// - Parameter acceptsOtherTokens: Whether `N_A` is a token type too: what a token exchange issues need be no
    ///   access token (RFC 8693 §2.2.1).
    /// - Parameter demand: Which types of token the request allows.
    package static func read(
        _ response: HTTPResponse, dialect: ResponseDialect, acceptsOtherTokens: Bool = false,
        demand: TokenTypeDemand = .bearer,
        keeping kept: (token: Secret, type: String)? = nil, log: inout CheckLog
    ) throws(ProtocolError) -> TokenResponse {
        try dialect.checkStatus(response, Checks.tokenStatus, log: &log)
        var (object, types) = try dialect.members(of: response, .token, typing: typedMembers, log: &log)
        let refreshLifetime = TokenLifetime.ofRefreshToken(object, types)
        for name in TokenLifetime.refreshMembers {
            object[name] = types[name].flatMap { type in object[name].flatMap(type.meaning) } ?? object[name]
        }
        let accessToken = try accessToken(object, kept?.token, response, log: &log)
        let tokenType = try tokenType(
            object, acceptsOtherTokens, demand, dialect, kept?.type, log: &log)
        let lifetime = try TokenLifetime.read(
            object, types, declared: dialect.types["expires_in"], of: accessToken, log: &log)
        let scopes = try TokenScope.read(object["scope"], types["scope"], log: &log)
        let refreshToken = try optionalToken("refresh_token", .refreshToken, object, log: &log)
        let idToken = try optionalToken("id_token", .idToken, object, log: &log)
        log.pass(Checks.tokenMember)
        let members = object.withoutTokens(dialect)
        return TokenResponse(
            accessToken: accessToken, tokenType: tokenType, lifetime: lifetime, refreshToken: refreshToken,
            refreshLifetime: refreshLifetime, idToken: idToken, scopes: scopes, members: members,
            others: dialect.others(in: object), kept: dialect.kept(of: members))
    }

    /// The refresh token of an answer that is refused for something else, where one can be made out.
    package static func refreshToken(in response: HTTPResponse, dialect: ResponseDialect) -> Secret? {
        var log = CheckLog()
        // Why there is none to be had does not matter: the answer is refused already.
        guard dialect.successStatus.contains(response.status),
            let object = try? dialect.untypedMembers(of: response, .token, log: &log),
            let token = try? optionalToken("refresh_token", .refreshToken, object, log: &log)
        else { return nil }
        return token
    }

    /// Whether an answer says what became of the request: tokens, or an error; not a page, a redirect or nothing.
    package static func tellsFate(_ response: HTTPResponse, dialect: ResponseDialect) -> Bool {
        guard response.status < 400 else { return true }
        guard dialect.successStatus.contains(response.status) else { return false }
        var log = CheckLog()
        do throws(ProtocolError) {
            _ = try dialect.untypedMembers(of: response, .token, log: &log)
            return true
        } catch {
            if case .rejected = error { return true }
            return false
        }
    }

    /// Printable ASCII (RFC 6749 Appendix A.12): anything else could break out of a header field.
    private static func accessToken(
        _ object: JSONObject, _ kept: Secret?, _ response: HTTPResponse, log: inout CheckLog
    ) throws(ProtocolError) -> Secret {
        let token = object["access_token"]?.stringValue
        if token == nil, let kept {
            log.skip(Checks.accessToken, because: "this provider extends the token that there is")
            return kept
        }
        guard let token, !token.isEmpty else {
            let found = ForeignAnswer.members(of: response).map { ", but \($0)" } ?? ""
            throw log.failure(
                Checks.accessToken, expected: "a text that is not empty",
                actual: object["access_token"] == nil ? "no access_token\(found)" : "empty or another type",
                of: "access_token")
        }
        try log.require(
            token.utf8.allSatisfy { (0x20...0x7E).contains($0) }, Checks.accessToken,
            expected: "printable ASCII", actual: "another character")
        return Secret(token, kind: .accessToken)
    }

    private static func tokenType(
        _ object: JSONObject, _ acceptsOtherTokens: Bool, _ demand: TokenTypeDemand,
        _ dialect: ResponseDialect, _ kept: String?, log: inout CheckLog
    ) throws(ProtocolError) -> String {
        guard let type = object["token_type"]?.stringValue ?? kept else {
            throw log.failure(
                Checks.tokenType, expected: demand.words,
                actual: object["token_type"] == nil ? "no token_type" : "another type of value",
                of: "token_type")
        }
        let isOther = acceptsOtherTokens && type.equalsIgnoringASCIICase(notApplicable)
        let isBearer = dialect.bearerTypes.contains { type.equalsIgnoringASCIICase($0) }
        guard !isBearer || !demand.allows("Bearer") else {
            log.pass(Checks.tokenType)
            return "Bearer"
        }
        try log.require(
            isOther || demand.allows(type), Checks.tokenType, expected: demand.words,
            actual: "\"\(RemoteText.sanitize(type, limit: 60))\"")
        return type
    }

    /// Null, false and empty text are no token: servers send all three.
    private static func optionalToken(
        _ name: String, _ kind: Secret.Kind, _ object: JSONObject, log: inout CheckLog
    ) throws(ProtocolError) -> Secret? {
        guard let value = object[name], !value.isBlank, value != .bool(false) else { return nil }
        guard let text = value.stringValue else {
            throw log.failure(
                Checks.tokenMember, expected: "\(name) is a text", actual: "another type", of: name)
        }
        return Secret(text, kind: kind)
    }
}

extension JSONObject {
    /// Names of members that hold credentials.
    private static let tokenNames: Set<String> = [
        "access_token", "refresh_token", "id_token", "client_secret", "device_code",
    ]

    /// These members without tokens, at any depth, and without the members that a descriptor takes tokens
    /// from.
    func withoutTokens(_ dialect: ResponseDialect) -> JSONObject {
        var names = Self.tokenNames
        for name in Self.tokenNames {
            for path in dialect.map[name] ?? [] {
                if case .member(let last)? = path.segments.last { names.insert(last) }
            }
        }
        return without(names)
    }

    /// Touches only what changes, so that an answer with many members costs no more than reading it.
    fileprivate func without(_ names: Set<String>) -> JSONObject {
        var result = self
        for (key, value) in members {
            if names.contains(key) {
                result[key] = nil
            } else if value.holdsMember(of: names) {
                result[key] = value.without(names)
            }
        }
        return result
    }
}

extension JSONValue {
    fileprivate func without(_ names: Set<String>) -> JSONValue {
        switch self {
        case .object(let object): .object(object.without(names))
        case .array(let values): .array(values.map { $0.without(names) })
        case .null, .bool, .int, .bigInteger, .number, .string: self
        }
    }

    fileprivate func holdsMember(of names: Set<String>) -> Bool {
        switch self {
        case .object(let object):
            object.members.contains { names.contains($0.key) || $0.value.holdsMember(of: names) }
        case .array(let values): values.contains { $0.holdsMember(of: names) }
        case .null, .bool, .int, .bigInteger, .number, .string: false
        }
    }
}

extension ResponseDialect {
    /// The further token sets of an answer, without what is no token set.
    fileprivate func others(in object: JSONObject) -> [String: Secret] {
        var others: [String: Secret] = [:]
        for (name, paths) in tokens {
            guard let found = paths.value(in: .object(object))?.objectValue,
                found["access_token"]?.stringValue?.isEmpty == false
            else { continue }
            others[name] = Secret(JSONValue.object(found).serialize(), kind: .other)
        }
        return others
    }

    fileprivate func kept(of members: JSONObject) -> JSONObject {
        var kept: JSONObject = [:]
        for paths in keep {
            let value = paths.lazy.compactMap { $0.value(in: .object(members)) }.first
            if let value, let place = paths.first { place.place(value, in: &kept) }
        }
        return kept
    }
}
