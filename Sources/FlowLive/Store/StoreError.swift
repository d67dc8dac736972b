/// Why the session store did not do what was asked; the stored rows are then as they were.
package enum StoreError: Error, Sendable, Hashable {
    /// It cannot be opened or used.
    case unavailable(path: String, reason: String)
    /// The file, the directory or the key may not be used as they are, or not by this user.
    case permission(path: String, reason: String)
    /// Nothing can be written there, whoever owns it.
    case readOnly(path: String, reason: String)
    /// A session is not what was written, or was sealed with another key.
    case corrupt(reason: String)
    /// The database or its key file is not what was written, so that no session can be had.
    case damaged(path: String, reason: String)
    /// The row is not as expected; its generation, or `nil` when there is none.
    case conflict(current: Int64?)
    case diskFull(path: String)
    /// Other processes kept it locked for too long.
    case busy(path: String)
    /// It is to be deleted, and these processes work with it; empty when nobody can tell which.
    case inUse(path: String, processes: [Int32])
    /// The key that its sessions are sealed with cannot be had, and what to do about it.
    case locked(reason: String, fix: String)
    /// A passphrase was given, and the store was sealed with another; how to give one.
    case wrongPassphrase(path: String, fix: String)
    /// Written by a later flowrun.
    case newerSchema(found: Int, supported: Int)
}
