internal import OAuthProtocol

/// The users' pictures: their initials on a disc, so that the `picture` claim leads somewhere.
enum PictureEndpoint {
    /// - Parameter name: The user's name to sign in with, still encoded.
    static func answer(_ name: String, _ configuration: SandboxConfiguration) -> HTTPResponse {
        guard let username = PercentEncoding.decodeQuery(name), let user = configuration.user(username) else {
            return ErrorPage.notFound()
        }
        let initials = String([user.givenName.first, user.familyName.first].compactMap { $0 })
        let picture: HTML = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" role="img" aria-label="\(user.name)">
            <circle cx="48" cy="48" r="48" fill="#0b57a4"/>
            <text x="48" y="60" font-family="sans-serif" font-size="36" text-anchor="middle"
            fill="#ffffff">\(initials)</text>
            </svg>

            """
        let fields = [
            HTTPField("Content-Type", "image/svg+xml"), HTTPField("X-Content-Type-Options", "nosniff"),
            HTTPField("Content-Security-Policy", "default-src 'none'"),
        ]
        return HTTPResponse(status: 200, fields: fields, body: Array(picture.source.utf8))
    }
}
