/// Checks of the messages that extend OAuth 2.0 and OpenID Connect Core.
extension Checks {
    // Proof of possession (RFC 9449, RFC 8705).
    package static let confirmation = Check(84, "cnf", "RFC 9449 §6, RFC 8705 §3.1", protects: true)

    // Pushed authorization request (RFC 9126).
    package static let pushedStatus = Check(40, "par-status", "RFC 9126 §2.2 and §2.3")
    package static let pushedContentType = Check(40, "par-content-type", "RFC 9126 §2.2")
    package static let pushedError = Check(40, "par-error", "RFC 9126 §2.3")
    package static let pushedBody = Check(40, "par-body", "RFC 9126 §2.2, RFC 8259")
    package static let requestURI = Check(40, "request_uri", "RFC 9126 §2.2")
    package static let requestURILifetime = Check(40, "par-expires_in", "RFC 9126 §2.2")

    // Authorization response that is a JWT (JARM).
    package static let securedResponse = Check(72, "jarm-response", "JARM §2.3", protects: true)
    package static let securedFormat = Check(72, "jarm-format", "JARM §2.1")
    package static let securedIssuer = Check(72, "jarm-iss", "JARM §2.4 (3)", protects: true)
    package static let securedAudience = Check(72, "jarm-aud", "JARM §2.4 (4)", protects: true)
    package static let securedExpiry = Check(72, "jarm-exp", "JARM §2.4 (5)", protects: true)

    // What was asked for, and what was granted.
    package static let scopeChange = Check(93, "scope-granted", "RFC 6749 §3.3 and §5.1")
    package static let authorizationDetails = Check(42, "authorization_details", "RFC 9396 §7")

    // ID token of an authorization response (hybrid flow).
    package static let answeredToken = Check(6, "answer-id_token", "OIDC Core §3.3.2.5", protects: true)
    package static let answeredIssuer = Check(6, "answer-iss", "OIDC Core §3.3.3.6", protects: true)
    package static let answeredSubject = Check(6, "answer-sub", "OIDC Core §3.3.3.6", protects: true)

    // Claims of an ID token.
    package static let stateHash = Check(130, "s_hash", "FAPI 1.0 Part 2 §5.1.1", protects: true)
    package static let refreshAudience = Check(145, "refresh-aud", "OIDC Core §12.2", protects: true)
    package static let refreshAuthorizedParty = Check(145, "refresh-azp", "OIDC Core §12.2", protects: true)

    // A token that somebody else asked for (RFC 9068).
    package static let issuedTokenFormat = Check(100, "jwt-format", "RFC 7515 §7.1")
    package static let issuedTokenClaims = Check(102, "jwt-claims", "RFC 7519 §7.2")
    package static let issuedTokenIssuer = Check(120, "jwt-iss", "RFC 9068 §4", protects: true)
    package static let issuedTokenAudience = Check(121, "jwt-aud", "RFC 9068 §4", protects: true)
    package static let issuedTokenExpiry = Check(123, "jwt-exp", "RFC 9068 §4", protects: true)
    package static let issuedTokenTime = Check(124, "jwt-iat", "RFC 7519 §4.1.6", protects: true)

    // Introspection response that is a JWT (RFC 9701).
    package static let signedIntrospection = Check(
        158, "introspection-signed", "RFC 9701 §5", protects: true)
    package static let signedIntrospectionFormat = Check(
        158, "introspection-format", "RFC 9701 §5")
    package static let signedIntrospectionType = Check(
        158, "introspection-typ", "RFC 9701 §5", protects: true)
    package static let signedIntrospectionIssuer = Check(
        158, "introspection-iss", "RFC 9701 §5", protects: true)
    package static let signedIntrospectionAudience = Check(
        158, "introspection-aud", "RFC 9701 §5", protects: true)
    package static let signedIntrospectionTime = Check(
        158, "introspection-iat", "RFC 9701 §5", protects: true)
    package static let signedIntrospectionBody = Check(
        158, "token_introspection", "RFC 9701 §5", protects: true)

    // Dynamic client registration and its management (RFC 7591, RFC 7592).
    package static let registrationStatus = Check(9, "registration-status", "RFC 7591 §3.2")
    package static let registrationContentType = Check(
        9, "registration-content-type", "RFC 7591 §3.2.1")
    package static let registrationError = Check(9, "registration-error", "RFC 7591 §3.2.2")
    package static let registrationBody = Check(9, "registration-body", "RFC 7591 §3.2.1, RFC 8259")
    package static let registeredClient = Check(9, "registration-client_id", "RFC 7591 §3.2.1")
    package static let registeredSecret = Check(9, "registration-client_secret", "RFC 7591 §3.2.1")
    package static let registrationManagement = Check(
        9, "registration_client_uri", "RFC 7592 §3")
    package static let registeredMetadata = Check(9, "registration-metadata", "RFC 7591 §3.2.1")

    // What the authorization request asks of the server, and what of the connection.
    package static let pkce = Check(29, "pkce", "RFC 9700 §2.1.1", protects: true)
    package static let pkceMethod = Check(23, "pkce-method", "RFC 7636 §7.2", protects: true)
    package static let plainHTTP = Check(1, "http", "RFC 8252 §7.3, RFC 8414 §2")
    package static let address = Check(28, "address", "RFC 9728 §7.7")
    package static let compressedResponse = Check(166, "compressed-response", "RFC 8725 §3.6")
}
