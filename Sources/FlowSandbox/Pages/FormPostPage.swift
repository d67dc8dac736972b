internal import JOSE
package import OAuthProtocol

/// A page that sends an authorization response on as a form (OAuth 2.0 Form Post Response Mode §2).
package struct FormPostPage {
    package let redirectURI: String
    package let parameters: [(name: String, value: String)]

    package init(redirectURI: String, parameters: [(name: String, value: String)]) {
        self.redirectURI = redirectURI
        self.parameters = parameters
    }

    /// Sends the form once the page is there; without scripts a person presses the button.
    private static let script: StaticString = "document.forms[0].submit()"

    package func answer() -> HTTPResponse {
        var page = Page(title: "Back to the program", main: main)
        page.destination = Page.source(of: redirectURI)
        page.script = Self.script
        return page.answer(status: 200)
    }

    /// Such a page, read back; `nil` for another page.
    package init?(_ page: HTTPResponse) {
        let text = String(decoding: page.body, as: UTF8.self)
        let fields = text.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).map {
            (name: HTML.unescape($0.output.1), value: HTML.unescape($0.output.2))
        }
        // Pages to sign in on have forms too, which a person sends.
        guard text.contains("\(Self.script)"),
            let form = text.firstMatch(of: /<form method="post" action="([^"]*)">/)
        else { return nil }
        self.init(redirectURI: HTML.unescape(form.output.1), parameters: fields)
    }

    private var main: HTML {
        """
        <h1>Back to the program</h1>
        <form method="post" action="\(redirectURI)">
        \(HTML(parameters.map(field)))
        <div class="actions"><button type="submit">Continue</button></div>
        </form>
        """
    }

    private func field(_ parameter: (name: String, value: String)) -> HTML {
        """
        <input type="hidden" name="\(parameter.name)" value="\(parameter.value)">
        """
    }
}
