internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// Sign-in on another device.
extension SandboxProvider {
    /// Letters that no one mistakes for each other and that form no words (RFC 8628 §6.1).
    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")

    /// - SeeAlso: RFC 8628 §3.1 and §3.2; a challenge may come with it (RFC 7636 §4.3)
    func authorizeDevice(_ request: ServerRequest, now: Int64) -> SandboxReply {
        faulted(.device) { _ in deviceCode(request, now: now) }
    }

    private func deviceCode(_ request: ServerRequest, now: Int64) -> HTTPResponse {
        answer(request, now: now) { form, client throws(RequestFlaw) in
            try client.check(grantType: TokenRequest.deviceGrant)
            let scopes = form.words("scope")
            guard !scopes.isEmpty, scopes.allSatisfy(isKnown) else {
                throw RequestFlaw("invalid_scope", "the scopes are \(Scope.known.joined(separator: " "))")
            }
            let hasChallenge = form["code_challenge"] != nil || form["code_challenge_method"] != nil
            let challenge = hasChallenge ? try RequestReader.codeChallenge(form) : nil
            let code = newToken()
            let userCode = newUserCode()
            let lifetimes = configuration.lifetimes
            var record = DeviceRecord(
                userCode: userCode, clientID: client.id, scopes: client.grantable(scopes),
                codeChallenge: challenge, expiresAt: now / 1000 + lifetimes.deviceCode,
                interval: lifetimes.pollInterval)
            if configuration.mode == .automatic {
                record.decision = .allowed(
                    PendingAuthorization.SignIn(username: configuration.users[0].username, time: now / 1000))
            }
            state.withLock { $0.ledger.open(record, code: TokenHash(of: code), now: now / 1000) }
            let place = Route.device.url(configuration)
            return Answer.json([
                "device_code": .string(code), "user_code": .string(userCode),
                "verification_uri": .string(place),
                "verification_uri_complete": .string(place + "?user_code=" + userCode),
                "expires_in": .int(lifetimes.deviceCode), "interval": .int(lifetimes.pollInterval),
            ])
        }
    }

    /// Eight letters: 34 bits, which nobody guesses in the ten minutes that they are good for.
    private func newUserCode() -> String {
        let letters = newBytes(8).map { Self.letters[Int($0) % Self.letters.count] }
        return String(letters[..<4]) + "-" + String(letters[4...])
    }

    /// The page for the code, and what a person enters there.
    ///
    /// The password is part of the form, so no other site can send it.
    ///
    /// - SeeAlso: RFC 8628 §3.3
    func enterCode(_ request: ServerRequest, now: Int64) -> HTTPResponse {
        guard request.method == "POST" else {
            let code = Parameters(query: request.query)?["user_code"]
            return DevicePage(configuration: configuration, code: code ?? "").answer()
        }
        guard (request.field("Origin") ?? configuration.origin).hasBytes(of: configuration.origin),
            let form = Parameters(form: request), form.repeated.isEmpty
        else { return ErrorPage.over() }
        let code = form["user_code"] ?? ""
        guard let user = configuration.user(form["username"] ?? ""), let password = form["password"],
            ConstantTime.equal(user.password.reveal(), password)
        else {
            return DevicePage(
                configuration: configuration, code: code,
                failure: "That is not the password of this user. Try again."
            ).answer()
        }
        let signIn =
            form["decision"] == "allow"
            ? PendingAuthorization.SignIn(username: user.username, time: now / 1000) : nil
        let isKnown = state.withLock {
            $0.ledger.decide(userCode: code.uppercased(), signIn, now: now / 1000)
        }
        guard isKnown else {
            return DevicePage(
                configuration: configuration, code: code, failure: "No device waits for this code."
            ).answer()
        }
        return DevicePage.done(isAllowed: signIn != nil)
    }
}
