internal import JOSE
package import OAuthProtocol

/// Sessions in a file that a passphrase opens, for another machine.
///
/// One JSON object: the parameters of scrypt (RFC 7914), and the sessions sealed with AES-256-GCM.
package enum StoreArchive {
    package struct Entry: Sendable, Hashable {
        package let key: String
        package let bytes: [UInt8]

        package init(key: String, bytes: [UInt8]) {
            self.key = key
            self.bytes = bytes
        }
    }

    /// Why an archive gives no sessions, said of its file.
    package enum Failure: Error, Sendable, Hashable {
        case notAnArchive(reason: String)
        /// The passphrase is another, or the file was changed: nobody can tell which.
        case closed
    }

    private static let context = Array("flowrun archive 1".utf8)

    package static func seal(_ entries: [Entry], passphrase: Secret) throws(StoreError) -> [UInt8] {
        let seal = try StoreSeal.make(.passphrase)
        let key = try StoreProtection(method: .passphrase, passphrase: { passphrase }).key(of: seal, "")
        let sessions = entries.map { entry in
            JSONValue.object([
                "key": .string(entry.key), "session": .string(Base64URL.encode(entry.bytes)),
            ])
        }
        let sealed = try key.seal(JSONValue.array(sessions).serializedBytes, context: context)
        let file: JSONObject = [
            "flowrun_sessions": .int(1), "scrypt": .string(seal.text),
            "sealed": .string(Base64URL.encode(sealed)),
        ]
        return file.serializedBytes + [UInt8(ascii: "\n")]
    }

    /// The largest archive that is read, in bytes: far more than people have sessions.
    package static let largest = 256 << 20
    private static let limits = JSONLimits(bytes: largest)

    /// - Throws: `notAnArchive` for what `seal` does not write; `closed` when the passphrase does not open it.
    package static func open(_ bytes: [UInt8], passphrase: Secret) throws(Failure) -> [Entry] {
        // Any parse error means the same: not an archive.
        guard let file = try? JSON.parse(bytes, limits: limits),
            file["flowrun_sessions"]?.intValue == 1,
            let text = file["scrypt"]?.stringValue,
            let seal = StoreSeal(method: SealingMethod.passphrase.rawValue, text: text),
            let sealed = file["sealed"]?.stringValue.flatMap({ Base64URL.decode($0) })
        else { throw .notAnArchive(reason: "it holds no exported sessions") }
        let opened: [UInt8]
        do throws(StoreError) {
            opened = try StoreProtection(method: .passphrase, passphrase: { passphrase })
                .key(of: seal, "").open(sealed, context: context)
        } catch {
            throw .closed
        }
        guard let sessions = (try? JSON.parse(opened, limits: limits))?.arrayValue else {
            throw .notAnArchive(reason: "it holds no list of sessions")
        }
        var entries: [Entry] = []
        for session in sessions {
            guard let key = session["key"]?.stringValue,
                let bytes = session["session"]?.stringValue.flatMap({ Base64URL.decode($0) })
            else { throw .notAnArchive(reason: "it holds something that is no session") }
            entries.append(Entry(key: key, bytes: bytes))
        }
        return entries
    }
}
