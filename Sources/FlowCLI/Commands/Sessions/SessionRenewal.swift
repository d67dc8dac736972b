internal import FlowEngine
internal import FlowLanguage

/// Whether a stored session can be refreshed, by what is stored and what the provider's file says.
enum SessionRenewal: Sendable, Hashable {
    case possible
    /// A token of the client itself, for which nobody signs in.
    case byClient
    /// The provider renews nothing, whatever it has given.
    case unsupported
    case noRefreshToken
    /// The refresh token has lived as long as the server said that it would.
    case ended
    /// The refresh token may be used up.
    case inDoubt

    /// - Parameters:
    ///   - library: Where the provider's file is; one that is gone or has mistakes says nothing.
    ///   - now: Milliseconds since 1970.
    init(_ session: SessionSummary, _ library: Library, _ now: Int64) {
        let label = session.label
        if label.isClients {
            self = .byClient
            return
        }
        let refresh = try? library.provider(label.provider, environment: label.environment).descriptor.refresh
        switch refresh {
        case let refresh? where !refresh.isSupported: self = .unsupported
        case let refresh? where refresh.subject != .refreshToken: self = .possible
        case nil, .some:
            // One that may be sent twice is in no doubt.
            let mayRepeat = session.isInDoubt && refresh?.rotation == .reusable
            let hasToken = session.hasRefreshToken || session.isInDoubt
            if hasToken, let end = session.refreshExpiresAt, now >= end {
                self = .ended
                return
            }
            self =
                session.hasRefreshToken || mayRepeat
                ? .possible : session.isInDoubt ? .inDoubt : .noRefreshToken
        }
    }

    var words: String {
        switch self {
        case .possible: "can be refreshed"
        case .byClient: "flowrun token --client-credentials asks for another"
        case .unsupported: "the provider refreshes nothing"
        case .noRefreshToken: "no refresh token"
        case .ended: "the refresh token has ended"
        case .inDoubt: "the refresh token may be used up, so it is not sent again"
        }
    }
}

extension SessionLabel {
    /// Whether it names a token of the client itself, as the flow client-credentials keeps it.
    var isClients: Bool { key?.hasPrefix("client:") == true }
}
