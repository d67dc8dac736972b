/// The scopes that the sandbox knows.
///
/// - SeeAlso: OIDC Core §5.4 and §11
enum Scope {
    static let openID = "openid"
    static let offlineAccess = "offline_access"

    static let known = [openID, "profile", "email", "address", "phone", offlineAccess]

    /// What it lets the client do, for the person who decides; `nil` for a scope that the sandbox only repeats.
    static func words(_ scope: String) -> String? {
        switch scope {
        case openID: "Know that it is you"
        case "profile": "See your name, picture and language"
        case "email": "See your e-mail address"
        case "address": "See your postal address"
        case "phone": "See your phone number"
        case offlineAccess: "Keep this access while you are away, until you withdraw it"
        default: nil
        }
    }
}
