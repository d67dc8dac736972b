internal import FlowLanguage
internal import FlowLive
internal import JOSE
internal import OAuthProtocol

/// `jwt decode`: what a token says, on this machine alone. Proves nothing of it.
struct JWTCommand: Sendable {
    let context: CommandContext
    /// `-` is standard input.
    let file: String
    let form: Command.Form

    private static let largest = 1 << 20
    /// Claims that are times, in seconds since 1970 (RFC 7519 §4.1, OpenID Connect Core §2 and §5.1).
    private static let times: Set = ["exp", "iat", "nbf", "auth_time", "updated_at"]

    func run() throws(Problem) -> Int {
        let token = try text()
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 5 else {
            let found = parts.count == 1 ? "1 part" : "\(parts.count) parts"
            throw Problem(
                .config, "this is no JWT: it has \(found), and a token that is signed has 3",
                hints: ["an opaque token says nothing to anybody but its issuer: flowrun introspect"])
        }
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

    private func text() throws(Problem) -> String {
        // In a list of processes everybody reads it.
        guard !file.hasPrefix("eyJ") else {
            throw Problem(
                .usage, "a token does not belong into an argument, where others see it",
                hints: ["pipe it in, as in   flowrun token | flowrun jwt decode"])
        }
        if file == "-", context.surroundings.input.isTerminal { context.note("paste the token, then Ctrl-D") }
        let bytes = try context.bytes(of: file, limit: Self.largest)
        let words = String(decoding: bytes, as: UTF8.self).split { $0.isWhitespace }
        // As it stands in a header field, scheme and all.
        guard let token = words.last else {
            throw Problem(.config, "there is no token in \(file == "-" ? "standard input" : file)")
        }
        return String(token)
    }

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
                    Styled(RemoteText.sanitize(words(name, value), limit: 4_000)),
                ]
            }, indent: 2)
        return page.take()
    }

    private func words(_ name: String, _ value: JSONValue) -> String {
        if let text = value.stringValue { return text }
        guard Self.times.contains(name), let seconds = value.numberValue,
            let time = Int64(exactly: (seconds * 1000).rounded())
        else { return value.serialize() }
        let isPast = time <= WallClock.now()
        let standing =
            switch name {
            case "exp": isPast ? ", expired" : ", still good"
            case "nbf": isPast ? "" : ", not good yet"
            default: ""
            }
        return "\(value.serialize())  \(TimeText.format(time))\(standing)"
    }
}
