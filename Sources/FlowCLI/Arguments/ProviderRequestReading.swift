internal import FlowLanguage

extension DiscoverRequest {
    init(_ parsed: ParsedArguments) throws(UsageError) {
        self.init(
            issuer: parsed.arguments[0], resource: parsed.last("resource"), name: parsed.last("name"),
            metadataURL: parsed.last("metadata-url"),
            target: parsed.last("write"), live: try LiveOptions(parsed), form: parsed.form)
    }
}

extension ProviderTestRequest {
    init(_ parsed: ParsedArguments) throws(UsageError) {
        self.init(
            provider: parsed.arguments[0], client: try ClientOptions(parsed),
            asksForToken: parsed.has("with-token"), live: try LiveOptions(parsed), form: parsed.form)
    }
}

extension ProviderAddRequest {
    init(_ parsed: ParsedArguments) throws(UsageError) {
        self.init(
            provider: parsed.arguments[0], client: try ClientOptions(parsed),
            secretCommand: parsed.last("client-secret-command"),
            secretKeyring: parsed.last("client-secret-keyring"),
            certificateFile: parsed.last("certificate-file"),
            certificateKeyFile: parsed.last("certificate-key-file"), isPublic: parsed.has("public"),
            replaces: parsed.has("replace"),
            isForUser: parsed.has("user"), mayAsk: !parsed.has("no-input"))
        if let secretKeyring, !SecretSource.isEntryName(secretKeyring) {
            // It is not repeated: it may be the secret.
            throw UsageError(
                "--client-secret-keyring needs the name of an entry, which this is not",
                command: parsed.spec.name)
        }
        let sources = [client.secret != nil, secretCommand != nil, secretKeyring != nil, isPublic]
        guard sources.count(where: \.self) < 2 else {
            throw UsageError(
                "give one of --client-secret-file, --client-secret-env, --client-secret-command, "
                    + "--client-secret-keyring and --public", command: parsed.spec.name)
        }
    }
}
