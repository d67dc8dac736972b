import Glibc

/// The system's own words for an error number.
enum SystemError {
    static func text(_ code: Int32) -> String {
        guard let words = strerror(code) else { return "error \(code)" }
        return String(cString: words)
    }
}
