package import YAMLText

/// What a client registered with one provider, as `flowrun.yaml` says it: where the secret is, never the secret.
package struct Registration: Sendable {
    /// Where a client secret comes from.
    package enum SecretSource: Sendable, Hashable {
        case environment(String)
        /// A path, relative to the folder of the file that names it.
        case file(String)
    }

    /// Id of the provider's descriptor.
    package let provider: String
    package let clientID: String?
    package let secret: SecretSource?
    /// Values of the descriptor's variables, in the order of the file.
    package let variables: [(name: String, value: String)]
    /// Asked for beside those of the descriptor.
    package let scopes: [String]
    package let redirectURI: String?
    /// Path of the file as shown, and the place of the provider's name in it.
    package let file: String
    package let span: SourceSpan

    package init(
        provider: String, clientID: String?, secret: SecretSource?,
        variables: [(name: String, value: String)],
        scopes: [String], redirectURI: String?, file: String, span: SourceSpan
    ) {
        self.provider = provider
        self.clientID = clientID
        self.secret = secret
        self.variables = variables
        self.scopes = scopes
        self.redirectURI = redirectURI
        self.file = file
        self.span = span
    }
}
