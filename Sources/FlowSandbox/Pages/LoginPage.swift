internal import OAuthProtocol

/// Where a person sees who asks for what, picks a user and signs in, or cancels.
struct LoginPage {
    let id: String
    let pending: PendingAuthorization
    let configuration: SandboxConfiguration
    /// The user that was picked before, on a second try.
    var chosen: String?
    /// What was wrong with the first try.
    var failure: String?

    func answer() -> HTTPResponse {
        let title = failure == nil ? "Sign in" : "Error: sign in"
        let page = Page(title: title, main: main, destination: Page.source(of: pending.request.redirectURI))
        return page.answer(status: failure == nil ? 200 : 403)
    }

    private var main: HTML {
        """
        <h1>Sign in to continue to \(pending.request.clientName)</h1>
        \(RequestSummary.of(pending))
        <form method="post" action="/login">
        \(RequestSummary.hiddenFields(id, pending))
        <fieldset>
        <legend>Who are you?</legend>
        \(HTML(configuration.users.map(person)))
        </fieldset>
        <label class="label" for="password">Password</label>
        \(passwordField)
        \(hint)
        \(alert)
        <div class="actions">
        <button type="submit">Sign in</button>
        <button type="submit" form="cancel" class="second">Cancel</button>
        </div>
        </form>
        \(RequestSummary.cancelForm(id, pending))
        """
    }

    private func person(_ user: SandboxUser) -> HTML {
        let checked: HTML = user == preselected ? " checked" : ""
        return """
            <label class="person">
            <input type="radio" name="username" value="\(user.username)" required\(checked)>
            <span>\(user.name)<small>\(user.email)</small></span>
            </label>
            """
    }

    private var preselected: SandboxUser? {
        (chosen ?? pending.request.loginHint).flatMap { name in
            configuration.users.first { $0.username.hasBytes(of: name) || $0.email.hasBytes(of: name) }
        } ?? configuration.users.first
    }

    private var passwordField: HTML {
        let described: HTML = failure == nil ? "hint" : "failure hint"
        let state: HTML = failure == nil ? "" : " aria-invalid=\"true\" autofocus"
        return """
            <input id="password" name="password" type="password" autocomplete="current-password" required
            maxlength="256" aria-describedby="\(described)"\(state)>
            """
    }

    private var hint: HTML {
        guard configuration.users.allSatisfy({ $0.password == SandboxUser.standardPassword }) else {
            return "<p class=\"muted\" id=\"hint\">The password is the one the sandbox was set up with.</p>"
        }
        return """
            <p class="muted" id="hint">Everybody’s password here is
            <code>\(SandboxUser.standardPasswordText)</code>.</p>
            """
    }

    private var alert: HTML {
        guard let failure else { return .empty }
        return "<p role=\"alert\" id=\"failure\">\(failure)</p>"
    }
}
