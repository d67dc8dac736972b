internal import FlowLanguage

/// Where the value of a secret variable is, as `--set` says it: `env:NAME`, `file:FILE`, `command:COMMAND` or
/// `keyring:NAME`.
enum SecretPlaceText {
    /// - Parameter stored: A file as flowrun.yaml is to name it.
    /// - Returns: `nil` for what is no such place.
    static func read(_ text: String, stored: (String) -> String) -> SecretSource? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let place = String(text[text.index(after: colon)...])
        guard !place.isEmpty else { return nil }
        switch text[..<colon] {
        case "env": return SecretSource.isVariableName(place) ? .environment(place) : nil
        case "file": return .file(stored(place))
        case "command": return WordSplitting.words(place).map(SecretSource.command)
        case "keyring": return SecretSource.isEntryName(place) ? .keyring(place) : nil
        default: return nil
        }
    }

    static func options(for name: String) -> String {
        "--set \(name)=env:NAME, file:FILE, command:COMMAND or keyring:NAME"
    }

    /// What was given is not repeated: it may be the secret.
    static func problem(with name: String) -> String {
        "the value of variable \"\(name)\" is secret and does not belong on a command line; "
            + "say where it is: \(options(for: name))"
    }
}
