internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// The ID token that comes beside the code of a hybrid flow: it is verified before the code is sent
/// (OIDC Core §3.3.2.10 to §3.3.2.12).
///
/// When the person signed in, and at which level, is asked of the ID token of the token response: this one need not say it
/// (§3.3.3.6).
struct AnsweredIDToken: Sendable {
    let token: Secret
    let code: Secret
    let transaction: AuthorizationTransaction

    func verify(
        with keys: SignatureKeys, _ registers: Registers, _ scope: StepScope, log: inout CheckLog
    ) throws(ProtocolError) -> IDTokenExpectations.AnsweredToken {
        let provider = scope.provider
        guard let nonce = transaction.nonce else {
            preconditionFailure("a request for an ID token in the answer bears a nonce")
        }
        let signed = try provider.opened(token, provider.idTokenEncryption, log: &log)
        let jws = try keys.verify(
            signed, allowed: provider.allowedAlgorithms(registers.metadata[scope.providerIndex]), log: &log)
        var expected = IDTokenExpectations(
            issuers: provider.expectedIssuers(jws), clientID: transaction.clientID,
            additionalAudiences: provider.bound.trustedAudiences, origin: .authorization(nonce: nonce),
            code: code, state: transaction.state, leewaySeconds: provider.descriptor.idToken.clockSkew ?? 60)
        expected.wasEncrypted = provider.idTokenEncryption != nil
        let checked = try IDToken.validate(jws, expected, now: registers.now, log: &log)
        return IDTokenExpectations.AnsweredToken(
            issuer: checked.claims.iss ?? "", subject: checked.subject)
    }
}
