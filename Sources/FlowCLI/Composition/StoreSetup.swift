internal import FlowLive
internal import OAuthProtocol

/// Where a command keeps sessions.
enum StoreChoice: Sendable, Hashable {
    /// The first that works.
    case automatic
    case method(SealingMethod)
    /// Nothing is read and nothing kept.
    case none

    /// - Parameter word: As `--store` has it.
    init?(_ word: String) {
        switch word {
        case "auto": self = .automatic
        case "none": self = .none
        default:
            guard let method = SealingMethod(rawValue: word) else { return nil }
            self = .method(method)
        }
    }

    static let words = ["auto", "none"] + SealingMethod.allCases.map(\.rawValue)
}

/// How the key of the session store is found from the command line.
struct StoreSetup: Sendable {
    let surroundings: Surroundings
    let mayAsk: Bool
    /// Behind the names of the variables, where two stores or two passphrases are at work.
    var suffix = ""

    /// The variables that say where the passphrase is; the first may hold it.
    static let variable = "FLOWRUN_STORE_PASSPHRASE"

    func protection(_ choice: StoreChoice) -> StoreProtection {
        var protection = StoreProtection(mayUseKeyring: hasKeyring)
        if case .method(let method) = choice { protection.method = method }
        protection.onSlowKeyring = { surroundings.tellWait(for: Self.keyringWait) }
        protection.passphraseFix =
            "set \(Self.variable)_FILE\(suffix), or \(Self.variable)_COMMAND\(suffix)"
        if let location {
            protection.passphrase = { read(location) }
        } else if mayAsk, Prompter.canAsk(surroundings) {
            // A store that is new takes a passphrase only when one is asked for by name.
            protection.asks = { prompt() }
        }
        return protection
    }

    /// A keyring that is locked asks with a window, wherever that appears.
    static let keyringWait = "the keyring, which may want to be unlocked"

    /// libsecret would start a bus of its own where there is none, and nothing listens there.
    var hasKeyring: Bool {
        if surroundings.variable("DBUS_SESSION_BUS_ADDRESS") != nil { return true }
        guard let runtime = surroundings.variable("XDG_RUNTIME_DIR") else { return false }
        return FileAccess.isFile(FilePath.join(runtime, "bus"))
    }

    var isConfigured: Bool { location != nil }

    /// Where a passphrase is configured.
    private var location: SecretLocation? {
        let name = Self.variable + suffix
        if surroundings.variable(name) != nil { return .environment(name) }
        if let path = surroundings.variable(Self.variable + "_FILE" + suffix) { return .file(path) }
        if let words = surroundings.variable(Self.variable + "_COMMAND" + suffix) {
            return .command(words.split(separator: " ").map(String.init), directory: surroundings.directory)
        }
        return nil
    }

    private func read(_ location: SecretLocation) -> Secret? {
        do throws(Problem) {
            return try SecretReader(surroundings: surroundings, hiddenVariables: [Self.variable])
                .read(location, "passphrase of the store", kind: .other)
        } catch {
            surroundings.complain(error.message)
            return nil
        }
    }

    private func prompt() -> Secret? {
        do throws(Problem) {
            return try Prompter(surroundings: surroundings).askHidden("Passphrase of the session store")
        } catch {
            surroundings.complain(error.message)
            return nil
        }
    }
}
