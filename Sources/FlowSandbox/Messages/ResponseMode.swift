/// How an authorization response travels (OAuth 2.0 Multiple Response Types §2.1, Form Post, JARM §2.3).
enum ResponseMode: String, Sendable, Hashable, CaseIterable {
    case query
    case formPost = "form_post"
    /// For a code, as `query.jwt`.
    case jwt
    case queryJWT = "query.jwt"
    case formPostJWT = "form_post.jwt"

    /// Whether the parameters are the claims of a JWT.
    var isSecured: Bool {
        switch self {
        case .query, .formPost: false
        case .jwt, .queryJWT, .formPostJWT: true
        }
    }

    var isForm: Bool {
        switch self {
        case .query, .jwt, .queryJWT: false
        case .formPost, .formPostJWT: true
        }
    }

    /// The mode that differs from this one in how it travels only.
    func travelling(asForm: Bool) -> ResponseMode {
        isSecured ? (asForm ? .formPostJWT : .queryJWT) : (asForm ? .formPost : .query)
    }
}
