internal import JOSE
internal import OAuthProtocol
internal import Synchronization

extension SandboxProvider {
    /// Shows the page, or in automatic mode sends a code at once.
    ///
    /// - SeeAlso: RFC 6749 §4.1.1, OIDC Core §3.1.2
    func authorize(_ request: ServerRequest, now: Int64) -> HTTPResponse {
        let authorization: AcceptedRequest
        do throws(AuthorizationRefusal) {
            authorization = try accept(request.query, now: now)
        } catch {
            switch error {
            case .page(let reason, _): return ErrorPage.refused(reason)
            case .redirect(let error): return send(error, now: now)
            }
        }
        switch configuration.mode {
        case .automatic:
            let hinted = authorization.loginHint.flatMap(configuration.user)
            let user = hinted ?? configuration.users[0]
            return sendCode(authorization, .init(username: user.username, time: now / 1000), now: now)
        case .page:
            guard !authorization.prompts.contains(.none) else {
                return send(error("login_required", "nobody is signed in", authorization), now: now)
            }
            return show(authorization, now: now)
        }
    }

    /// The request of a query, or the one that was pushed and is named there (RFC 9126 §4).
    private func accept(_ query: String?, now: Int64) throws(AuthorizationRefusal) -> AcceptedRequest {
        guard let parameters = Parameters(query: query) else {
            throw .page(reason: "The query is not valid: an escape is broken or a text is not UTF-8.")
        }
        let directory = state.withLock { ClientDirectory(configuration, $0.ledger) }
        let reader = RequestReader(
            configuration: configuration, directory: directory, channel: .browser, now: now)
        guard let uri = parameters["request_uri"], uri.hasPrefix(Self.pushedPrefix) else {
            return try reader.read(parameters)
        }
        let client = try reader.client(parameters)
        let name = TokenHash(of: uri)
        guard
            let request = state.withLock({
                $0.ledger.takePushed(name, clientID: client.id, now: now / 1000)
            })
        else {
            throw .page(reason: "The request_uri is unknown, was used before, or is over.")
        }
        return request
    }

    private func show(_ authorization: AcceptedRequest, now: Int64) -> HTTPResponse {
        let pending = PendingAuthorization(
            request: authorization, formToken: newToken(),
            expiresAt: now / 1000 + configuration.lifetimes.page)
        let id = newToken()
        state.withLock { $0.ledger.open(pending, id: id, now: now / 1000) }
        return LoginPage(id: id, pending: pending, configuration: configuration).answer()
    }

    /// Checks the password; then sends a code, or asks once more when the client wants consent to be asked for.
    func logIn(_ request: ServerRequest, now: Int64) -> HTTPResponse {
        guard let form = PageForm(request, configuration), let pending = pending(form, now: now) else {
            return ErrorPage.over()
        }
        let username = form.parameters["username"] ?? ""
        guard let user = configuration.user(username), let password = form.parameters["password"],
            ConstantTime.equal(user.password.reveal(), password)
        else {
            let page = LoginPage(
                id: form.id, pending: pending, configuration: configuration, chosen: username,
                failure: "That is not the password of this user. Try again.")
            return page.answer()
        }
        let signIn = PendingAuthorization.SignIn(username: user.username, time: now / 1000)
        guard pending.request.prompts.contains(.consent) else {
            return finish(form.id) { sendCode(pending.request, signIn, now: now) }
        }
        state.withLock { $0.ledger.signIn(signIn, id: form.id) }
        return ConsentPage(id: form.id, pending: pending, user: user, configuration: configuration).answer()
    }

    /// Takes the person's decision; to cancel needs no sign-in, to allow does.
    func consent(_ request: ServerRequest, now: Int64) -> HTTPResponse {
        guard let form = PageForm(request, configuration), let pending = pending(form, now: now) else {
            return ErrorPage.over()
        }
        switch (form.parameters["decision"], pending.signedIn) {
        case ("allow", .some(let signIn)):
            return finish(form.id) { sendCode(pending.request, signIn, now: now) }
        case ("cancel", _):
            return finish(form.id) {
                send(error("access_denied", "the person cancelled", pending.request), now: now)
            }
        case (_, _):
            return ErrorPage.over()
        }
    }

    private func pending(_ form: PageForm, now: Int64) -> PendingAuthorization? {
        state.withLock { $0.ledger.pending(id: form.id, formToken: form.token, now: now / 1000) }
    }

    /// Answers only the first of several forms from one page.
    private func finish(_ id: String, _ answer: () -> HTTPResponse) -> HTTPResponse {
        state.withLock { $0.ledger.close(id: id) } ? answer() : ErrorPage.over()
    }
}

/// A form that came from one of our pages.
private struct PageForm {
    let id: String
    /// Proves, together with the id, that the sandbox made the form; compared in the ledger.
    let token: String
    let parameters: Parameters

    /// `nil` when it is no such form, or a browser says that another site sent it.
    init?(_ request: ServerRequest, _ configuration: SandboxConfiguration) {
        guard (request.field("Origin") ?? configuration.origin).hasBytes(of: configuration.origin),
            let parameters = Parameters(form: request), parameters.repeated.isEmpty,
            let id = parameters["request"], let token = parameters["csrf"]
        else { return nil }
        self.id = id
        self.token = token
        self.parameters = parameters
    }
}
