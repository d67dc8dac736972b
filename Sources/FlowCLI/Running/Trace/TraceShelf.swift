internal import Glibc

/// The traces of the last runs, kept for whoever asks later what happened.
///
/// They hold no secret. Losing one is no failure: what cannot be kept is not kept.
struct TraceShelf: Sendable {
    struct Entry: Sendable, Hashable {
        let path: String
        let run: String
    }

    /// How many are kept.
    static let capacity = 100

    let directory: String

    /// - Returns: `nil` where there is no place for them.
    init?(_ surroundings: Surroundings) {
        guard let state = UserDirectories(surroundings).state else { return nil }
        directory = FilePath.join(state, "traces")
    }

    /// The newest first.
    var entries: [Entry] {
        names.compactMap { name in
            guard let dash = name.utf8.firstIndex(of: UInt8(ascii: "-")) else { return nil }
            let run = name[name.utf8.index(after: dash)...].dropLast(Self.ending.count)
            return Entry(path: FilePath.join(directory, name), run: String(run))
        }
    }

    /// The newest first.
    private var names: [String] {
        FileAccess.names(in: directory).reversed().filter { name in
            name.utf8.suffix(Self.ending.utf8.count).elementsEqual(Self.ending.utf8)
        }
    }

    /// A new file for the trace of a run, of which the oldest make room.
    ///
    /// - Parameter time: Milliseconds since 1970.
    func place(for run: String, at time: Int64) throws(FileProblem) -> String {
        try PrivateFile.makeDirectory(directory)
        for old in names.dropFirst(Self.capacity - 1) {
            try PrivateFile.remove(FilePath.join(directory, old))
        }
        let number = String(time)
        let padded = String(repeating: "0", count: max(0, 15 - number.utf8.count)) + number
        return FilePath.join(directory, "\(padded)-\(run)\(Self.ending)")
    }

    private static let ending = ".jsonl"
}
