import Testing

/// Something that goes wrong at the provider, and what a sign-in must make of it.
struct FaultCase: Sendable, CustomTestStringConvertible {
    /// As they are written behind `--fault`.
    let faults: [String]
    /// The outcome that decides the run, as `exchange=malformed`.
    let outcome: String
    let end: String
    let exit: Int
    /// The check that must be named in the trace; `nil` where the failure is no check's.
    let check: String?
    /// What the browser must say in the end; `nil` when it was never opened.
    let page: String?
    /// How often codes are sent in all.
    let codes: Int
    let httpTimeout: Int64?
    let wait: Int64

    init(
        _ faults: String..., outcome: String, _ verdict: Verdict, check: String? = nil,
        page: String? = failed,
        codes: Int = 1, httpTimeout: Int64? = nil, wait: Int64 = 20_000
    ) {
        self.faults = faults
        self.outcome = outcome
        (end, exit) = verdict.values
        self.check = check
        self.page = page
        self.codes = codes
        self.httpTimeout = httpTimeout
        self.wait = wait
    }

    var testDescription: String { faults.joined(separator: " ") }

    static let failed = "Sign-in did not finish"
    static let foreign = "Not from this sign-in"

    /// The ends of the login flow with their statuses.
    enum Verdict: Sendable {
        case denied, refused, blocked, unavailable, overloaded, abandoned

        var values: (end: String, exit: Int) {
            switch self {
            case .denied: ("denied", 5)
            case .refused: ("refused", 6)
            case .blocked: ("blocked", 7)
            case .unavailable: ("unavailable", 8)
            case .overloaded: ("overloaded", 6)
            case .abandoned: ("abandoned", 10)
            }
        }
    }
}

extension FaultCase {
    static let all = discovery + callback + token + idToken + keys + userinfo

    private static let discovery = [
        FaultCase(
            "discovery:issuer=other", outcome: "authorize=metadata_untrusted", .blocked,
            check: "metadata-issuer", page: nil, codes: 0),
        FaultCase(
            "discovery:html", outcome: "authorize=malformed", .refused,
            check: "metadata-json", page: nil, codes: 0),
        FaultCase(
            "discovery:notjson", outcome: "authorize=malformed", .refused,
            check: "metadata-json", page: nil, codes: 0),
        FaultCase("discovery:huge", outcome: "authorize=malformed", .refused, page: nil, codes: 0),
        FaultCase("discovery:truncate", outcome: "authorize=network", .unavailable, page: nil, codes: 0),
        FaultCase(
            "discovery:500", outcome: "authorize=server_error", .overloaded,
            check: "metadata-status", page: nil, codes: 0),
        FaultCase(
            "discovery:redirect", outcome: "authorize=metadata_untrusted", .blocked,
            check: "metadata-status", page: nil, codes: 0),
    ]

    private static let callback = [
        FaultCase(
            "callback:state=wrong", outcome: "callback=state_mismatch", .blocked,
            check: "state", page: foreign, codes: 0, wait: 600),
        FaultCase(
            "callback:state=missing", outcome: "callback=state_mismatch", .blocked,
            check: "state", page: foreign, codes: 0, wait: 600),
        FaultCase(
            "callback:iss=other", outcome: "callback=issuer_mismatch", .blocked, check: "iss", codes: 0),
        FaultCase(
            "callback:iss=missing", outcome: "callback=issuer_mismatch", .blocked, check: "iss", codes: 0),
        FaultCase(
            "callback:duplicate", outcome: "callback=malformed", .refused,
            check: "duplicate-parameter", codes: 0),
        FaultCase(
            "callback:error=access_denied", outcome: "callback=access_denied", .denied,
            check: "error", codes: 0),
        FaultCase(
            "callback:error=login_required", outcome: "callback=interaction_required", .denied,
            check: "error", codes: 0),
        FaultCase(
            "callback:error=invalid_scope", outcome: "callback=rejected", .refused, check: "error", codes: 0),
        FaultCase(
            "callback:error=server_error", outcome: "callback=server_error", .overloaded,
            check: "error", codes: 0),
        // An error that bears another state is no answer to this run either.
        FaultCase(
            "callback:error=access_denied", "callback:state=wrong", outcome: "callback=state_mismatch",
            .blocked,
            check: "state", page: foreign, codes: 0, wait: 600),
        // Whose answer it is comes before what it says.
        FaultCase(
            "callback:error=access_denied", "callback:iss=other", outcome: "callback=issuer_mismatch",
            .blocked,
            check: "iss", codes: 0),
    ]

