internal import JOSE

/// Everything that the sandbox has issued and not forgotten.
///
/// A value without clock and randomness: times and new names come from the caller.
struct GrantLedger: Sendable {
    /// Requests on a page, by an unguessable name.
    private var pending: [String: PendingAuthorization] = [:]
    private var codes: [TokenHash: CodeRecord] = [:]
    /// Sign-ins on other devices, by the device's code.
    private var devices: [TokenHash: DeviceRecord] = [:]
    /// Pushed requests, by the end of their request_uri.
    private var pushed: [TokenHash: PushedRecord] = [:]
    /// What may be used once, such as the `jti` of an assertion, and when it is over in seconds since 1970.
    private var used: [TokenHash: Int64] = [:]
    /// Clients that registered themselves.
    private(set) var clients: [String: DynamicClient] = [:]
    private(set) var grants: [String: Grant] = [:]
    private(set) var accessTokens: [TokenHash: AccessRecord] = [:]
    private(set) var refreshTokens: [TokenHash: RefreshRecord] = [:]
    /// How many records there may be before the dead ones are swept out.
    private var sweepAt = 4096

    init() {}

    init(
        grants: [String: Grant], accessTokens: [TokenHash: AccessRecord],
        refreshTokens: [TokenHash: RefreshRecord], clients: [String: DynamicClient] = [:]
    ) {
        self.clients = clients
        self.grants = grants
        self.accessTokens = accessTokens
        self.refreshTokens = refreshTokens
    }
}

// MARK: - The page

extension GrantLedger {
    mutating func open(_ authorization: PendingAuthorization, id: String, now: Int64) {
        sweep(now)
        pending[id] = authorization
    }

    /// The request that a form belongs to; `nil` when it is unknown or over, or the form is not ours.
    func pending(id: String, formToken: String, now: Int64) -> PendingAuthorization? {
        guard let found = pending[id], found.expiresAt > now,
            ConstantTime.equal(found.formToken, formToken)
        else { return nil }
        return found
    }

    mutating func signIn(_ signIn: PendingAuthorization.SignIn, id: String) {
        pending[id]?.signedIn = signIn
    }

    /// Ends the wait.
    ///
    /// - Returns: Whether it was still going on; of two answers from one page the second gets `false`.
    mutating func close(id: String) -> Bool { pending.removeValue(forKey: id) != nil }
}

// MARK: - Codes

extension GrantLedger {
    mutating func issue(_ code: TokenHash, _ record: CodeRecord, now: Int64) {
        sweep(now)
        codes[code] = record
    }

    /// Spends a code.
    ///
    /// The code is gone after the first attempt of its own client, whether that succeeds or not.
    ///
    /// - Parameters:
    ///   - codeChallenge: Made from the verifier that came with the code.
    ///   - key: The one that the client has just proved to hold.
    /// - Throws: `invalid_grant`. A code that was spent before also revokes what was issued for it.
    /// - SeeAlso: RFC 6749 §4.1.2 and §4.1.3, RFC 7636 §4.6
    mutating func redeem(
        _ code: TokenHash, clientID: String, redirectURI: String, codeChallenge: String, key: String?,
        now: Int64
    ) throws(RequestFlaw) -> Grant {
        guard let record = codes[code], record.grant.clientID.hasBytes(of: clientID) else {
            throw .invalidGrant("the code is unknown or belongs to another client")
        }
        guard !record.isSpent else {
            grants[record.grant.id] = nil
            throw .invalidGrant("the code was used before: what was issued for it is revoked")
        }
        codes[code]?.isSpent = true
        guard record.expiresAt > now else { throw .invalidGrant("the code is expired") }
        guard record.redirectURI.hasBytes(of: redirectURI) else {
            throw .invalidGrant("redirect_uri is not that of the authorization request")
        }
        guard ConstantTime.equal(record.codeChallenge, codeChallenge) else {
            throw .invalidGrant("code_verifier does not fit the code_challenge")
        }
        guard record.key == nil || record.key == key else {
            throw .invalidGrant("the code is bound to another key")
        }
        grants[record.grant.id] = record.grant
        return record.grant
    }
}

