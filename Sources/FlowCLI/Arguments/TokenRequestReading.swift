internal import FlowLanguage
internal import JOSE

extension VerifyTokenRequest {
    init(_ parsed: ParsedArguments) throws(UsageError) {
        let (issuer, provider) = (parsed.last("issuer"), parsed.last("provider"))
        guard issuer == nil || provider == nil else {
            throw UsageError("--issuer and --provider both say whose token it must be", command: "jwt verify")
        }
        guard let whose = issuer.map(Issuer.url) ?? provider.map(Issuer.provider) else {
            throw UsageError(
                "what the token says of its issuer proves nothing: say whose it must be by --issuer or --provider",
                command: "jwt verify")
        }
        self.init(
            file: parsed.arguments.first ?? "-", issuer: whose, audience: parsed.last("audience"),
            client: try ClientOptions(parsed), live: try LiveOptions(parsed), form: parsed.form)
    }
}

extension SignTokenRequest {
    init(_ parsed: ParsedArguments) throws(UsageError) {
        let claims = try parsed.pairs("claim")
        guard !parsed.arguments.isEmpty || !claims.isEmpty else {
            throw UsageError(
                "nothing is to be signed: give FILE, - for standard input, or --claim NAME=VALUE",
                command: "jwt sign")
        }
        guard let key = try ClientOptions(parsed).privateKey else {
            throw UsageError("give --private-key-file or --private-key-env", command: "jwt sign")
        }
        self.init(
            file: parsed.arguments.first, claims: claims, key: key,
            algorithm: parsed.last("algorithm").flatMap(SignatureAlgorithm.init(name:)),
            kid: parsed.last("kid"), type: parsed.last("type") ?? "JWT",
            lifetime: try parsed.duration("lifetime") ?? 300_000)
    }
}
