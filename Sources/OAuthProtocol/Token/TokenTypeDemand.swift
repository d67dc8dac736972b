/// Which types of access token a client takes: it must understand the one it gets (RFC 6749 §7.1).
package enum TokenTypeDemand: Sendable, Hashable, CaseIterable {
    case bearer
    /// The request had a proof, and a token that is not bound to its key is refused (RFC 9449 §5).
    case dpop
    /// The request had a proof, but a server that knows no DPoP may answer with a bearer token.
    case dpopOrBearer

    /// Compared without case (RFC 6749 §5.1).
    func allows(_ type: String) -> Bool { types.contains { $0.equalsIgnoringASCIICase(type) } }

    var words: String { types.joined(separator: " or ") }

    private var types: [String] {
        switch self {
        case .bearer: ["Bearer"]
        case .dpop: [DPoPProof.scheme]
        case .dpopOrBearer: [DPoPProof.scheme, "Bearer"]
        }
    }
}
