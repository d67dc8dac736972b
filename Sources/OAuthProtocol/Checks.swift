/// Every check of this layer: its number among the security rules, the name that traces print, and its
/// source.
package enum Checks {
    // Metadata.
    package static let metadataIssuer = Check(
        12, "metadata-issuer", "RFC 8414 §3.3, OIDC Discovery §4.3", protects: true)
    package static let protectedResource = Check(12, "resource", "RFC 9728 §3.3", protects: true)
    package static let metadataStatus = Check(13, "metadata-status", "OIDC Discovery §4.2")
    package static let metadataContentType = Check(14, "metadata-content-type", "RFC 8414 §3.2")
    package static let metadataMember = Check(15, "metadata-member", "RFC 8414 §2")
    package static let metadataEndpointSecure = Check(
        16, "metadata-endpoint-secure", "RFC 8414 §6.1", protects: true)
    package static let metadataEndpointURL = Check(
        18, "metadata-endpoint-url", "RFC 6749 §3.1", protects: true)
    package static let metadataJSON = Check(26, "metadata-json", "RFC 8414 §3.2")

    // Authorization response.
    package static let state = Check(55, "state", "RFC 6749 §10.12", protects: true)
    package static let duplicateParameter = Check(57, "duplicate-parameter", "RFC 6749 §3.1")
    package static let iss = Check(58, "iss", "RFC 9207 §2.4", protects: true)
    package static let authorizationError = Check(59, "error", "RFC 6749 §4.1.2.1")
    package static let code = Check(60, "code", "RFC 6749 §4.1.2")

    // Token response.
    package static let tokenStatus = Check(86, "token-status", "RFC 6749 §5.1")
    package static let tokenContentType = Check(87, "token-content-type", "RFC 6749 §5.1")
    package static let tokenError = Check(88, "token-error", "RFC 6749 §5.2")
    package static let accessToken = Check(89, "access_token", "RFC 6749 §5.1, RFC 6750 §2.1")
    package static let tokenType = Check(90, "token_type", "RFC 6749 §7.1", protects: true)
    package static let expiresIn = Check(91, "expires_in", "RFC 6749 §5.1")
    package static let scope = Check(93, "scope", "RFC 6749 §5.1")
    package static let tokenMember = Check(95, "token-member", "RFC 6749 §5.1")
    package static let tokenBody = Check(97, "token-body", "RFC 6749 §5.1, RFC 8259")

    // Where a request goes.
    package static let redirect = Check(83, "redirect", "RFC 9700 §4.12", protects: true)
    package static let endpointHost = Check(62, "endpoint-host", "RFC 9700 §4.4", protects: true)
    package static let callbackCapture = Check(60, "callback-parameter", "RFC 6749 §4.1.2")
    // A callback that a provider signs in its own way.

    package static let callbackSignature = Check(63, "callback-signature", "RFC 9700 §4.7", protects: true)

    // Key set.

    package static let keySetStatus = Check(112, "jwks-status", "OIDC Core §10.1.1")
    package static let keySet = Check(115, "jwks", "RFC 7517 §5")

    // Signature of an ID token.
    package static let tokenFormat = Check(100, "id_token-format", "RFC 7515 §7.1")
    package static let algorithm = Check(103, "alg", "RFC 8725 §3.1", protects: true)
    package static let critical = Check(108, "crit", "RFC 7515 §4.1.11", protects: true)
    package static let keyReference = Check(109, "header-key", "RFC 8725 §3.10", protects: true)
    package static let tokenTypeHeader = Check(110, "typ", "RFC 8725 §3.11", protects: true)
    package static let key = Check(112, "kid", "OIDC Core §10.1.1", protects: true)
    package static let idTokenPresent = Check(94, "id_token-present", "OIDC Core §3.1.3.3", protects: true)
    package static let signature = Check(107, "signature", "RFC 7515 §5.2", protects: true)

    // Encryption of a token, around its signature.
    package static let encryptedFormat = Check(100, "jwe-format", "RFC 7516 §7.1")
    package static let encryptedCritical = Check(108, "jwe-crit", "RFC 7516 §4.1.13", protects: true)
    package static let compression = Check(166, "jwe-zip", "RFC 8725 §3.6", protects: true)
    package static let encryptedKeyReference = Check(109, "jwe-header-key", "RFC 8725 §3.10", protects: true)
    package static let encryptionAlgorithm = Check(103, "jwe-alg", "RFC 8725 §3.1", protects: true)
    package static let decryption = Check(100, "decryption", "RFC 7516 §5.2", protects: true)
    package static let contentType = Check(110, "cty", "RFC 7519 §5.2", protects: true)
    package static let nestedSignature = Check(
        100, "nested-jws", "RFC 7519 §5.2, OIDC Core §10.2", protects: true)

    // Claims of an ID token, in the order of OIDC Core §3.1.3.7.
    package static let encryption = Check(100, "encryption", "OIDC Core §3.1.3.7 (1)", protects: true)
    package static let issuer = Check(120, "id_token-iss", "OIDC Core §3.1.3.7 (2)", protects: true)
    package static let audience = Check(121, "aud", "OIDC Core §3.1.3.7 (3)", protects: true)
    package static let otherAudiences = Check(121, "aud-others", "OIDC Core §3.1.3.7 (3)", protects: true)
    package static let authorizedPartyPresent = Check(
        122, "azp-present", "OIDC Core §3.1.3.7 (4)", protects: true)
    package static let authorizedParty = Check(122, "azp", "OIDC Core §3.1.3.7 (5)", protects: true)
    package static let signatureVerified = Check(
        107, "signature-verified", "OIDC Core §3.1.3.7 (6)", protects: true)
    package static let registeredAlgorithm = Check(
        103, "registered-alg", "OIDC Core §3.1.3.7 (7)", protects: true)
    package static let macKey = Check(104, "mac-key", "OIDC Core §3.1.3.7 (8)", protects: true)
    package static let expiry = Check(123, "exp", "OIDC Core §3.1.3.7 (9)", protects: true)
    package static let issuedAt = Check(124, "iat", "OIDC Core §3.1.3.7 (10)", protects: true)
    package static let nonce = Check(127, "nonce", "OIDC Core §3.1.3.7 (11)", protects: true)
    package static let authenticationContext = Check(132, "acr", "OIDC Core §3.1.3.7 (12)")
    package static let authenticationTime = Check(131, "auth_time", "OIDC Core §3.1.3.7 (13)")

    // Claims of an ID token, beyond that list.
    package static let notBefore = Check(125, "nbf", "RFC 7519 §4.1.5", protects: true)
    package static let subject = Check(128, "sub", "OIDC Core §2", protects: true)
    package static let accessTokenHash = Check(129, "at_hash", "OIDC Core §3.1.3.8", protects: true)
    package static let codeHash = Check(130, "c_hash", "OIDC Core §3.3.2.10", protects: true)
    package static let expectedSubject = Check(134, "expected-sub", "OIDC Core §5.7", protects: true)
    package static let requiredClaims = Check(102, "required-claims", "OIDC Core §2", protects: true)
    package static let refreshIssuer = Check(145, "refresh-iss", "OIDC Core §12.2", protects: true)
    package static let refreshSubject = Check(145, "refresh-sub", "OIDC Core §12.2", protects: true)
    package static let refreshAuthenticationTime = Check(
        145, "refresh-auth_time", "OIDC Core §12.2", protects: true)

    // Userinfo.
    package static let userInfoStatus = Check(140, "userinfo-status", "RFC 6750 §3")
    package static let userInfoContentType = Check(139, "userinfo-content-type", "OIDC Core §5.3.2")
    package static let userInfoError = Check(140, "userinfo-error", "RFC 6750 §3.1")
    package static let userInfoBody = Check(170, "userinfo-body", "OIDC Core §5.3.2, RFC 8259")
    package static let userInfoSignature = Check(
        138, "userinfo-signature", "OIDC Core §5.3.2", protects: true)
    package static let userInfoIssuer = Check(138, "userinfo-iss", "OIDC Core §5.3.2", protects: true)
    package static let userInfoAudience = Check(138, "userinfo-aud", "OIDC Core §5.3.2", protects: true)
    package static let userInfoLifetime = Check(
        138, "userinfo-exp", "RFC 7519 §4.1.4 and §4.1.5", protects: true)
    package static let userInfoSubject = Check(137, "userinfo-sub", "OIDC Core §5.3.2", protects: true)

    // Device authorization (RFC 8628).
    package static let pollInterval = Check(151, "interval", "RFC 8628 §3.2 and §3.5")
    package static let devicePending = Check(152, "device-pending", "RFC 8628 §3.5")
    package static let deviceStatus = Check(152, "device-status", "RFC 8628 §3.2")
    package static let deviceContentType = Check(153, "device-content-type", "RFC 8628 §3.2")
    package static let deviceError = Check(152, "device-error", "RFC 6749 §5.2")
    package static let deviceBody = Check(153, "device-body", "RFC 8628 §3.2, RFC 8259")
    package static let deviceCode = Check(153, "device_code", "RFC 8628 §3.2")
    package static let deviceLifetime = Check(153, "device-expires_in", "RFC 8628 §3.2")
    package static let userCode = Check(154, "user_code", "RFC 8628 §3.2")
    package static let verificationURI = Check(154, "verification_uri", "RFC 8628 §3.2 and §3.3.1")

    // Revocation, introspection, token exchange, logout.
    package static let revocation = Check(156, "revocation", "RFC 7009 §2.2")
    package static let introspectionStatus = Check(158, "introspection-status", "RFC 7662 §2.3")
    package static let introspectionContentType = Check(
        158, "introspection-content-type", "RFC 7662 §2.2")
    package static let introspectionError = Check(158, "introspection-error", "RFC 7662 §2.3")
    package static let introspectionBody = Check(158, "introspection-body", "RFC 7662 §2.2, RFC 8259")
    package static let active = Check(158, "active", "RFC 7662 §2.2")
    package static let issuedTokenType = Check(159, "issued_token_type", "RFC 8693 §2.2.1")
    package static let logoutState = Check(
        160, "logout-state", "OpenID RP-Initiated Logout §3", protects: true)

    // Other resources.
    package static let resourceURL = Check(167, "resource-url", "RFC 6750 §5.3")
    package static let resourceStatus = Check(140, "resource-status", "RFC 6750 §3, RFC 9470 §3")
    package static let resourceBody = Check(170, "resource-body", "RFC 8259")
    package static let resourceContentType = Check(139, "resource-content-type", "RFC 8259 §11")
    package static let resourceError = Check(140, "resource-error", "RFC 6749 §5.2")
    package static let resourceMember = Check(170, "resource-member", "RFC 6901 §4")
}
