package import JOSE
internal import OAuthProtocol

extension BoundDescriptor {
    /// The profile of the user, by the rules under `claims`.
    ///
    /// Without rules it holds the standard claims of OpenID Connect by their own names. Members without a value are left
    /// out. Where ID token and userinfo both have a member, that of the ID token counts: it is signed.
    ///
    /// - Parameters:
    ///   - claims: Checked claims of the ID token.
    ///   - userinfo: The answer of the userinfo endpoint.
    ///   - token: The token response, without its secrets.
    ///   - callback: What was captured of the callback, which nobody vouches for.
    ///   - additional: Answers to the requests under `userinfo.also`, by their names.
    ///   - unread: The members that there is something of, but nothing of their type.
    package func profile(
        claims: JSONObject?, userinfo: JSONObject?, token: JSONObject?, callback: JSONObject?,
        additional: [String: JSONValue], clientID: String, unread: inout [UnreadClaim]
    ) -> JSONObject {
        let facts = descriptor.claims
        var members = source(facts.source, claims, userinfo, token)
        guard !facts.rules.isEmpty else {
            return JSONObject(
                Self.standardClaims.compactMap { name in
                    members[name].flatMap { $0.isAbsent ? nil : (name, $0) }
                })
        }
        members["id_token"] = claims.map { .object($0) }
        members["userinfo"] = userinfo.map { .object($0) }
        members["token"] = token.map { .object($0) }
        members["callback"] = callback.map { .object($0) }
        for (name, value) in additional { members[name] = value }
        let inputs = DescriptorInputs(clientID: clientID).with(.claims, claims).with(.token, token)
            .with(.userinfo, userinfo).with(.callback, callback)
        var profile: [(String, JSONValue)] = []
        for (name, rule) in facts.rules {
            if let value = value(name, rule, .object(members), inputs, &unread) {
                profile.append((name, value))
            }
        }
        return JSONObject(profile)
    }

    private func source(
        _ source: ClaimsFacts.Source, _ claims: JSONObject?, _ userinfo: JSONObject?, _ token: JSONObject?
    ) -> JSONObject {
        switch source {
        case .idToken: return claims ?? [:]
        case .userinfo: return userinfo ?? [:]
        case .token: return token ?? [:]
        case .merge:
            var members = userinfo ?? [:]
            for (name, value) in claims ?? [:] where !value.isAbsent { members[name] = value }
            return members
        }
    }

    private func value(
        _ name: String, _ rule: ClaimsFacts.Rule, _ root: JSONValue, _ inputs: DescriptorInputs,
        _ unread: inout [UnreadClaim]
    ) -> JSONValue? {
        // OIDC Core §5.1: many number their people.
        let type = rule.type ?? (name == "sub" ? .string : nil)
        var lost: UnreadClaim?
        for origin in rule.origins {
            let found =
                switch origin {
                case .template(let text): self.text(text, inputs).map(JSONValue.string)
                case .path(let path): path.value(in: root)
                }
            guard let found, !found.isAbsent else { continue }
            guard let type else { return found }
            let value = type.convert(found)
            if !value.isAbsent { return value }
            lost = lost ?? UnreadClaim(name: name, type: type, value: found)
        }
        if let lost { unread.append(lost) }
        return nil
    }

    /// OpenID Connect Core §5.1.
    static let standardClaims = [
        "sub", "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username",
        "profile",
        "picture", "website", "email", "email_verified", "gender", "birthdate", "zoneinfo", "locale",
        "phone_number",
        "phone_number_verified", "address", "updated_at",
    ]
}

extension ClaimsFacts.ClaimType {
    /// The value as the type; null when it holds something else.
    fileprivate func convert(_ value: JSONValue) -> JSONValue {
        switch (self, value) {
        case (.string, .string), (.boolean, .bool), (.integer, .int), (.integer, .bigInteger),
            (.number, .int), (.number, .bigInteger), (.number, .number):
            value
        case (.string, .int(let number)): .string(String(number))
        case (.string, .bigInteger(let digits)): .string(digits)
        // Its last digits are lost: two people could become one.
        case (.string, .number(let number)) where abs(number) >= 0x1p53: .null
        case (.string, .number(let number)): .string(TextForm.text(of: .number(number)))
        case (.string, .bool(let flag)): .string(flag ? "true" : "false")
        case (.boolean, .int(0)): .bool(false)
        case (.boolean, .int(1)): .bool(true)
        case (.boolean, .string(let text)): Self.boolean(text).map(JSONValue.bool) ?? .null
        case (.integer, .string(let text)): Int64(text).map(JSONValue.int) ?? .null
        case (.integer, .number(let number)): Int64(exactly: number).map(JSONValue.int) ?? .null
        case (.number, .string(let text)): Self.number(text)
        case (.timestamp, _): Self.time(value, perSecond: 1)
        case (.timestampMilliseconds, _): Self.time(value, perSecond: 1000)
        case (.string, _), (.boolean, _), (.integer, _), (.number, _): .null
        }
    }

    private static func boolean(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }

    /// The last second that RFC 3339 can write; what comes later was meant in milliseconds.
    private static let lastSecond = 253_402_300_799.0

    private static func time(_ value: JSONValue, perSecond: Double) -> JSONValue {
        var count: Double?
        switch value {
        case .int(let number): count = Double(number)
        case .number(let number): count = number
        case .string(let text):
            if let milliseconds = CalendarDate.rfc3339(text) { return .int(milliseconds / 1000) }
            count = Double(text)
        case .null, .bool, .bigInteger, .array, .object: break
        }
        guard let seconds = count.map({ ($0 / perSecond).rounded(.down) }), abs(seconds) <= lastSecond
        else { return .null }
        return .int(Int64(seconds))
    }

    private static func number(_ text: String) -> JSONValue {
        guard let number = Double(text), number.isFinite else { return .null }
        return .number(number)
    }
}

extension JSONValue {
    /// Null and empty text: what some servers send for no value.
    fileprivate var isAbsent: Bool { isNull || self == .string("") }
}

extension ProviderDescriptor {
    /// Whether something of the profile comes from answers that are there before the UserInfo endpoint is asked: the
    /// ID token, the token response or the callback.
    package var hasProfileWithoutUserInfo: Bool {
        guard !claims.rules.isEmpty else {
            switch claims.source {
            case .idToken, .token: return true
            case .merge: return wireProtocol == .oidc && !idToken.isIgnored
            case .userinfo: return false
            }
        }
        return claims.rules.contains { $0.rule.origins.contains(where: isKnownWithoutUserInfo) }
    }

    private func isKnownWithoutUserInfo(_ origin: ClaimsFacts.Origin) -> Bool {
        let path: ValuePath
        switch origin {
        case .template(let text): return text.readsOtherAnswers
        case .path(let found): path = found
        }
        guard case .member(let first)? = path.segments.first else { return false }
        if ["id_token", "token", "callback"].contains(first) { return true }
        guard first != "userinfo", !userinfo.also.contains(where: { $0.name == first }) else { return false }
        switch claims.source {
        case .idToken, .token: return true
        case .userinfo: return false
        // Without an ID token there is nothing to merge the answer with.
        case .merge: return !issuesNoIDToken
        }
    }

    /// Whether nothing says that there are ID tokens.
    var issuesNoIDToken: Bool {
        wireProtocol == .oauth2 && idToken.isRequired != true && server.jwksURI == nil
    }

    /// The fields that a profile of this provider can have.
    package var profileFields: [String] {
        claims.rules.isEmpty ? BoundDescriptor.standardClaims : claims.rules.map(\.name)
    }
}
