internal import JOSE
internal import OAuthProtocol

/// New unguessable texts, drawn before the lock is taken.
struct IssueNames: Sendable {
    let accessToken: String
    let refreshToken: String

    init(_ provider: SandboxProvider) {
        accessToken = provider.newToken()
        refreshToken = provider.newToken()
    }
}

/// What is to be answered, decided under the lock and signed outside it.
struct Issue: Sendable {
    let accessToken: String
    /// Seconds.
    let lifetime: Int64
    let part: TokenPart
    let details: [JSONObject]
    let refreshToken: String?
    let idToken: SignedDraft?
    let keys: SandboxKeys
    /// A key was to be made and could not be.
    let failure: SandboxError?
}

/// Which part of a grant one access token stands for.
struct TokenPart: Sendable, Hashable {
    let scopes: [String]
    /// Empty for any.
    let resources: [String]
    /// The thumbprint of the key that it is bound to.
    let key: String?
}

extension Grant {
    /// - Throws: `invalid_target` for a service that the person was not asked about (RFC 8707 §2.2).
    func part(scopes: [String], resources wanted: [String], key: String?) throws(RequestFlaw) -> TokenPart {
        guard resources.isEmpty || wanted.allSatisfy(resources.contains) else {
            throw RequestFlaw("invalid_target", "the resource is none of the authorization request")
        }
        return TokenPart(scopes: scopes, resources: wanted.isEmpty ? resources : wanted, key: key)
    }
}

extension SandboxProvider {
    /// Records new tokens for a grant.
    func issue(
        _ grant: Grant, _ part: TokenPart, nonce: String?, hasRefreshToken: Bool, _ names: IssueNames,
        _ state: inout SandboxState, now: Int64
    ) -> Issue {
        let lifetime = state.faults.hit(.access).reduce(configuration.lifetimes.accessToken) {
            lifetime, action in
            if case .accessLifetime(let seconds) = action { seconds } else { lifetime }
        }
        let access = AccessRecord(
            grantID: grant.id, scopes: part.scopes, expiresAt: now + lifetime * 1000, key: part.key,
            resources: part.resources)
        let accessToken =
            configuration.writesAccessTokensAsJWT
            ? TokenClaims.sample(id: names.accessToken, end: now / 1000 + lifetime) : names.accessToken
        state.ledger.issue(accessToken: TokenHash(of: accessToken), access, now: now / 1000)
        if hasRefreshToken {
            state.ledger.issue(refreshToken: TokenHash(of: names.refreshToken), for: grant)
        }
        var failure: SandboxError?
        let idToken = draft(grant, part.scopes, nonce, accessToken, &state, &failure, now: now)
        return Issue(
            accessToken: accessToken, lifetime: lifetime, part: part, details: grant.details,
            refreshToken: hasRefreshToken ? names.refreshToken : nil, idToken: idToken, keys: state.keys,
            failure: failure)
    }

    /// The ID token, if `openid` is in scope, with the defects that are due; rotates the key if that is due.
    private func draft(
        _ grant: Grant, _ scopes: [String], _ nonce: String?, _ accessToken: String,
        _ state: inout SandboxState, _ failure: inout SandboxError?, now: Int64
    ) -> SignedDraft? {
        guard scopes.contains(Scope.openID), let user = configuration.user(grant.username) else { return nil }
        var draft = IDTokenDraft.make(
            grant: grant, user: user, nonce: nonce, beside: .accessToken(accessToken), now: now / 1000,
            configuration: configuration)
        for action in state.faults.hit(.idtoken) {
            if case .idToken(let defect) = action { draft.apply(defect) }
            guard action == .rotateKeys else { continue }
            do throws(SandboxError) {
                try state.keys.rotate(configuration.algorithm)
            } catch {
                failure = error
            }
        }
        return draft
    }

    /// - SeeAlso: RFC 6749 §5.1, OIDC Core §3.1.3.3
    ///
    /// - Parameter further: Members that only some grants have; one of the same name counts.
    func answer(_ issue: Issue, _ further: JSONObject, fields: [HTTPField]) -> HTTPResponse {
        var body: JSONObject = [
            "access_token": .string(issue.accessToken),
            "token_type": .string(issue.part.key == nil ? "Bearer" : DPoPProof.scheme),
            "expires_in": .int(issue.lifetime),
        ]
        // A scope has one token at least (RFC 6749 §3.3).
        if !issue.part.scopes.isEmpty {
            body["scope"] = .string(issue.part.scopes.joined(separator: " "))
        }
        if !issue.details.isEmpty {
            body["authorization_details"] = .array(issue.details.map(JSONValue.object))
        }
        for (name, value) in further { body[name] = value }
        body["refresh_token"] = issue.refreshToken.map(JSONValue.string)
        do throws(SandboxError) {
            if let failure = issue.failure { throw failure }
            let idToken = try issue.idToken?.signed(issue.keys, configuration.algorithm)
            body["id_token"] = idToken.flatMap { $0 }.map(JSONValue.string)
        } catch {
            return Answer.text(500, "The sandbox cannot sign an ID token.")
        }
        return Answer.json(body, fields: Answer.noStore + fields)
    }
}
