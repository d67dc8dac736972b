internal import FlowLive
internal import JOSE
internal import OAuthProtocol

/// `store …`: the store of sessions as a whole.
struct StoreCommand: Sendable {
    let context: CommandContext
    let request: StoreRequest

    private var surroundings: Surroundings { context.surroundings }

    func run() async throws(Problem) -> Int {
        guard request.store != .none else {
            throw Problem(.usage, "--store none is no store to work on", hints: ["leave it out"])
        }
        switch request.work {
        case .status(let form): try await status(form)
        case .check: return try await check()
        case .seal(let method): try await seal(method)
        case .exporting(let file, let passphrase): try await export(to: file, passphrase)
        case .importing(let file, let passphrase, let replaces):
            try await takeOver(file, passphrase, replaces: replaces)
        case .reset: try reset()
        }
        return ExitStatus.ok.rawValue
    }

    /// The store, which must be there.
    private func opened() throws(Problem) -> StoredSessions {
        guard let sessions = try StoredSessions.open(surroundings, request.store) else {
            let directory = try StoredSessions.directory(surroundings)
            throw Problem(.local, "there is no store at \(directory)", hints: ["sign in: flowrun login"])
        }
        return sessions
    }

    /// Work on the store, its failures in words.
    private func working<Result: Sendable>(
        _ body: () async throws(StoreError) -> Result
    ) async throws(Problem) -> Result {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw Problem(error)
        }
    }

    private func status(_ form: Command.Form) async throws(Problem) {
        let directory = try StoredSessions.directory(surroundings)
        let sessions: StoredSessions?
        do throws(Problem) {
            sessions = try StoredSessions.open(surroundings, request.store)
        } catch {
            tellClosed(directory, error, form)
            throw error
        }
        try await status(directory, sessions, form)
    }

    /// What can be told of a store whose key cannot be had: enough to look for that.
    private func tellClosed(_ directory: String, _ problem: Problem, _ form: Command.Form) {
        guard let method = try? SQLiteSessionStore.method(directory: directory) else { return }
        switch form {
        case .json:
            let known: JSONObject = [
                "directory": .string(directory), "exists": true, "sealed_by": .string(method.rawValue),
            ]
            context.write(OutputText.json(problem, known: known))
        case .text: context.write("\(directory)\nsealed by \(method.words)\n")
        }
    }

    private func status(
        _ directory: String, _ sessions: StoredSessions?, _ form: Command.Form
    ) async throws(Problem) {
        let count = try await sessions?.rows().count
        let method = await sessions?.store.method
        let obstacle = await sessions?.store.obstacleToSaving
        switch form {
        case .json:
            var object: JSONObject = ["directory": .string(directory), "exists": .bool(sessions != nil)]
            object["sealed_by"] = method.map { .string($0.rawValue) }
            object["sessions"] = count.map { .int(Int64($0)) }
            object["writable"] = sessions.map { _ in .bool(obstacle == nil) }
            context.write(object.serialize() + "\n")
        case .text:
            guard let count, let method else {
                context.write("\(directory)\nno store yet: the first sign-in makes it\n")
                return
            }
            context.write(
                "\(directory)\nsealed by \(method.words), \(count) \(count == 1 ? "session" : "sessions")\n"
                    + (obstacle.map { "\($0.words)\n" } ?? ""))
        }
    }

    private func check() async throws(Problem) -> Int {
        let sessions = try opened()
        var problems = try await working { () throws(StoreError) in try await sessions.store.damages() }
        let rows = try await sessions.rows()
        for row in rows {
            if case .failure(let error) = row.content {
                problems.append("session \(row.key.prefix(12)): \(error.words)")
            }
        }
        for problem in problems { context.write("\(RemoteText.sanitize(problem))\n") }
        guard problems.isEmpty else { return ExitStatus.local.rawValue }
        context.write("\(rows.count) \(rows.count == 1 ? "session" : "sessions"), all of them can be read\n")
        return ExitStatus.ok.rawValue
    }

    // MARK: Keys

    private func seal(_ method: SealingMethod) async throws(Problem) {
        // What opens it now may be a passphrase too. Where none takes its place, the usual names can only mean that one.
        let new = StoreSetup(surroundings: surroundings, mayAsk: true)
        let replaced = StoreSetup(surroundings: surroundings, mayAsk: true, suffix: "_OLD")
        let old = method == .passphrase || replaced.isConfigured ? replaced : new
        let directory = try StoredSessions.directory(surroundings)
        guard FileAccess.isFile(FilePath.join(directory, "sessions.db")) else {
            throw Problem(
                .local, "there is no store at \(directory)",
                hints: ["the first sign-in makes it: flowrun login --store \(method.rawValue)"])
        }
        let store = try await working { () throws(StoreError) in
            try SQLiteSessionStore(directory: directory, protection: old.protection(.automatic))
        }
        let isNew: Bool
        do throws(StoreError) {
            isNew = try await store.seal(new.protection(.method(method)))
        } catch {
            guard case .locked(let reason, let fix) = error else { throw Problem(error) }
            throw Problem(.local, "\(method.words) cannot seal the store: \(reason)", hints: [fix])
        }
        guard isNew else {
            return context.note(
                "the store keeps its key, a key file; for a new one: "
                    + "flowrun store seal passphrase, then flowrun store seal file")
        }
        context.note("the store is sealed by \(method.words) now")
    }

    private func reset() throws(Problem) {
        let directory = try StoredSessions.directory(surroundings)
        do throws(StoreError) {
            try SQLiteSessionStore.remove(directory: directory)
        } catch {
            throw Problem(error)
        }
        context.note("every session in \(directory) is deleted")
    }

    // MARK: Export

    /// - Parameter isNew: Whether it is asked for twice: a slip would make what it seals useless.
    private func passphrase(
        _ file: String?, isNew: Bool = false
    ) throws(Problem) -> Secret {
        if let file {
            return try SecretReader(surroundings: surroundings, hiddenVariables: [])
                .read(.file(file), "passphrase", kind: .other)
        }
        guard Prompter.canAsk(surroundings) else {
            throw Problem(
                .authRequired, "the export needs a passphrase and nobody can be asked",
                hints: ["give --passphrase-file FILE"])
        }
        guard let typed = try Prompter(surroundings: surroundings).askHidden("Passphrase of the export")
        else {
            throw Problem(.authRequired, "no passphrase was given")
        }
        if isNew, try Prompter(surroundings: surroundings).askHidden("The same once more") != typed {
            throw Problem(.usage, "the two passphrases differ: nothing was written")
        }
        return typed
    }

    private func export(to file: String, _ passphraseFile: String?) async throws(Problem) {
        let sessions = try opened()
        let passphrase = try passphrase(passphraseFile, isNew: true)
        let bytes = try await working { () throws(StoreError) in
            var entries: [StoreArchive.Entry] = []
            for key in try await sessions.store.keys() {
                guard let row = try await sessions.store.load(key: key) else { continue }
                entries.append(StoreArchive.Entry(key: key, bytes: row.bytes))
            }
            return try StoreArchive.seal(entries, passphrase: passphrase)
        }
        guard file != "-" else { return context.write(String(decoding: bytes, as: UTF8.self)) }
        do throws(FileProblem) {
            let text = String(decoding: bytes, as: UTF8.self)
            try FileReplacement.create(
                FilePath.join(surroundings.directory, file), text, permissions: 0o600)
        } catch {
            throw Problem(error, .local)
        }
        context.note("\(file) holds the sessions; only its passphrase opens it")
    }

    private func takeOver(_ file: String, _ passphraseFile: String?, replaces: Bool) async throws(Problem) {
        let entries = try entries(of: file, passphraseFile)
        let sessions = try StoredSessions.make(
            surroundings, request.store, try StoredSessions.directory(surroundings))
        let counts = try await working { () throws(StoreError) -> (taken: Int, kept: Int) in
            var (taken, kept) = (0, 0)
            for entry in entries {
                do throws(StoreError) {
                    _ = try await sessions.store.save(
                        key: entry.key, bytes: entry.bytes, expecting: replaces ? .any : .absent)
                    taken += 1
                } catch {
                    guard case .conflict = error else { throw error }
                    kept += 1
                }
            }
            return (taken, kept)
        }
        let rest = counts.kept > 0 ? ", \(counts.kept) kept as stored here (--replace takes the file's)" : ""
        context.note("\(counts.taken) taken over\(rest)")
    }

    private func entries(
        of file: String, _ passphraseFile: String?
    ) throws(Problem) -> [StoreArchive.Entry] {
        let bytes: [UInt8]
        do throws(FileProblem) {
            bytes = try FileAccess.read(
                FilePath.join(surroundings.directory, file), limit: StoreArchive.largest)
        } catch {
            throw Problem(error)
        }
        let passphrase = try passphrase(passphraseFile)
        do throws(StoreArchive.Failure) {
            return try StoreArchive.open(bytes, passphrase: passphrase)
        } catch {
            switch error {
            case .notAnArchive(let reason):
                throw Problem(.config, "\(file): \(reason)", hints: ["flowrun store export FILE writes one"])
            case .closed:
                throw Problem(
                    .local, "\(file) does not open",
                    hints: [
                        "the passphrase is another than the one it was sealed with, or the file was changed"
                    ])
            }
        }
    }
}
