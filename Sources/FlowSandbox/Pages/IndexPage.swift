internal import JOSE
internal import OAuthProtocol

/// Explains what answers here, and how a client is pointed at it.
enum IndexPage {
    static func answer(_ configuration: SandboxConfiguration) -> HTTPResponse {
        let discovery = Route.discovery.url(configuration)
        let main: HTML = """
            <h1>An OpenID provider to try things out</h1>
            <p>This is flowrun’s sandbox. It signs in invented people for programs that are being tested, on
            this computer only. It is as strict as a provider may be: PKCE with S256, exact redirect URIs,
            codes and refresh tokens for one use.</p>
            <h2>Where</h2>
            <table>
            <tr><th scope="row">Issuer</th><td><code>\(configuration.issuer)</code></td></tr>
            <tr><th scope="row">Metadata</th><td><a href="\(discovery)"><code>\(discovery)</code></a></td></tr>
            <tr><th scope="row">Signatures</th><td>\(configuration.algorithm.rawValue)</td></tr>
            <tr><th scope="row">Sign-in</th><td>\(mode(configuration.mode))</td></tr>
            </table>
            <h2>Clients</h2>
            <table>
            \(HTML(configuration.clients.map(row)))
            </table>
            <h2>Users</h2>
            <table>
            \(HTML(configuration.users.map(row)))
            </table>
            """
        return Page(title: "About", main: main, isWide: true).answer(status: 200)
    }

    private static func mode(_ mode: SandboxConfiguration.Mode) -> String {
        switch mode {
        case .page: "on a page, with a password"
        case .automatic: "at once, without a page"
        }
    }

    private static func row(_ client: SandboxClient) -> HTML {
        let kind: HTML =
            switch client.secret {
            case .none where client.isConfidential: "signs with the key that it registered"
            case .none: "public client, no secret"
            case SandboxClient.standardSecret: "secret <code>\(SandboxClient.standardSecretText)</code>"
            case .some: "with the secret it was set up with"
            }
        return """
            <tr><th scope="row"><code>\(client.id)</code></th>
            <td>\(kind); redirects to \(client.redirectURIs.joined(separator: ", "))</td></tr>
            """
    }

    /// The password only where it is the one that everybody may know.
    private static func row(_ user: SandboxUser) -> HTML {
        let password: HTML =
            user.password == SandboxUser.standardPassword
            ? ", password <code>\(SandboxUser.standardPasswordText)</code>" : ""
        return """
            <tr><th scope="row"><code>\(user.username)</code></th>
            <td>\(user.name), \(user.email)\(password)</td></tr>
            """
    }
}
