internal import JOSE
internal import YAMLText

/// `trust` and `untrust`: whose programs may run.
struct TrustCommand: Sendable {
    let context: CommandContext
    let request: TrustRequest

    private var surroundings: Surroundings { context.surroundings }

    func run() throws(Problem) -> Int {
        switch request.work {
        case .trust(let word): try trust(word)
        case .forget(let word): try forget(word)
        case .list: try list()
        }
        return ExitStatus.ok.rawValue
    }

    private func trust(_ word: String) throws(Problem) {
        let check = TrustCheck(context: context, flow: try context.library.flow(word))
        let parts = check.parts
        guard !parts.isEmpty else {
            context.note("\(check.flow.source.path) runs no programs: there is nothing to trust")
            return
        }
        try check.trust()
        context.note("\(check.flow.source.path) may run, until one of its files changes:")
        for part in parts.parts { context.note("  \(part.owner): \(part.action)") }
    }

    private func forget(_ word: String) throws(Problem) {
        let path: String
        do throws(LibraryProblem) {
            path = FilePath.join(surroundings.directory, try context.library.path(.flow, word))
        } catch {
            // A flow that is gone may still be forgotten.
            path = FilePath.join(surroundings.directory, word)
        }
        guard try TrustCheck.forget(path, surroundings) else {
            throw Problem(.usage, "\(word) is not trusted", hints: ["see: flowrun trust"])
        }
        context.note("\(word) is no longer trusted")
    }

    private func list() throws(Problem) {
        let known = try TrustFile(surroundings).read().sorted { $0.key < $1.key }
        switch request.form {
        case .json:
            let flows = known.map { path, fingerprint -> JSONValue in
                [
                    "flow": .string(path), "changed": .array(changes(fingerprint).map { .string($0) }),
                    "files": .array(fingerprint.files.keys.sorted().map { .string($0) }),
                ]
            }
            context.write(JSONValue.object(["flows": .array(flows)]).serialize(pretty: true) + "\n")
        case .text:
            if known.isEmpty { return context.note("no flow is trusted: none may run programs of its own") }
            var page = Page(RenderOptions(context.common, surroundings.output, surroundings))
            page.table(
                known.map { path, fingerprint in
                    let changes = changes(fingerprint).map {
                        FilePath.shown($0, from: surroundings.directory)
                    }
                    let state =
                        changes.isEmpty
                        ? Styled("trusted") : Styled("changed: \(changes.joined(separator: ", "))", .warning)
                    return [Styled(FilePath.shown(path, from: surroundings.directory)), state]
                }, indent: 0)
            context.write(page.take())
        }
    }

    /// Files that are gone or are not what they were.
    private func changes(_ fingerprint: FlowFingerprint) -> [String] {
        fingerprint.files.keys.sorted().filter { path in
            guard let bytes = try? FileAccess.read(path, limit: 64 << 20) else { return true }
            return Hexadecimal.encode(Digest.sha256(bytes)) != fingerprint.files[path]
        }
    }
}

struct TrustRequest: Sendable, Hashable {
    enum Work: Sendable, Hashable {
        case trust(String)
        case forget(String)
        case list
    }

    var work: Work
    var form = Command.Form.text
}

extension TrustRequest {
    init(_ parsed: ParsedArguments) {
        let word = parsed.arguments.first
        let isForgetting = parsed.spec.name == "untrust"
        work = word.map { isForgetting ? .forget($0) : .trust($0) } ?? .list
        form = parsed.form
    }
}
