internal import JOSE
internal import OAuthProtocol

/// Asks a person who has signed in whether the client may have what it asks for.
struct ConsentPage {
    let id: String
    let pending: PendingAuthorization
    let user: SandboxUser
    let configuration: SandboxConfiguration

    func answer() -> HTTPResponse {
        let main: HTML = """
            <h1>Allow \(pending.request.clientName)?</h1>
            <p>You are signed in as <strong>\(user.name)</strong> (\(user.email)).</p>
            \(RequestSummary.of(pending))
            <form method="post" action="/consent">
            \(RequestSummary.hiddenFields(id, pending))
            <div class="actions">
            <button type="submit" name="decision" value="allow">Allow</button>
            <button type="submit" name="decision" value="cancel" class="second">Cancel</button>
            </div>
            </form>
            """
        let page = Page(
            title: "Allow?", main: main, destination: Page.source(of: pending.request.redirectURI))
        return page.answer(status: 200)
    }
}

/// What both pages say of an authorization request, and the fields that bind their forms to it.
enum RequestSummary {
    static func of(_ pending: PendingAuthorization) -> HTML {
        let request = pending.request
        return """
            <p class="muted">Client <code>\(request.clientID)</code>, answered at
            <code>\(request.redirectURI)</code></p>
            <h2 id="wants">It wants to</h2>
            <ul aria-labelledby="wants">
            \(HTML(request.scopes.map(line) + request.extensions.details.map(line)))
            </ul>
            """
    }

    static func hiddenFields(_ id: String, _ pending: PendingAuthorization) -> HTML {
        """
        <input type="hidden" name="request" value="\(id)">
        <input type="hidden" name="csrf" value="\(pending.formToken)">
        """
    }

    /// A form of its own, so that cancelling sends no password.
    static func cancelForm(_ id: String, _ pending: PendingAuthorization) -> HTML {
        """
        <form method="post" action="/consent" id="cancel">
        \(hiddenFields(id, pending))
        <input type="hidden" name="decision" value="cancel">
        </form>
        """
    }

    private static func line(_ scope: String) -> HTML {
        guard let words = Scope.words(scope) else { return "<li>Use <code>\(scope)</code></li>" }
        return "<li>\(words)</li>"
    }

    /// RFC 9396 §13.4: the person must see what exactly is asked for.
    private static func line(_ detail: JSONObject) -> HTML {
        "<li>Do this: <code>\(detail.serialize())</code></li>"
    }
}
