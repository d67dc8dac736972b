internal import JOSE
internal import YAMLText

/// The flows whose programs and servers this user lets run, in the state directory, for this user alone.
struct TrustFile: Sendable {
    private let path: String

    init(_ surroundings: Surroundings) throws(Problem) {
        guard let state = UserDirectories(surroundings).state else {
            throw Problem(
                .local, "there is no place to keep what is trusted", hints: ["set HOME, or XDG_STATE_HOME"])
        }
        path = FilePath.join(state, "trust.json")
    }

    /// By absolute path of the flow file; empty without a file.
    func read() throws(Problem) -> [String: FlowFingerprint] {
        guard FileAccess.isFile(path) else { return [:] }
        let bytes: [UInt8]
        do throws(FileProblem) {
            bytes = try FileAccess.read(path, limit: 16 << 20)
        } catch {
            throw Problem(error, .local)
        }
        // A damaged file trusts nothing.
        guard let flows = (try? JSON.parse(bytes))?.objectValue?["flows"]?.objectValue else {
            throw Problem(.local, "\(path) is damaged", hints: ["delete it, then trust your flows again"])
        }
        var known: [String: FlowFingerprint] = [:]
        for (flow, entry) in flows.members {
            let files = (entry.objectValue?["files"]?.objectValue?.members ?? []).compactMap { file, digest in
                digest.stringValue.map { (file, $0) }
            }
            known[flow] = FlowFingerprint(files: Dictionary(files) { $1 })
        }
        return known
    }

    func write(_ flows: [String: FlowFingerprint]) throws(Problem) {
        let entries = JSONObject(sorting: flows) {
            .object(["files": .object(JSONObject(sorting: $0.files) { .string($0) })])
        }
        let json: JSONValue = ["version": 1, "flows": .object(entries)]
        do throws(FileProblem) {
            try FileReplacement.replacePrivate(path, with: json.serialize(pretty: true) + "\n")
        } catch {
            throw Problem(error, .local)
        }
    }
}
