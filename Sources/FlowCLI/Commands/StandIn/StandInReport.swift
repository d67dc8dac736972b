internal import FlowLive
internal import FlowSandbox
internal import JOSE

/// What is said of a stand-in once it listens.
struct StandInReport: Sendable {
    let name: String
    let server: SandboxServer
    /// Where a descriptor of it was written to.
    let file: String?
    /// Whether nobody signs in there without a secret, whichever that is.
    let needsSecret: Bool

    func text(_ context: CommandContext) -> String {
        var page = Page(RenderOptions(context.common, context.surroundings.output, context.surroundings))
        page.line(Styled("stands in for \(name)", .strong), hanging: 2)
        page.line(
            Styled("What is https://HOST/PATH there is \(server.issuer)/HOST/PATH here:", .dim), hanging: 2)
        let places = server.places.map { ($0.name, server.issuer + $0.path) }
        let width = places.map(\.0.count).max() ?? 0
        for (name, url) in places {
            let gap = String(repeating: " ", count: width - name.count + 2)
            page.unwrapped(Styled(name + gap, .dim) + Styled(url))
        }
        page.line(Styled("client   any, with any secret and any redirect URI"))
        page.line(Styled("user     alice  password sandbox"))
        page.unwrapped(Styled("try      \(trial)"))
        page.line(Styled("Ctrl-C ends it"))
        return page.take()
    }

    private var trial: String {
        guard let file else { return "--write FILE makes a descriptor to sign in with" }
        // A bare name would be that of a provider.
        let words = ["flowrun", "login", file.contains("/") ? file : "./\(file)", "--client-id", "any"]
        let secret = needsSecret ? ["--client-secret-env", "SECRET"] : []
        return (needsSecret ? "SECRET=any " : "") + ShellWords.quoted(words + secret)
    }

    var json: String {
        let rows = server.places.map { place -> JSONValue in
            ["name": .string(place.name), "at": .string(server.issuer + place.path)]
        }
        let facts: JSONObject = ["at": .string(server.issuer), "addresses": .array(rows)]
        return facts.serialize() + "\n"
    }
}
