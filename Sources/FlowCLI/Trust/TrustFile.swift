internal import FlowLive
internal import JOSE
internal import YAMLText

/// The files that this user trusts, in the state directory, for this user alone.
struct TrustFile: Sendable {
    private let path: String
    private let surroundings: Surroundings

    init(_ surroundings: Surroundings) throws(Problem) {
        guard let state = UserDirectories(surroundings).state else {
            throw .noPlace(for: "what is trusted", surroundings, instead: "set XDG_STATE_HOME")
        }
        path = FilePath.join(state, "trust.json")
        self.surroundings = surroundings
    }

    /// By absolute path; empty without a file.
    func read() throws(Problem) -> [String: Fingerprint] {
        guard FileAccess.isFile(path) else { return [:] }
        let bytes: [UInt8]
        do throws(FileProblem) {
            bytes = try FileAccess.read(path, limit: 16 << 20)
        } catch {
            throw Problem(error, .local)
        }
        // A damaged file trusts nothing.
        guard let trusted = (try? JSON.parse(bytes))?.objectValue?["trusted"]?.objectValue else {
            throw Problem(.local, "\(path) is damaged", hints: ["delete it, then trust your files again"])
        }
        var known: [String: Fingerprint] = [:]
        for (file, entry) in trusted.members {
            known[file] = Fingerprint(files: Self.texts(entry["files"]), facts: Self.texts(entry["facts"]))
        }
        return known
    }

    private static func texts(_ value: JSONValue?) -> [String: String] {
        let pairs = (value?.objectValue?.members ?? []).compactMap { name, value in
            value.stringValue.map { (name, $0) }
        }
        return Dictionary(pairs) { $1 }
    }

    /// Reads, changes and writes with nobody in between: of two words at once neither is lost.
    func change(_ body: (inout [String: Fingerprint]) -> Void) throws(Problem) {
        let turn = try FileTurn.take(path, surroundings)
        defer { turn?.release() }
        let known = try read()
        var changed = known
        body(&changed)
        if changed != known { try write(changed) }
    }

    private func write(_ files: [String: Fingerprint]) throws(Problem) {
        func object(_ texts: [String: String]) -> JSONValue {
            .object(JSONObject(sorting: texts) { .string($0) })
        }
        let entries = JSONObject(sorting: files) {
            .object(["files": object($0.files), "facts": object($0.facts)])
        }
        let json: JSONValue = ["version": 2, "trusted": .object(entries)]
        do throws(FileProblem) {
            try FileReplacement.replacePrivate(path, with: json.serialize(pretty: true) + "\n")
        } catch {
            throw Problem(error, .local)
        }
    }
}
