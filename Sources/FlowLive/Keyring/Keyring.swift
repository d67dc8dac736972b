internal import CLinux
import Glibc
package import OAuthProtocol

/// Why the keyring gave no answer.
package enum KeyringError: Error, Sendable, Hashable {
    /// libsecret is not installed, or too old.
    case noLibrary(reason: String)
    /// There is no keyring service, it is locked, or it failed: its own words.
    case unavailable(reason: String)
}

/// The desktop's keyring (Secret Service), reached through libsecret, which is loaded with the first question.
///
/// An entry is found by one attribute, `flowrun`, whatever program made it.
package enum Keyring {
    package static let attribute = "flowrun"
    private static let library = "libsecret-1.so.0"

    /// The secret kept under a name; `nil` when there is none. Waits, perhaps for a person who unlocks the keyring.
    package static func lookUp(_ name: String, kind: Secret.Kind) throws(KeyringError) -> Secret? {
        guard let handle = dlopen(library, RTLD_NOW) else {
            throw .noLibrary(reason: dlerror().map { String(cString: $0) } ?? "it cannot be loaded")
        }
        // Never unloaded: GLib keeps threads and types for the rest of the process's life.
        guard let lookUp = dlsym(handle, "secret_password_lookup_nonpageable_sync"),
            let freeSecret = dlsym(handle, "secret_password_free"),
            let freeError = dlsym(handle, "g_error_free")
        else { throw .noLibrary(reason: "\(library) is older than 0.18.5") }
        var error: UnsafeMutablePointer<fr_glib_error>?
        let found = fr_secret_lookup(lookUp, attribute, name, &error)
        if let error {
            let reason = error.pointee.message.map { String(cString: $0) } ?? "it failed"
            fr_call_free(freeError, error)
            throw .unavailable(reason: reason)
        }
        guard let found else { return nil }
        defer { fr_call_free(freeSecret, found) }
        return Secret(String(cString: found), kind: kind)
    }
}