// MARK: - Tokens

extension GrantLedger {
    /// - Parameter now: Seconds since 1970.
    mutating func issue(accessToken: TokenHash, _ record: AccessRecord, now: Int64) {
        sweep(now)
        accessTokens[accessToken] = record
    }

    mutating func issue(refreshToken: TokenHash, for grant: Grant) {
        refreshTokens[refreshToken] = RefreshRecord(grantID: grant.id)
    }

    /// Finds the grant of a refresh token that may be used now.
    ///
    /// - Throws: `invalid_grant`. A token that was rotated away revokes its whole family.
    /// - SeeAlso: RFC 6749 §6, RFC 9700 §4.14.2
    mutating func grant(
        refreshToken: TokenHash, clientID: String, key: String?
    ) throws(RequestFlaw) -> Grant {
        guard let record = refreshTokens[refreshToken], let grant = grants[record.grantID] else {
            throw .invalidGrant("the refresh token is unknown or revoked")
        }
        guard grant.clientID.hasBytes(of: clientID) else {
            throw .invalidGrant("the refresh token belongs to another client")
        }
        guard !record.isSpent else {
            grants[grant.id] = nil
            throw .invalidGrant("the refresh token was used before: all tokens of the sign-in are revoked")
        }
        guard grant.refreshKey == nil || grant.refreshKey == key else {
            throw .invalidGrant("the refresh token is bound to another key")
        }
        return grant
    }

    mutating func spend(refreshToken: TokenHash) {
        refreshTokens[refreshToken]?.isSpent = true
    }

    /// The grant that a live access token stands for, and what is the token's own.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func access(_ token: TokenHash, now: Int64) -> (grant: Grant, record: AccessRecord)? {
        guard let record = accessTokens[token], record.expiresAt > now, let grant = grants[record.grantID]
        else { return nil }
        return (grant, record)
    }

    /// Makes a token worthless if it is the client's: an access token alone, a refresh token with its whole family.
    ///
    /// - SeeAlso: RFC 7009 §2.1
    mutating func revoke(_ token: TokenHash, clientID: String) {
        if let record = accessTokens[token], grants[record.grantID]?.clientID.hasBytes(of: clientID) == true {
            accessTokens[token] = nil
        }
        if let record = refreshTokens[token], grants[record.grantID]?.clientID.hasBytes(of: clientID) == true
        {
            grants[record.grantID] = nil
        }
    }

    /// Keeps a grant that came without a code.
    mutating func keep(_ grant: Grant) { grants[grant.id] = grant }

    /// Forgets what is over, once there is much of it.
    ///
    /// A spent code is remembered for ten minutes more, to notice that somebody uses it again.
    private mutating func sweep(_ now: Int64) {
        guard recordCount > sweepAt else { return }
        pending = pending.filter { $0.value.expiresAt > now }
        pushed = pushed.filter { $0.value.expiresAt > now }
        used = used.filter { $0.value > now }
        codes = codes.filter { $0.value.expiresAt + 600 > now }
        devices = devices.filter { $0.value.expiresAt + 600 > now }
        accessTokens = accessTokens.filter { $0.value.expiresAt > now * 1000 }
        let used = Set(accessTokens.values.map(\.grantID))
        grants = grants.filter { $0.value.isOffline || used.contains($0.key) }
        refreshTokens = refreshTokens.filter { grants[$0.value.grantID] != nil }
        sweepAt = max(4096, 2 * recordCount)
    }

    private var recordCount: Int {
        pending.count + codes.count + accessTokens.count + refreshTokens.count + pushed.count + used.count
    }
}

// MARK: - Other devices

