import Glibc
internal import JOSE

/// The key that seals stored sessions; its descriptions show nothing of it.
package struct SealingKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    fileprivate let bytes: [UInt8]

    /// - Returns: `nil` unless there are 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == AEAD.keyLength else { return nil }
        self.bytes = bytes
    }

    package var description: String { "‹sealing key›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }

    /// Seals `plaintext` so that it opens only with `context`: a random nonce, then the sealed bytes.
    func seal(_ plaintext: [UInt8], context: [UInt8]) throws(StoreError) -> [UInt8] {
        do {
            let nonce = try SecureRandom.bytes(AEAD.nonceLength)
            return nonce + (try AEAD.seal(plaintext, key: bytes, nonce: nonce, authenticating: context))
        } catch {
            throw .unavailable(path: "", reason: "the bytes cannot be sealed")
        }
    }

    func open(_ sealed: [UInt8], context: [UInt8]) throws(StoreError) -> [UInt8] {
        guard sealed.count > AEAD.nonceLength else { throw .corrupt(reason: "a stored session is too short") }
        do {
            return try AEAD.open(
                Array(sealed.dropFirst(AEAD.nonceLength)), key: bytes,
                nonce: Array(sealed.prefix(AEAD.nonceLength)), authenticating: context)
        } catch {
            throw .corrupt(reason: "a stored session does not open with this key")
        }
    }
}

/// The file that holds the machine's key: 32 random bytes, mode 0600.
package enum KeyFile {
    /// Reads the key, or makes one when there is none; of several processes that make one, all get the same.
    ///
    /// The directory must be there, as `SQLiteSessionStore` makes it.
    ///
    /// - Throws: `permission` when others may read the file or it is a link; `damaged` when it has another
    ///   length; `diskFull` or `unavailable` when it cannot be written.
    package static func loadOrCreate(_ path: String) throws(StoreError) -> SealingKey {
        if let key = try load(path) { return key }
        try create(path)
        guard let key = try load(path) else {
            throw .unavailable(path: path, reason: "it went away after it was written")
        }
        return key
    }

    /// - Returns: `nil` when there is no such file.
    package static func load(_ path: String) throws(StoreError) -> SealingKey? {
        guard let file = try PrivateFile.open(reading: path) else { return nil }
        var bytes = [UInt8](repeating: 0, count: AEAD.keyLength + 1)
        let count = read(file.number, &bytes, bytes.count)
        guard count >= 0 else { throw PrivateFile.failure(path, errno) }
        guard let key = SealingKey(Array(bytes.prefix(count))) else {
            throw .damaged(path: path, reason: "it has \(count) bytes, not \(AEAD.keyLength)")
        }
        return key
    }

    /// Writes a whole file under another name and links it, so that nobody reads half a key.
    private static func create(_ path: String) throws(StoreError) {
        let key: [UInt8]
        let draft: String
        do {
            key = try SecureRandom.bytes(AEAD.keyLength)
            draft = path + "." + Base64URL.encode(try SecureRandom.bytes(9))
        } catch {
            throw .unavailable(path: path, reason: "no random bytes")
        }
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PrivateFile.failure(path, errno) }
        let file = FileDescriptor(owning: descriptor)
        defer { unlink(draft) }
        guard write(file.number, key, key.count) == key.count, fsync(file.number) == 0 else {
            throw PrivateFile.failure(path, errno)
        }
        guard link(draft, path) == 0 || errno == EEXIST else { throw PrivateFile.failure(path, errno) }
    }
}
