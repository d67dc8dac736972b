internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// A checked token response as a token set and as the fields of the step that asked for it.
enum ReceivedTokens {
    static func set(
        _ response: TokenResponse, origin: TokenSet.Origin, asked: [String],
        for target: AccessTarget = .whole, previous: TokenSet?, _ scope: StepScope,
        _ registers: Registers
    ) -> TokenSet {
        let provider = scope.provider
        // A flow that expects none verifies none: what comes all the same is nobody's to use.
        let expectsIDToken = scope.plan.program.providers[scope.providerIndex].expectsIDToken ?? true
        let keepsOld = provider.descriptor.refresh.onMissingRefreshToken == .keep
        var set = TokenSet(
            TokenSet.Parts(
                origin: origin, issuer: provider.sessionIssuer, clientID: provider.registration.clientID,
                accessToken: response.accessToken, tokenType: response.tokenType,
                expiresAt: response.expiresAt
                    ?? response.expiresIn.map { registers.sentAt + Int64(clamping: $0) &* 1000 },
                refreshToken: response.refreshToken ?? (keepsOld ? previous?.refreshToken : nil),
                refreshExpiresAt: refreshEnd(response, previous, registers),
                idToken: expectsIDToken ? response.idToken : nil,
                scopes: response.scopes.map {
                    provider.granted($0, readBy: provider.descriptor.token.response)
                } ?? asked,
                subject: previous?.subject, tokenIssuer: previous?.tokenIssuer, nonce: previous?.nonce,
                authTime: previous?.authTime,
                acr: previous?.acr,
                obtainedAt: previous?.obtainedAt ?? registers.now,
                refreshedAt: previous == nil ? nil : registers.now,
                members: response.members.over(previous?.kept), captured: previous?.captured ?? [:],
                others: (previous?.others ?? [:]).merging(response.others) { $1 },
                kept: response.kept.over(previous?.kept), stored: previous?.stored))
        set.lifetime = set.expiresAt.map { $0 - registers.sentAt }
        set.isSubjectAsserted = previous?.isSubjectAsserted ?? false
        set.meta = previous?.meta ?? [:]
        set.destinations = previous?.destinations
        set.target = target
        if let previous {
            // An answer for a part says nothing about the whole.
            set.grantedScopes = target.isWhole ? nil : previous.granted
            set.earlierIDToken = previous.idToken ?? previous.earlierIDToken
            set.held = previous.accessTokens.filter { $0.target != target }
            set.dropStaleTokens(now: registers.now)
        }
        set.audiences = previous?.audiences ?? []
        set.authorizedParty = previous?.authorizedParty
        if response.tokenType.equalsIgnoringASCIICase(DPoPProof.scheme) {
            set.proofKey = previous?.proofKey ?? registers.proofKeys[scope.providerIndex]
        }
        return set
    }

    /// When the refresh token ends: as the answer says, or else as before where it brings no other one.
    private static func refreshEnd(
        _ response: TokenResponse, _ previous: TokenSet?, _ registers: Registers
    ) -> Int64? {
        response.refreshExpiresAt
            ?? response.refreshExpiresIn.map { registers.sentAt + Int64(clamping: $0) &* 1000 }
            ?? ([nil, previous?.refreshToken].contains(response.refreshToken)
                ? previous?.refreshExpiresAt : nil)
    }

    static func secrets(_ response: TokenResponse) -> [Secret] {
        [response.accessToken, response.refreshToken, response.idToken].compactMap(\.self)
            + AnswerScreen.secrets(amongFurther: response.members)
            + response.others.values.flatMap { other -> [Secret] in
                // It was written here, of an object.
                let members = (try? JSON.parse(Array(other.reveal().utf8)))?.objectValue
                return ["access_token", "refresh_token"].compactMap { name in
                    members?[name]?.stringValue.map { Secret($0, kind: .accessToken) }
                }
            }
    }

    /// The values of flow/1 §6 "token fields", in the order of the kind table.
    static func fields(_ set: TokenSet, expiresIn: Int?, asked: [String], source: String) -> [Value] {
        let missing = asked.filter { !set.scopes.contains($0) }
        return [
            .secret(set.accessToken), .string(set.tokenType), set.expiresAt.map(Value.time) ?? .null,
            expiresIn.map { .int(Int64($0)) } ?? .null, set.refreshToken.map(Value.secret) ?? .null,
            set.idToken.map(Value.secret) ?? .null, .list(set.scopes.map(Value.string)),
            .list(missing.map(Value.string)), .string(source),
        ]
    }

    /// Says so where the lifetime is hardly what the provider means: it is believed all the same.
    ///
    /// - Parameter operation: By whose rules the answer was read.
    static func doubt(
        _ response: TokenResponse, readBy operation: OperationFacts, _ registers: inout Registers
    ) {
        guard let written = response.writtenLifetime, let doubt = written.doubt(now: registers.now) else {
            return
        }
        let file = operation.responseSource?.place ?? "the provider's file"
        let way =
            doubt.likely.map { "if it means \($0.meaning): types: { \(written.member): \($0.rawValue) }" }
            ?? "if it means that the token does not end: absent: { \(written.member): [VALUE] }"
        registers.notes.add(
            .warning("\(doubt.reading), which is hard to believe; \(way) in \(file) (response)"))
    }

    static func summary(_ set: TokenSet, expiresIn: Int?, asked: [String]) -> String {
        var parts = ["\(set.tokenType) access token"]
        if let expiresIn { parts.append("expires in \(expiresIn) s") }
        parts.append(set.refreshToken == nil ? "no refresh token" : "refresh token")
        if set.idToken != nil { parts.append("ID token") }
        if !set.others.isEmpty {
            parts.append("also tokens for \(set.others.keys.sorted().joined(separator: ", "))")
        }
        let missing = asked.filter { !set.scopes.contains($0) }
        let added = asked.isEmpty ? [] : set.scopes.filter { !asked.contains($0) }
        if !missing.isEmpty { parts.append("scope without \(missing.joined(separator: " "))") }
        if !added.isEmpty { parts.append("scope also \(added.joined(separator: " "))") }
        if missing.isEmpty, added.isEmpty { parts.append("scope as asked") }
        return parts.joined(separator: ", ")
    }
}

extension JSONObject {
    /// These members, and those of the other that are not among them.
    fileprivate func over(_ other: JSONObject?) -> JSONObject {
        guard let other, !other.isEmpty else { return self }
        var result = self
        for (name, value) in other where result[name] == nil { result[name] = value }
        return result
    }
}

extension ResponseDialect.MemberType {
    /// What a lifetime that is written so is, in words.
    fileprivate var meaning: String {
        switch self {
        case .seconds: "seconds"
        case .minutes: "minutes"
        case .milliseconds: "milliseconds"
        case .epoch: "a time in seconds since 1970"
        case .epochMilliseconds: "a time in milliseconds since 1970"
        case .duration, .iso8601, .jwt, .list, .space, .comma: rawValue
        }
    }
}
