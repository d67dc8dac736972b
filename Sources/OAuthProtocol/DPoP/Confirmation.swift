package import JOSE

/// What a token is bound to, by the thumbprint that its claim `cnf` names (RFC 7800 §3.1).
package enum TokenBinding: Sendable, Hashable {
    /// `jkt`: the JWK thumbprint of the key of DPoP proofs (RFC 9449 §6).
    case key(thumbprint: String)
    /// `x5t#S256`: the SHA-256 of the client's certificate (RFC 8705 §3.1).
    case certificate(thumbprint: String)

    fileprivate var member: String {
        switch self {
        case .key: "jkt"
        case .certificate: "x5t#S256"
        }
    }

    fileprivate var thumbprint: String {
        switch self {
        case .key(let thumbprint), .certificate(let thumbprint): thumbprint
        }
    }
}

/// The claim `cnf` where a client gets to see it: in an introspection response, in a token that is a JWT.
package enum Confirmation {
    /// Compares the binding that a token's claims show with our own.
    ///
    /// - Parameter isRequired: Whether a token without `cnf` is refused; a server need not show it.
    /// - Throws: `failed` for another key or certificate.
    package static func check(
        _ claims: JSONObject, _ binding: TokenBinding, isRequired: Bool = false, log: inout CheckLog
    ) throws(ProtocolError) {
        let found = claims["cnf"]?[binding.member]
        guard let found else {
            guard !isRequired else {
                throw log.failure(
                    Checks.confirmation, expected: "cnf with \(binding.member)",
                    actual: claims["cnf"] == nil ? "no cnf" : "a cnf without it")
            }
            return log.skip(
                Checks.confirmation, because: "the server does not show what the token is bound to")
        }
        try log.require(
            found.stringValue.map { ConstantTime.equal($0, binding.thumbprint) } ?? false,
            Checks.confirmation, expected: "the thumbprint of our own", actual: "another")
    }
}
