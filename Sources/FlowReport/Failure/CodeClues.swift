internal import FlowEngine
internal import OAuthProtocol

/// What the trace alone can say of a refused authorization code: whether both requests fit each other.
struct CodeClues: Sendable {
    private var authorization: [String: TracedValue] = [:]
    private var token: [String: TracedValue] = [:]
    private var bearsVerifier = false
    private var basicUser: String?
    private var codes: [String] = []
    private var sentAt: Int64?
    /// When the authorization response came; the code is not older.
    var answeredAt: Int64?

    /// Longest life that RFC 6749 §4.1.2 recommends is ten minutes; providers in practice give one or less.
    private static let usualLifetime: Int64 = 60_000

    var redirectURI: String? {
        if case .text(let uri)? = authorization["redirect_uri"] { uri } else { nil }
    }

    mutating func sent(_ request: TracedRequest, at time: Int64) {
        switch request.purpose {
        case "authorization":
            authorization = Self.named(request.query)
        case "token":
            token = Self.named(request.body)
            sentAt = time
            basicUser = request.fields.lazy.compactMap { Self.basicUser($0.value) }.first
            // By what they are: a provider may have other names for them.
            bearsVerifier = request.body.contains { Self.isSecret($0, of: "code_verifier") }
            if let fingerprint = request.body.lazy.compactMap(Self.codeFingerprint).first {
                codes.append(fingerprint)
            }
        default: break
        }
    }

    private static func named(_ parameters: [TracedParameter]) -> [String: TracedValue] {
        Dictionary(parameters.map { ($0.name, $0.value) }) { _, last in last }
    }

    private static func isSecret(_ parameter: TracedParameter, of kind: String) -> Bool {
        if case .secret(kind, _, _) = parameter.value { true } else { false }
    }

    private static func codeFingerprint(_ parameter: TracedParameter) -> String? {
        if case .secret("code", _, let fingerprint) = parameter.value { fingerprint } else { nil }
    }

    private static func basicUser(_ value: TracedValue) -> String? {
        guard case .prefixed(let prefix, _, _, _) = value, prefix.hasPrefix("Basic ") else { return nil }
        return String(prefix.dropFirst(6).dropLast())
    }

    var evidence: [FailureReport.Evidence] {
        if sentAt == nil { return [] }
        return [redirect, client, verifier, repetition, age].compactMap(\.self)
    }

    private var redirect: FailureReport.Evidence? {
        guard let sent = token["redirect_uri"], let asked = authorization["redirect_uri"] else { return nil }
        return fact(
            "redirect_uri", "redirect_uri same as in authorize", sent == asked,
            "the redirect_uri of the token request must be the one of the authorization request (RFC 6749 §4.1.3)"
        )
    }

    private var client: FailureReport.Evidence? {
        guard let asked = authorization["client_id"] else { return nil }
        // In HTTP Basic credentials it is form-encoded, or as it is (RFC 6749 §2.3.1).
        let decoded = basicUser.flatMap { PercentEncoding.decodeForm($0) }
        let sent =
            (token["client_id"].map { [$0] } ?? [])
            + [basicUser, decoded].compactMap(\.self).map { .text($0) }
        guard !sent.isEmpty else { return nil }
        return fact(
            "client_id", "client_id same as in authorize", sent.contains(asked),
            "the code belongs to the client that asked for it")
    }

    private var verifier: FailureReport.Evidence? {
        // A request that is signed or pushed has its challenge inside.
        if authorization.isEmpty || authorization["request"] != nil || authorization["request_uri"] != nil {
            return nil
        }
        return fact(
            "code_verifier", "code_verifier sent if a challenge was",
            (authorization["code_challenge"] != nil) == bearsVerifier,
            "the token request must bear the verifier of the challenge (RFC 7636 §4.5)")
    }

    private var repetition: FailureReport.Evidence? {
        guard let last = codes.last else { return nil }
        let isRepeated = codes.dropLast().contains(last)
        return FailureReport.Evidence(
            "code_reuse", "code sent before in this run", isRepeated ? "yes" : "no",
            suspicion: isRepeated ? "a code works once; this one was sent twice" : nil)
    }

    private var age: FailureReport.Evidence? {
        guard let answeredAt, let sentAt, sentAt >= answeredAt else { return nil }
        let age = sentAt - answeredAt
        return FailureReport.Evidence(
            "code_age", "code age", SpanText.of(age),
            suspicion: age > Self.usualLifetime
                ? "the code was old; most providers let a code live for a minute" : nil)
    }

    private func fact(_ id: String, _ label: String, _ holds: Bool, _ suspicion: String)
        -> FailureReport.Evidence
    {
        FailureReport.Evidence(id, label, holds ? "yes" : "no", suspicion: holds ? nil : suspicion)
    }
}