    private static let token = [
        FaultCase(
            "token:invalid_grant", outcome: "exchange=invalid_grant", .refused, check: "token-status",
            codes: 2),
        FaultCase(
            "token:invalid_client", outcome: "exchange=invalid_client", .refused, check: "token-status"),
        FaultCase("token:unauthorized_client", outcome: "exchange=rejected", .refused, check: "token-status"),
        FaultCase("token:error200", outcome: "exchange=rejected", .refused, check: "token-error"),
        FaultCase("token:html", outcome: "exchange=malformed", .refused, check: "token-content-type"),
        FaultCase("token:notjson", outcome: "exchange=malformed", .refused, check: "token-body"),
        FaultCase("token:huge", outcome: "exchange=malformed", .refused),
        FaultCase("token:redirect", outcome: "exchange=insecure", .blocked, check: "redirect"),
        // The code's fate is unknown: it is never sent again.
        FaultCase("token:truncate", outcome: "exchange=unanswered", .unavailable),
        FaultCase("token:close", outcome: "exchange=unanswered", .unavailable),
        FaultCase("token:slow=5s", outcome: "exchange=unanswered", .unavailable, httpTimeout: 2000),
        // Whatever a server says that fails, a code is sent once.
        FaultCase("token:503=1", outcome: "exchange=server_error", .overloaded, check: "token-status"),
        FaultCase("token:500", outcome: "exchange=server_error", .overloaded, check: "token-status"),
        // Nobody looked at the code: it may be sent again, within the bounds of the flow.
        FaultCase(
            "token:429=1", outcome: "exchange=rate_limited", .overloaded, check: "token-status", codes: 3),
        FaultCase("token:429=60", outcome: "exchange=rate_limited", .overloaded, check: "token-status"),
    ]

    private static let idToken = [
        FaultCase("idtoken:nonce=bad", outcome: "verify=nonce_mismatch", .blocked, check: "nonce"),
        FaultCase("idtoken:nonce=missing", outcome: "verify=nonce_mismatch", .blocked, check: "nonce"),
        FaultCase("idtoken:signature=bad", outcome: "verify=signature_invalid", .blocked, check: "signature"),
        FaultCase("idtoken:alg=none", outcome: "verify=signature_invalid", .blocked, check: "alg"),
        FaultCase("idtoken:alg=hs256", outcome: "verify=signature_invalid", .blocked, check: "alg"),
        FaultCase("idtoken:kid=unknown", outcome: "verify=signature_invalid", .blocked, check: "kid"),
        FaultCase("idtoken:expired", outcome: "verify=claims_invalid", .blocked, check: "exp"),
        FaultCase("idtoken:aud=other", outcome: "verify=audience_mismatch", .blocked, check: "aud"),
        FaultCase("idtoken:iss=other", outcome: "verify=issuer_mismatch", .blocked, check: "id_token-iss"),
        FaultCase("idtoken:sub=missing", outcome: "verify=claims_invalid", .blocked, check: "sub"),
        FaultCase("idtoken:sub=other", outcome: "userinfo=subject_mismatch", .blocked, check: "userinfo-sub"),
        FaultCase("idtoken:at_hash=bad", outcome: "verify=claims_invalid", .blocked, check: "at_hash"),
        FaultCase("idtoken:absent", outcome: "verify=claims_invalid", .blocked, check: "id_token-present"),
    ]

    private static let keys = [
        FaultCase("jwks:empty", outcome: "verify=signature_invalid", .blocked, check: "kid"),
        FaultCase("jwks:html", outcome: "verify=malformed", .refused, check: "jwks"),
        FaultCase("jwks:500", outcome: "verify=keys_unavailable", .unavailable, check: "jwks-status"),
        FaultCase("jwks:close", outcome: "verify=keys_unavailable", .unavailable),
    ]

    private static let userinfo = [
        FaultCase(
            "userinfo:sub=other", outcome: "userinfo=subject_mismatch", .blocked, check: "userinfo-sub"),
        // Refreshed once, asked once, then given up.
        FaultCase(
            "userinfo:invalid_token", outcome: "userinfo=unauthorized", .refused,
            check: "userinfo-status", codes: 2),
        FaultCase(
            "userinfo:insufficient_scope", outcome: "userinfo=insufficient_scope", .refused,
            check: "userinfo-status", codes: 2),
        FaultCase("userinfo:error200", outcome: "userinfo=malformed", .refused, check: "userinfo-error"),
        FaultCase("userinfo:html", outcome: "userinfo=malformed", .refused, check: "userinfo-content-type"),
        FaultCase("userinfo:notjson", outcome: "userinfo=malformed", .refused, check: "userinfo-body"),
        FaultCase("userinfo:huge", outcome: "userinfo=malformed", .refused),
        FaultCase("userinfo:truncate", outcome: "userinfo=network", .unavailable),
        FaultCase("userinfo:redirect", outcome: "userinfo=insecure", .blocked, check: "redirect"),
        FaultCase("userinfo:500", outcome: "userinfo=server_error", .overloaded, check: "userinfo-status"),
    ]
}
