internal import JOSE
package import OAuthProtocol

/// Somebody who can sign in at the sandbox.
package struct SandboxUser: Sendable, Hashable {
    /// `sub`: never changes, at most 255 ASCII characters (OIDC Core §2).
    package let subject: String
    /// What is typed or picked on the page, and what `login_hint` names.
    package let username: String
    package let password: Secret
    package let givenName: String
    package let familyName: String
    package let email: String
    package let isEmailVerified: Bool
    /// A language tag of RFC 5646.
    package let locale: String
    package let phoneNumber: String
    /// Postal address with line breaks.
    package let address: String

    package init(
        subject: String, username: String, password: Secret, givenName: String, familyName: String,
        email: String, isEmailVerified: Bool = true, locale: String = "en-GB", phoneNumber: String,
        address: String
    ) {
        self.subject = subject
        self.username = username
        self.password = password
        self.givenName = givenName
        self.familyName = familyName
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.locale = locale
        self.phoneNumber = phoneNumber
        self.address = address
    }

    package var name: String { "\(givenName) \(familyName)" }

    /// Path of the user's picture below the issuer.
    var picturePath: String { "/pictures/\(PercentEncoding.encodeQuery(username)).svg" }

    /// Alice, Bob and Chloé; the last has a name outside ASCII and an e-mail address that nobody verified.
    ///
    /// The names and numbers are reserved for examples (RFC 2606, Ofcom's drama numbers).
    package static let standard = [
        SandboxUser(
            subject: "sandbox-user-1", username: "alice", password: standardPassword, givenName: "Alice",
            familyName: "Example", email: "alice@example.com", phoneNumber: "+44 20 7946 0101",
            address: "1 Loopback Lane\nLondon"),
        SandboxUser(
            subject: "sandbox-user-2", username: "bob", password: standardPassword, givenName: "Bob",
            familyName: "Sample", email: "bob@example.org", locale: "en-US", phoneNumber: "+44 20 7946 0102",
            address: "2 Loopback Lane\nLondon"),
        SandboxUser(
            subject: "sandbox-user-3", username: "chloe", password: standardPassword, givenName: "Chloé",
            familyName: "Müller-Weiß", email: "chloe@example.net", isEmailVerified: false, locale: "de-CH",
            phoneNumber: "+44 20 7946 0103", address: "3 Loopback Lane\nLondon"),
    ]

    /// The first of them under the subject and the name of somebody else.
    package static func alice(as subject: String, name: String?) -> SandboxUser {
        let alice = standard[0]
        let words = name?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
        return SandboxUser(
            subject: subject, username: alice.username, password: alice.password,
            givenName: words.first ?? alice.givenName, familyName: words.count > 1 ? words[1] : "",
            email: alice.email, phoneNumber: alice.phoneNumber, address: alice.address)
    }

    /// Everybody knows it, so pages may show it.
    static let standardPasswordText = "sandbox"
    static let standardPassword = Secret(standardPasswordText, kind: .other)
}

extension SandboxUser {
    /// The claims that these scopes ask for, with `sub` first.
    ///
    /// - SeeAlso: OIDC Core §5.4
    func claims(scopes: [String], issuer: String) -> JSONObject {
        var claims: JSONObject = ["sub": .string(subject)]
        if scopes.contains("profile") {
            claims["name"] = .string(name)
            claims["given_name"] = .string(givenName)
            claims["family_name"] = .string(familyName)
            claims["preferred_username"] = .string(username)
            claims["picture"] = .string(issuer + picturePath)
            claims["locale"] = .string(locale)
        }
        if scopes.contains("email") {
            claims["email"] = .string(email)
            claims["email_verified"] = .bool(isEmailVerified)
        }
        if scopes.contains("phone") {
            claims["phone_number"] = .string(phoneNumber)
            claims["phone_number_verified"] = false
        }
        if scopes.contains("address") { claims["address"] = ["formatted": .string(address)] }
        return claims
    }

    /// Those of these claims that the sandbox knows (OIDC Core §5.5).
    func claims(names: [String], issuer: String) -> JSONObject {
        guard !names.isEmpty else { return [:] }
        let all = claims(scopes: Scope.known, issuer: issuer)
        return JSONObject(all.members.filter { names.contains($0.key) && $0.key != "sub" })
    }

    /// Every claim that some scope can ask for (OIDC Discovery §3, `claims_supported`).
    static let claimNames = [
        "sub", "name", "given_name", "family_name", "preferred_username", "picture", "locale", "email",
        "email_verified", "phone_number", "phone_number_verified", "address",
    ]
}
