internal import FlowLanguage
internal import FlowLive
internal import JOSE
internal import OAuthProtocol

struct SignTokenRequest: Sendable {
    /// With claims; `-` is standard input.
    var file: String?
    /// Claims that are texts; of those in the file they take the place.
    var claims: [NamedText] = []
    var key: ClientOptions.SecretPlace
    /// `nil` for the one that the key suggests.
    var algorithm: SignatureAlgorithm?
    /// `nil` for the one that the key names.
    var kid: String?
    var type: String
    /// Milliseconds.
    var lifetime: Int64
}

/// `jwt sign`: a JWT that the program makes itself, as the assertion of a client is (RFC 7523 §3).
struct SignTokenCommand: Sendable {
    let context: CommandContext
    let request: SignTokenRequest

    /// Claims are shorter; whatever is longer is something else.
    private static let largest = 1 << 20

    func run() throws(Problem) -> Int {
        var claims: JSONObject = [:]
        if let file = request.file {
            let bytes = try context.bytes(
                of: file, limit: Self.largest, asking: "type the claims, a JSON object")
            claims = try JSONFile(
                path: file == "-" ? "standard input" : file, bytes: bytes, hiding: []
            ).object()
        }
        for (name, texts) in named { claims[name] = texts.count == 1 ? texts[0] : .array(texts) }
        try addTimes(to: &claims)
        context.write(try sign(claims) + "\n")
        return ExitStatus.ok.rawValue
    }

    /// By name; one that is given more than once is a list, as `aud` may be (RFC 7519 §4.1.3).
    private var named: [(name: String, texts: [JSONValue])] {
        var named: [(name: String, texts: [JSONValue])] = []
        for claim in request.claims {
            let text = JSONValue.string(claim.text)
            if let index = named.firstIndex(where: { $0.name == claim.name }) {
                named[index].texts.append(text)
            } else {
                named.append((claim.name, [text]))
            }
        }
        return named
    }

    /// Adds what makes a token good for a while and for once, where the claims do not say it themselves.
    private func addTimes(to claims: inout JSONObject) throws(Problem) {
        let now = WallClock.now() / 1000
        if claims["iat"] == nil { claims["iat"] = .int(now) }
        if claims["exp"] == nil { claims["exp"] = .int(now + max(1, request.lifetime / 1000)) }
        guard claims["jti"] == nil else { return }
        claims["jti"] = .string(Base64URL.encode(try context.random(16)))
    }

    private func sign(_ claims: JSONObject) throws(Problem) -> String {
        let location = SecretLocation(request.key)
        let text = try SecretReader(surroundings: context.surroundings, hiddenVariables: [])
            .read(location, "private key", kind: .other)
        do throws(KeyError) {
            let (key, named) = try SigningKeyText.read(text)
            var header: JSONObject = ["typ": .string(request.type)]
            header["kid"] = (request.kid ?? named).map(JSONValue.string)
            return try JWS.sign(
                header: header, payload: claims.serializedBytes, key: key,
                algorithm: request.algorithm ?? key.type.usualAlgorithm)
        } catch {
            throw Problem(.config, "the key in \(location.summary) cannot sign: \(error.summary)")
        }
    }
}
