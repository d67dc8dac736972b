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
/// An entry is found by one attribute, `flowrun`, whatever program made it. Every call waits, perhaps for a person who
/// unlocks the keyring.
package enum Keyring {
    package static let attribute = "flowrun"
    private static let library = "libsecret-1.so.0"
    /// Milliseconds after which it is not busy but waits for a person.
    package static let patience: Int64 = 1_000

    /// The secret kept under a name; `nil` when there is none.
    package static func lookUp(_ name: String, kind: Secret.Kind) throws(KeyringError) -> Secret? {
        let lookUp = try function("secret_password_lookup_nonpageable_sync")
        let freeSecret = try function("secret_password_free")
        var found: UnsafeMutablePointer<CChar>?
        try call { error in found = fr_secret_lookup(lookUp, attribute, name, &error) }
        guard let found else { return nil }
        defer { fr_call_free(freeSecret, found) }
        return Secret(String(cString: found), kind: kind)
    }

    /// Keeps a secret under a name, in place of the one that is there.
    ///
    /// - Parameter label: What a person sees in a program that shows the keyring.
    package static func keep(_ secret: Secret, as name: String, label: String) throws(KeyringError) {
        let store = try function("secret_password_store_sync")
        var isKept = false
        try call { error in
            isKept = fr_secret_store(store, attribute, name, label, secret.reveal(), &error) != 0
        }
        guard isKept else { throw .unavailable(reason: "it kept nothing") }
    }

    /// Forgets what is kept under a name; nothing to forget is no failure.
    package static func remove(_ name: String) throws(KeyringError) {
        let clear = try function("secret_password_clear_sync")
        try call { error in _ = fr_secret_clear(clear, attribute, name, &error) }
    }

    private static func function(_ name: String) throws(KeyringError) -> UnsafeMutableRawPointer {
        guard let handle = dlopen(library, RTLD_NOW) else {
            throw .noLibrary(reason: dlerror().map { String(cString: $0) } ?? "it cannot be loaded")
        }
        // Never unloaded: GLib keeps threads and types for the rest of the process's life.
        guard let function = dlsym(handle, name) else {
            throw .noLibrary(reason: "\(library) is older than 0.18.5")
        }
        return function
    }

    private static func call(
        _ body: (inout UnsafeMutablePointer<fr_glib_error>?) -> Void
    ) throws(KeyringError) {
        let freeError = try function("g_error_free")
        var error: UnsafeMutablePointer<fr_glib_error>?
        body(&error)
        guard let error else { return }
        let reason = error.pointee.message.map { String(cString: $0) } ?? "it failed"
        fr_call_free(freeError, error)
        throw .unavailable(reason: reason)
    }
}
