internal import FlowEngine
internal import OAuthProtocol

/// A stored session, read.
struct StoredTokens: Sendable {
    private var set: TokenSet
    let session: Session

    init(set: TokenSet, canRefresh: Bool) {
        self.set = set
        session = Session(
            subject: set.subject, issuer: set.issuer, scopes: set.granted, expiresAt: set.expiresAt,
            canRefresh: canRefresh, meta: set.meta)
    }

    /// The same with the access token for that target in use.
    func use(_ target: AccessTarget) -> StoredTokens {
        var copy = self
        copy.set.use(target)
        return copy
    }

    var tokens: FlowResult.Tokens { FlowResult.Tokens(set) }

    func isExpired(at now: Int64, margin: Int64) -> Bool { set.isExpired(at: now, margin: margin) }
}
