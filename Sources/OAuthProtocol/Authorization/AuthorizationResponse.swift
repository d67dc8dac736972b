internal import JOSE

/// An authorization response whose `state` and `iss` have been checked.
package struct AuthorizationResponse: Sendable {
    /// Redeemable once.
    package let code: Secret
    package let iss: String?
    /// The ID token of a hybrid flow, of which nothing was checked; `nil` where none was asked for.
    package let idToken: Secret?
    /// Parameters that the protocol does not know, as they came: unsigned and not to be trusted.
    package let extra: [(name: String, value: String)]

    private init(code: Secret, iss: String?, idToken: Secret?, extra: [(name: String, value: String)]) {
        self.code = code
        self.iss = iss
        self.idToken = idToken
        self.extra = extra
    }

    /// Checks the parameters that came to the redirect URI.
    ///
    /// The order: nothing known is there twice, `state`, `iss`, `error`, `code`, `id_token`. A failure of the first two
    /// says nothing about the provider: anybody on this machine can call the redirect URI.
    ///
    /// - Parameters:
    ///   - issuerParameterSupported: Whether a response needs `iss`, by the server's
    ///     `authorization_response_iss_parameter_supported` or the descriptor; one that is there is always compared.
    ///   - isIssuerIgnored: Whether an answer may do without `iss` all the same; one that is there is always compared.
    ///   - issuerAliases: Texts that the provider puts in place of its issuer.
    ///   - wantsIDToken: Whether an ID token was asked for beside the code (OIDC Core §3.3.2.5).
    ///   - state: When a response needs `state`; one that is there is always compared.
    /// - Throws: `failed` with the check; `rejected` with status 0 when the provider said no.
    package static func validate(
        _ parameters: [(name: String, value: String)], transaction: AuthorizationTransaction,
        issuerParameterSupported: Bool, isIssuerIgnored: Bool = false, issuerAliases: [String] = [],
        wantsIDToken: Bool = false, state: StateDemand = .always, log: inout CheckLog
    ) throws(ProtocolError) -> AuthorizationResponse {
        let known = wantsIDToken ? knownParameters.union(["id_token"]) : knownParameters
        try checkDuplicates(parameters, of: known, log: &log)
        let value = { (name: String) in parameters.first { $0.name.isExactly(name) }?.value }
        let isError = value("error")?.isEmpty == false
        try checkState(value("state"), transaction, isNeeded: state.holds(isError: isError), log: &log)
        let iss = value("iss")
        if iss == nil, isIssuerIgnored, issuerParameterSupported {
            log.relax(
                Checks.iss, because: "the descriptor says that the provider announces iss and sends none")
        } else {
            try checkIssuer(
                iss, of: isError ? value("error") : nil, transaction, issuerAliases, issuerParameterSupported,
                log: &log)
        }
        if let error = value("error"), !error.isEmpty {
            let said = OAuthError(
                code: error, description: value("error_description"), uri: value("error_uri"))
            throw log.rejected(Checks.authorizationError, said, status: 0)
        }
        log.pass(Checks.authorizationError)
        let code = value("code") ?? ""
        // RFC 6749 Appendix A.11 allows printable ASCII alone; letters of other alphabets harm nobody.
        let isVisible = code.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        try log.require(
            !code.isEmpty && isVisible, Checks.code,
            expected: isVisible ? "a code" : "a code without control characters",
            actual: value("code") == nil ? "no code" : isVisible ? "an empty code" : "one with some")
        var idToken: Secret?
        if wantsIDToken {
            let token = value("id_token") ?? ""
            try log.require(
                !token.isEmpty, Checks.answeredToken, expected: "an ID token beside the code",
                actual: value("id_token") == nil ? "no id_token" : "an empty one")
            idToken = Secret(token, kind: .idToken)
        }
        return AuthorizationResponse(
            code: Secret(code, kind: .code), iss: iss, idToken: idToken,
            extra: parameters.filter { !known.contains($0.name) })
    }

    private static let knownParameters: Set<String> = [
        "code", "state", "iss", "error", "error_description", "error_uri",
    ]

    private static func checkDuplicates(
        _ parameters: [(name: String, value: String)], of known: Set<String>, log: inout CheckLog
    ) throws(ProtocolError) {
        var seen: Set<String> = []
        for (name, _) in parameters where known.contains(name) {
            guard seen.insert(name).inserted else {
                throw log.failure(
                    Checks.duplicateParameter, expected: "every parameter once", actual: "\(name) twice")
            }
        }
        log.pass(Checks.duplicateParameter)
    }

    private static func checkState(
        _ state: String?, _ transaction: AuthorizationTransaction, isNeeded: Bool, log: inout CheckLog
    ) throws(ProtocolError) {
        guard let state else {
            guard isNeeded else {
                return log.relax(Checks.state, because: "the provider returns none, as its descriptor says")
            }
            throw log.failure(Checks.state, expected: "the state of this run", actual: "no state")
        }
        try log.require(
            ConstantTime.equal(state, transaction.state.reveal()), Checks.state,
            expected: "the state of this run", actual: "another state")
    }

    /// Tells `error` where `iss` is missing: servers that announce it leave it out of errors, and whoever made
    /// a mistake must know of it. The state was compared.
    private static func checkIssuer(
        _ iss: String?, of error: String?, _ transaction: AuthorizationTransaction, _ aliases: [String],
        _ isSupported: Bool, log: inout CheckLog
    ) throws(ProtocolError) {
        guard let issuer = transaction.issuer else {
            return log.skip(Checks.iss, because: "no issuer is configured for this provider")
        }
        guard let iss else {
            guard !isSupported else {
                let said = error.map { ", in an error that says \(RemoteText.sanitize($0, limit: 60))" }
                throw log.failure(Checks.iss, expected: issuer, actual: "no iss" + (said ?? ""))
            }
            return log.skip(Checks.iss, because: "the server sends no iss and does not say that it would")
        }
        let accepted = [issuer] + aliases
        try log.require(
            accepted.contains { $0.isExactly(iss) }, Checks.iss, expected: accepted.joined(separator: " or "),
            actual: RemoteText.sanitize(iss))
    }
}

extension AuthorizationResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹authorization response, \(extra.count) extra parameters›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

/// When an authorization response must bear `state`.
package enum StateDemand: Sendable, Hashable {
    case always
    /// For providers that leave it out of errors: a forged error only ends the sign-in.
    case unlessError
    /// For providers that know no `state`: the code is bound by PKCE (RFC 9700 §4.7.1).
    case never

    package func holds(isError: Bool) -> Bool {
        switch self {
        case .always: true
        case .unlessError: !isError
        case .never: false
        }
    }
}