extension GrantLedger {
    mutating func open(_ device: DeviceRecord, code: TokenHash, now: Int64) {
        sweep(now)
        devices[code] = device
    }

    /// Takes the decision of the person who entered the code.
    ///
    /// - Parameter signIn: `nil` for a refusal.
    /// - Returns: Whether a device waits for it.
    mutating func decide(userCode: String, _ signIn: PendingAuthorization.SignIn?, now: Int64) -> Bool {
        let found = devices.first {
            ConstantTime.equal($0.value.userCode, userCode) && $0.value.expiresAt > now
                && $0.value.decision == .pending
        }
        guard let found else { return false }
        devices[found.key]?.decision = signIn.map { .allowed($0) } ?? .refused
        return true
    }

    /// Answers a device that asks.
    ///
    /// - Parameters:
    ///   - codeChallenge: Made from the verifier that came with the question; `nil` where none did.
    ///   - now: Milliseconds since 1970.
    /// - Throws: The errors of RFC 8628 §3.5, and `invalid_grant` for a code that is unknown or used, or belongs to
    ///   another challenge (RFC 7636 §4.6).
    mutating func poll(
        _ code: TokenHash, clientID: String, codeChallenge: String?, now: Int64
    ) throws(RequestFlaw) -> (record: DeviceRecord, signIn: PendingAuthorization.SignIn) {
        guard var record = devices[code], record.clientID.hasBytes(of: clientID) else {
            throw .invalidGrant("the device code is unknown or was used")
        }
        guard ConstantTime.equal(record.codeChallenge ?? "", codeChallenge ?? "") else {
            throw .invalidGrant("code_verifier does not fit the code_challenge of the device's request")
        }
        guard record.expiresAt * 1000 > now else {
            devices[code] = nil
            throw RequestFlaw("expired_token", "nobody entered the code in time")
        }
        // Clocks and wake-ups are not exact to the millisecond.
        let isHasty = record.polledAt.map { now - $0 < record.interval * 1000 - 100 } ?? false
        record.polledAt = now
        if isHasty { record.interval += 5 }
        devices[code] = record
        if isHasty { throw RequestFlaw("slow_down", "asked before the interval was over") }
        switch record.decision {
        case .pending: throw RequestFlaw("authorization_pending", "nobody has decided yet")
        case .refused:
            devices[code] = nil
            throw RequestFlaw("access_denied", "the person refused")
        case .allowed(let signIn):
            devices[code] = nil
            return (record, signIn)
        }
    }
}

// MARK: - Once only

extension GrantLedger {
    /// Remembers that something was used.
    ///
    /// - Parameters:
    ///   - expiry: When nobody can use it any more, in seconds since 1970.
    ///   - now: Seconds since 1970.
    /// - Returns: Whether it was used for the first time.
    mutating func use(_ name: TokenHash, until expiry: Int64, now: Int64) -> Bool {
        sweep(now)
        guard used[name].map({ $0 > now }) != true else { return false }
        used[name] = expiry
        return true
    }

    mutating func push(_ name: TokenHash, _ record: PushedRecord, now: Int64) {
        sweep(now)
        pushed[name] = record
    }

    /// Takes a pushed request, which then is gone (RFC 9126 §4).
    ///
    /// - Returns: `nil` when it is unknown, over, or of another client, which leaves it alone.
    mutating func takePushed(_ name: TokenHash, clientID: String, now: Int64) -> AcceptedRequest? {
        guard let record = pushed[name], record.request.clientID.hasBytes(of: clientID) else { return nil }
        pushed[name] = nil
        return record.expiresAt > now ? record.request : nil
    }
}

// MARK: - Clients that registered themselves

extension GrantLedger {
    mutating func register(_ client: DynamicClient) { clients[client.client.id] = client }

    /// Ends a registration, and everything that was granted to the client.
    mutating func unregister(_ id: String) {
        clients[id] = nil
        grants = grants.filter { !$0.value.clientID.hasBytes(of: id) }
    }
}
