package import OAuthProtocol

/// What a person reads when nothing can be sent to a client.
package enum ErrorPage {
    /// The sentence of a page that says why, for who reads it without a browser; `nil` for another page.
    package static func reason(of page: HTTPResponse) -> String? {
        let text = String(decoding: page.body, as: UTF8.self)
        guard let start = text.firstRange(of: "<p role=\"alert\">")?.upperBound,
            let end = text[start...].firstRange(of: "</p>")?.lowerBound
        else { return nil }
        return HTML.unescape(text[start..<end])
    }

    /// A request that must not be redirected (RFC 6749 §4.1.2.1).
    static func refused(_ reason: String) -> HTTPResponse { refused("This sign-in cannot start", reason) }

    /// A request that ends nothing, and sends nobody anywhere (RP-Initiated Logout §4).
    static func refused(signOut reason: String) -> HTTPResponse { refused("You are not signed out", reason) }

    private static func refused(_ heading: String, _ reason: String) -> HTTPResponse {
        let main: HTML = """
            <h1>\(heading)</h1>
            <p role="alert">\(reason)</p>
            <p>The program that sent you here made a mistake, so nothing was sent back to it. Close this page;
            whoever maintains the program needs the sentence above.</p>
            """
        return Page(title: "Error", main: main).answer(status: 400)
    }

    /// A form that is too old, was answered before, or was not made by the sandbox.
    static func over() -> HTTPResponse {
        let main: HTML = """
            <h1>This page is over</h1>
            <p role="alert">The sign-in was finished before, took too long, or did not start here.</p>
            <p>Go back to the program and start the sign-in again.</p>
            """
        return Page(title: "Error", main: main).answer(status: 403)
    }

    static func notFound() -> HTTPResponse {
        let main: HTML = """
            <h1>Nothing is here</h1>
            <p>The sandbox has no page at this address. <a href="/">What it has</a></p>
            """
        return Page(title: "Not found", main: main).answer(status: 404)
    }
}
