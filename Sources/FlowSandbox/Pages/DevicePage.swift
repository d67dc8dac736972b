internal import OAuthProtocol

/// Where a person enters the code that another device shows, and signs in or refuses (RFC 8628 §3.3).
struct DevicePage {
    let configuration: SandboxConfiguration
    /// Shown in the field; a person still has to compare it with the device (RFC 8628 §5.4).
    let code: String
    var failure: String?

    func answer() -> HTTPResponse {
        let title = failure == nil ? "Connect a device" : "Error: connect a device"
        return Page(title: title, main: main).answer(status: failure == nil ? 200 : 403)
    }

    private var main: HTML {
        """
        <h1>Connect a device</h1>
        <p>Enter the code that the device shows. Go on only if you started this yourself.</p>
        <form method="post" action="/device">
        <label class="label" for="user_code">Code</label>
        <input id="user_code" name="user_code" value="\(code)" autocomplete="off" required maxlength="32">
        <fieldset>
        <legend>Who are you?</legend>
        \(HTML(configuration.users.map(person)))
        </fieldset>
        <label class="label" for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required
        maxlength="256">
        \(alert)
        <div class="actions">
        <button type="submit" name="decision" value="allow">Allow</button>
        <button type="submit" name="decision" value="refuse" class="second">Refuse</button>
        </div>
        </form>
        """
    }

    private func person(_ user: SandboxUser) -> HTML {
        let checked: HTML = user == configuration.users[0] ? " checked" : ""
        return """
            <label class="person">
            <input type="radio" name="username" value="\(user.username)" required\(checked)>
            <span>\(user.name)<small>\(user.email)</small></span>
            </label>
            """
    }

    private var alert: HTML {
        guard let failure else { return .empty }
        return "<p role=\"alert\">\(failure)</p>"
    }

    /// What is left to do after the decision.
    static func done(isAllowed: Bool) -> HTTPResponse {
        let words: HTML = isAllowed ? "The device is connected." : "The device was refused."
        let main: HTML = """
            <h1>\(words)</h1>
            <p>You may close this page and go back to the device.</p>
            """
        return Page(title: "Done", main: main).answer(status: 200)
    }
}
