/// The folders of the XDG Base Directory Specification, version 0.8; each ends in `flowrun`.
///
/// A variable that is not an absolute path is ignored, as the specification asks.
struct UserDirectories: Sendable, Hashable {
    let configuration: String?
    let data: String?
    let state: String?
    let cache: String?

    init(_ surroundings: Surroundings) {
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
}
