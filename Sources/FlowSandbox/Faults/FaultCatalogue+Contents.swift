internal import JOSE
internal import OAuthProtocol

/// Faults inside an otherwise good answer.
extension FaultCatalogue {
    /// A member of the JSON, its value or none, and how that is written.
    private typealias MemberFault = (target: Fault.Target, name: String, member: String, value: JSONValue?)

    private static let memberFaults: [MemberFault] = [
        (.discovery, "issuer=other", "issuer", .string(Wrong.issuer)),
        (.discovery, "issuer=missing", "issuer", nil),
        (.discovery, "pkce=plain", "code_challenge_methods_supported", ["plain"]),
        (.discovery, "token_endpoint=http", "token_endpoint", "http://other.invalid/token"),
        (.discovery, "jwks_uri=missing", "jwks_uri", nil),
        (.par, "request_uri=missing", "request_uri", nil),
        (.par, "request_uri=empty", "request_uri", ""),
        (.par, "expires_in=missing", "expires_in", nil),
        (.par, "expires_in=0", "expires_in", 0),
        (.token, "access_token=missing", "access_token", nil),
        (.token, "token_type=missing", "token_type", nil),
        (.token, "token_type=mac", "token_type", "mac"),
        (.token, "token_type=bearer", "token_type", "Bearer"),
        (.token, "expires_in=missing", "expires_in", nil),
        (.token, "expires_in=text", "expires_in", "3600"),
        (.token, "scope=missing", "scope", nil),
        (.token, "scope=narrow", "scope", .string(Scope.openID)),
        (.token, "scope=wide", "scope", .string((Scope.known + ["admin"]).joined(separator: " "))),
        (.token, "refresh_token=empty", "refresh_token", ""),
        (.token, "issued_token_type=missing", "issued_token_type", nil),
        (.token, "issued_token_type=other", "issued_token_type", .string(TokenType.saml2.rawValue)),
        (.token, "authorization_details=missing", "authorization_details", nil),
        (.token, "authorization_details=other", "authorization_details", [["type": "other"]]),
        (.userinfo, "sub=missing", "sub", nil),
        (.introspection, "active=text", "active", "true"),
        (.introspection, "cnf=other", "cnf", ["jkt": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]),
        (.device, "interval=missing", "interval", nil),
        (.device, "expires_in=missing", "expires_in", nil),
        (.device, "verification_uri=http", "verification_uri", "http://other.invalid/device"),
        (.registration, "client_id=missing", "client_id", nil),
        (.registration, "redirect_uris=other", "redirect_uris", [.string(Wrong.issuer)]),
        (.registration, "management=other", "registration_client_uri", .string(Wrong.issuer + "/client")),
    ]

    static let members: [Entry] =
        memberFaults.map { Entry($0.name, [$0.target], .none(.member($0.member, $0.value))) } + [
            Entry("token_type=inverted", [.token], .none(.invertedCase("token_type"))),
            Entry("status=200", [.par, .registration], .none(.success(200))),
        ]

    private typealias Named<Defect> = (name: String, defect: Defect)

    private static let week: Int64 = 7 * 86_400

    /// What may be wrong with any signed message.
    private static let common: [Named<MessageDefect>] = [
        ("iss=other", .claim("iss", .string(Wrong.issuer))), ("iss=missing", .claim("iss", nil)),
        ("aud=other", .claim("aud", .string(Wrong.audience))), ("aud=missing", .claim("aud", nil)),
        ("alg=none", .unsigned), ("signature=bad", .badSignature), ("kid=unknown", .unknownKey),
    ]

    private static let expiring: [Named<MessageDefect>] = [
        ("expired", .expired), ("exp=missing", .claim("exp", nil)),
    ]

    private static let idTokens: [Named<MessageDefect>] = [
        ("nonce=bad", .claim("nonce", .string(Wrong.nonce))), ("nonce=missing", .claim("nonce", nil)),
        ("aud=array", .audienceList(also: nil)), ("aud=secondary", .audienceList(also: Wrong.audience)),
        ("azp=other", .claim("azp", .string(Wrong.audience))),
        ("iat=missing", .claim("iat", nil)), ("iat=old", .issued(ago: week)),
        ("iat=future", .issued(ago: -3600)), ("nbf=future", .claim("nbf", 4_102_444_800)),
        ("alg=hs256", .hmacWithPublicKey), ("alg=alternate", .otherAlgorithm), ("kid=missing", .noKeyID),
        ("typ=access", .header("typ", "at+jwt")), ("crit", .header("crit", ["unknown"])),
        ("sub=missing", .claim("sub", nil)), ("sub=other", .claim("sub", .string(Wrong.subject))),
        ("at_hash=bad", .claim("at_hash", .string(Wrong.hash))), ("at_hash=missing", .claim("at_hash", nil)),
        ("c_hash=bad", .claim("c_hash", .string(Wrong.hash))),
        ("s_hash=bad", .claim("s_hash", .string(Wrong.hash))),
        ("acr=other", .claim("acr", .string(Wrong.level))), ("acr=missing", .claim("acr", nil)),
        ("auth_time=old", .authenticated(ago: week)), ("auth_time=missing", .claim("auth_time", nil)),
        ("absent", .absent),
    ]

    private static let introspections: [Named<MessageDefect>] = [
        ("typ=jwt", .header("typ", "JWT")), ("iat=old", .issued(ago: week)),
    ]

    static let signed: [Entry] =
        faults(common + expiring + idTokens, of: .idtoken, .answer) { .idToken($0) }
        + [Entry("c_hash=missing", [.answer], .none(.idToken(.claim("c_hash", nil))))]
        + faults(common + expiring, of: .jarm) { .jarm($0) }
        + faults(common + introspections, of: .introspection) { .introspection($0) }

    private static let states: [Named<Fault.CallbackDefect>] = [
        ("state=wrong", .wrongState), ("state=missing", .missingState),
    ]

    private static let callbacks: [Named<Fault.CallbackDefect>] = [
        ("iss=other", .otherIssuer), ("iss=missing", .missingIssuer), ("duplicate", .duplicateCode),
        ("mode=query", .mode("query")), ("mode=form_post", .mode("form_post")),
        ("jarm=plain", .unsecured),
    ]

    /// The error codes of RFC 6749 §4.1.2.1 and OIDC Core §3.1.2.6.
    private static let callbackErrors: [Named<Fault.CallbackDefect>] = [
        "access_denied", "invalid_request", "unauthorized_client", "invalid_scope", "server_error",
        "temporarily_unavailable", "login_required", "interaction_required", "consent_required",
        "unmet_authentication_requirements",
    ].map { ("error=\($0)", .error($0)) }

    static let callbackDefects: [Entry] =
        faults(states + callbacks + callbackErrors, of: .callback) { .callback($0) }
        + faults(states, of: .logout) { .logout($0) }

    private static func faults<Defect>(
        _ defects: [Named<Defect>], of targets: Fault.Target..., action: (Defect) -> Fault.Action
    ) -> [Entry] {
        defects.map { Entry($0.name, targets, .none(action($0.defect))) }
    }
}
