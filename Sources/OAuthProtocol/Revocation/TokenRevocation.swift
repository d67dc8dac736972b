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

/// The answer to a revocation, of which the status alone says everything (RFC 7009 §2.2).
package enum RevocationResponse {
    /// - Throws: `rejected` for an error of OAuth, `status` for any other status than success, a redirect too.
    package static func read(
        _ response: HTTPResponse, dialect: ResponseDialect, log: inout CheckLog
    ) throws(ProtocolError) {
        if (200...299).contains(response.status) { return log.pass(Checks.revocation) }
        // "invalid tokens do not cause an error response": some servers send one all the same.
        if response.status == 400, dialect.error(inFailure: response)?.code == "invalid_token" {
            return log.skip(Checks.revocation, because: "the server does not know the token")
        }
        try dialect.checkStatus(response, Checks.revocation, log: &log)
    }
}
