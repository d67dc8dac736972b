internal import FlowLanguage

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
