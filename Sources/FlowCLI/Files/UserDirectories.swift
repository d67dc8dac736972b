internal import Glibc

/// The folders of the XDG Base Directory Specification, version 0.8; each ends in `flowrun`.
///
/// A variable that is not an absolute path is ignored, as the specification asks.
struct UserDirectories: Sendable, Hashable {
    let configuration: String?
    let data: String?
    let state: String?
    let cache: String?

    /// The variables that are set and ignored.
    let ignored: [String]

    init(_ surroundings: Surroundings) {
        let variables = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"]
        ignored = variables.filter { name in
            surroundings.variable(name).map { !$0.isEmpty && !$0.hasPrefix("/") } ?? false
        }
        func directory(_ variable: String, _ standard: String) -> String? {
            if let path = surroundings.variable(variable), path.hasPrefix("/") {
                return FilePath.join(path, "flowrun")
            }
            return surroundings.home.map { FilePath.join($0, standard + "/flowrun") }
        }
        configuration = directory("XDG_CONFIG_HOME", ".config")
        data = directory("XDG_DATA_HOME", ".local/share")
        state = directory("XDG_STATE_HOME", ".local/state")
        cache = directory("XDG_CACHE_HOME", ".cache")
    }

    /// What helps where sessions and locks cannot be kept, as in a home that is none; empty where they can.
    var hints: [String] {
        Self.hints([("XDG_DATA_HOME", data), ("XDG_STATE_HOME", state)])
    }

    /// The same of registrations and of the turns that processes take with them.
    var registrationHints: [String] {
        Self.hints([("XDG_CONFIG_HOME", configuration), ("XDG_STATE_HOME", state)])
    }

    private static func hints(_ places: [(variable: String, path: String?)]) -> [String] {
        let closed = places.filter { !canHold($0.path) }
        guard !closed.isEmpty else { return [] }
        let names = closed.map(\.variable).joined(separator: " and ")
        return ["name a place that this user may write to: set HOME, or \(names)"]
    }

    /// Whether the folder is there, or can be made, and may be written to.
    private static func canHold(_ path: String?) -> Bool {
        guard var path else { return false }
        while FileAccess.status(path) == nil, path != "/" { path = FilePath.parent(of: path) }
        return access(path, W_OK | X_OK) == 0
    }
}
