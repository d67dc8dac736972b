internal import FlowLanguage
internal import FlowLive
internal import JOSE
internal import OAuthProtocol

/// `pkce`: a code verifier with its challenge, for a request that somebody makes by hand (RFC 7636 §4).
struct PKCECommand: Sendable {
    let context: CommandContext
    /// With the verifier; `-` is standard input, and without one it is made.
    let file: String?
    let form: Command.Form

    func run() throws(Problem) -> Int {
        let pkce = if let file { try known(file) } else { PKCE(randomBytes: try context.random(32)) }
        guard case .text(let challenge) = pkce.challenge else { preconditionFailure("S256 makes a digest") }
        let members: JSONObject = [
            "code_verifier": .string(pkce.verifier.reveal()), "code_challenge": .string(challenge),
            "code_challenge_method": .string(pkce.method.name),
        ]
        switch form {
        case .json: context.write(members.serialize(pretty: true) + "\n")
        case .text:
            for (name, value) in members { context.write("\(name) \(value.stringValue ?? "")\n") }
        }
        return ExitStatus.ok.rawValue
    }

    private func known(_ file: String) throws(Problem) -> PKCE {
        let bytes = try context.bytes(of: file, limit: 1 << 16, asking: "paste the code verifier")
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        // It is not repeated: it is a secret.
        guard words.count == 1, let text = words.first.map(String.init), PKCE.isVerifier(text) else {
            throw Problem(
                .config,
                "this is no code verifier: 43 to 128 letters, digits and - . _ ~ are one (RFC 7636 §4.1)")
        }
        return PKCE(verifier: Secret(text, kind: .codeVerifier))
    }
}
