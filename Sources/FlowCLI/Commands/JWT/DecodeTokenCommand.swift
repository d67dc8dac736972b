internal import FlowLanguage
internal import FlowLive
internal import JOSE
internal import OAuthProtocol

/// `jwt decode`: what a token says, on this machine alone. Proves nothing of it.
struct DecodeTokenCommand: Sendable {
    let context: CommandContext
    /// `-` is standard input.
    let file: String
    let form: Command.Form

    func run() throws(Problem) -> Int {
        let parts = try GivenToken(in: file, for: "jwt decode", context).parts
        let header = try object(parts[0], "header")
        guard parts.count == 3 else {
            show(header, nil)
            context.note("it is encrypted: what it says only its recipient can read")
            return ExitStatus.ok.rawValue
        }
        show(header, try object(parts[1], "payload"))
        context.note("the signature is not checked: anybody could have written this")
        return ExitStatus.ok.rawValue
    }

    // MARK: Reading

    private func object(_ part: Substring, _ name: String) throws(Problem) -> JSONObject {
        guard let bytes = Base64URL.decode(Array(part.utf8)[...]) else {
            throw Problem(.config, "this is no JWT: its \(name) is not base64url (RFC 7515 §2)")
        }
        guard let object = (try? JSON.parse(bytes))?.objectValue else {
            throw Problem(.config, "this is no JWT: its \(name) is no JSON object")
        }
        return object
    }

    // MARK: Showing

    private func show(_ header: JSONObject, _ claims: JSONObject?) {
        switch form {
        case .json:
            var object: JSONObject = ["header": .object(header)]
            object["claims"] = claims.map { .object($0) }
            context.write(object.serialize(pretty: true) + "\n")
        case .text:
            context.write("header\n" + table(header) + (claims.map { "\nclaims\n" + table($0) } ?? ""))
        }
    }

    private func table(_ object: JSONObject) -> String {
        var page = Page(RenderOptions(context.common, context.surroundings.output, context.surroundings))
        page.table(
            object.map { name, value in
                [
                    Styled(RemoteText.sanitize(name), .dim),
                    Styled(RemoteText.sanitize(ClaimWords.text(name, value), limit: 4_000)),
                ]
            }, indent: 2)
        return page.take()
    }
}
