/// The published names of exit statuses.
enum ExitName {
    /// `nil` for a status that an end of a flow made up.
    static func of(_ status: Int) -> String? {
        switch status {
        case 0: "ok"
        case 1: "internal"
        case 2: "usage"
        case 3: "config"
        case 4: "auth-required"
        case 5: "denied"
        case 6: "provider"
        case 7: "security"
        case 8: "network"
        case 9: "local"
        case 10: "timeout"
        case 11: "hook"
        case 12: "assertion"
        case 130, 143: "signal"
        default: nil
        }
    }
}
