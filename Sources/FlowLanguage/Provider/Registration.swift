package import OAuthProtocol
package import YAMLText

/// Where a secret comes from; never the secret itself.
package enum SecretSource: Sendable, Hashable {
    case environment(String)
    /// A path, relative to the folder of the file that names it.
    case file(String)
    /// A program with its arguments, run without a shell; the secret is what it prints.
    case command([String])
    /// A name under which the desktop's keyring keeps it.
    case keyring(String)
}

extension SecretSource {
    /// Whether a text can be the name of an environment variable: letters, digits and underscores, no digit first
    /// (POSIX.1-2024, Base Definitions §3.216). What is none may be the secret itself, which nobody repeats.
    package static func isVariableName(_ text: String) -> Bool {
        let isName = text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x5F
        }
        return isName && text.utf8.first.map { !(0x30...0x39).contains($0) } == true
    }

    /// Whether a text can be the name of a keyring entry: one line that is not a key.
    package static func isEntryName(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            && !DescriptorSafety.looksLikeCredential(text)
    }
}

/// What a client registered with one provider, as `flowrun.yaml` says it.
package struct Registration: Sendable {
    /// The value of a descriptor's variable.
    package enum VariableValue: Sendable, Hashable {
        case text(String)
        case secret(SecretSource)
    }

    package struct Variable: Sendable {
        package let name: String
        package let value: Located<VariableValue>
    }

    /// Id of the provider's descriptor.
    package let provider: String
    package let clientID: Located<String>?
    package let secret: Located<SecretSource>?
    /// PEM or JWK, for clients that sign assertions; with a certificate its key too, where that has none of its own.
    package let privateKey: Located<SecretSource>?
    /// A JWT that somebody else issues for the client (RFC 7523 §2.2).
    package let assertion: Located<SecretSource>?
    /// PEM, for clients that prove themselves in TLS (RFC 8705).
    package let certificate: Located<SecretSource>?
    /// PEM, for clients that sign with another key than they show in TLS.
    package let certificateKey: Located<SecretSource>?
    /// How the client registered to prove who it is; wins over the descriptor's method.
    package let authenticationMethod: Located<ClientAuthenticationMethod>?
    /// The issuer that registered the client, which no other knows; `nil` where it goes by the provider's name alone.
    package let issuer: Located<String>?
    /// Where the registration is changed, and what allows it (RFC 7592 §3).
    package let managementURI: Located<String>?
    package let managementToken: Located<SecretSource>?
    /// Which of the descriptor's environments holds.
    package let environment: Located<String>?
    /// Values of the descriptor's variables, in the order of the file.
    package let variables: [Variable]
    /// Asked for beside those of the descriptor.
    package let scopes: [String]
    /// Place of the list of scopes, where there is one.
    package let scopesSpan: SourceSpan?
    package let redirectURI: Located<String>?
    /// Path of the file as shown, and the place of the provider's name in it.
    package let file: String
    package let span: SourceSpan

    /// Why no provider can have issued it (RFC 6749 §2.2 and Appendix A.1); `nil` where nothing is wrong.
    package static func problem(withClientID text: String) -> String? {
        if text.isEmpty { return "is empty" }
        return text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? nil : "holds a character that none has"
    }
}
