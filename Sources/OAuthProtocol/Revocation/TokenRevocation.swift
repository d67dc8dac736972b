/// The request that makes a token worthless (RFC 7009 §2.1).
package enum RevocationRequest {
    package static func plan(
        endpoint: String, token: Secret, registration: ClientRegistration, dialect: RequestDialect,
        step: String
    ) -> RequestPlan {
        var plan = RequestPlan(
            method: .post, endpoint: endpoint,
            body: [
                RequestParameter("token", .secret(token), .step(step), "RFC 7009 §2.1"),
                RequestParameter(
                    "token_type_hint", .text(token.kind.rawValue), .specification, "RFC 7009 §2.1"),
            ], bodyFormat: .form)
        ClientAuthentication.apply(registration, includesClientID: dialect.includesClientID, to: &plan)
        return plan.assembled(with: dialect)
    }
}

/// The answer to a revocation, of which the status says everything unless the provider has rules of its own (RFC 7009
/// §2.2).
package enum RevocationResponse {
    /// - Throws: `rejected` for an error of OAuth, one that the rules of the dialect find in a success too; `status` for
    ///   any other status than success, a redirect too; `malformed` for a success that those rules cannot be held against.
    package static func read(
        _ response: HTTPResponse, dialect: ResponseDialect, log: inout CheckLog
    ) throws(ProtocolError) {
        let isSuccess = dialect.successStatus.contains(response.status)
        let error: OAuthError?
        if isSuccess {
            error = try dialect.ruledError(inSuccess: response, .revocation, log: &log)
        } else {
            error = response.status == 400 ? dialect.error(inFailure: response) : nil
        }
        // "invalid tokens do not cause an error response": some servers send one all the same.
        if error?.code == "invalid_token" {
            return log.skip(Checks.revocation, because: "the server does not know the token")
        }
        if isSuccess, let error { throw log.rejected(Checks.revocation, error, status: response.status) }
        try dialect.checkStatus(response, Checks.revocation, log: &log)
    }
}
