internal import JOSE
internal import Synchronization
internal import YAMLText

/// The files that a run was made of, by name and by path.
///
/// Kept with the journal of a run, so that a file that is edited meanwhile does not change a run in flight.
final class LibrarySnapshot: Sendable {
    private struct Content {
        /// Paths by kind and word, as `flow:login`.
        var names: [String: String] = [:]
        /// Texts by path as shown.
        var files: [String: String] = [:]
    }

    private let content = Mutex(Content())
    /// Whether it answers in place of the disk.
    private let isFixed: Bool

    /// One that notes what is read.
    init() { isFixed = false }

    /// One that answers as the disk did.
    init?(_ json: JSONValue?) {
        guard let names = json?["names"]?.objectValue, let files = json?["files"]?.objectValue else {
            return nil
        }
        isFixed = true
        content.withLock {
            for (name, path) in names.members { $0.names[name] = path.stringValue }
            for (path, text) in files.members { $0.files[path] = text.stringValue }
        }
    }

    var json: JSONValue {
        content.withLock {
            [
                "names": .object(JSONObject(sorting: $0.names) { .string($0) }),
                "files": .object(JSONObject(sorting: $0.files) { .string($0) }),
            ]
        }
    }

    /// - Returns: `nil` for what must be looked for.
    func path(_ kind: LibraryKind, _ word: String) -> String? {
        isFixed ? content.withLock { $0.names["\(kind.rawValue):\(word)"] } : nil
    }

    /// - Returns: `nil` for what must be read.
    func file(_ path: String) -> SourceFile? {
        guard isFixed, let text = content.withLock({ $0.files[path] }) else { return nil }
        return SourceFile(path: path, text: text)
    }

    func note(_ kind: LibraryKind, _ word: String, _ path: String) {
        content.withLock { $0.names["\(kind.rawValue):\(word)"] = path }
    }

    func note(_ file: SourceFile) {
        content.withLock { $0.files[file.path] = file.text }
    }
}
