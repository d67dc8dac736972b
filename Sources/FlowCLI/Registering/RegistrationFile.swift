internal import FlowLanguage
internal import FlowLive
internal import Glibc

/// The `flowrun.yaml` that a registration is written to.
struct RegistrationFile: Sendable {
    /// As shown.
    let path: String
    private let surroundings: Surroundings
    private let gate: TrustGate

    /// The file that has the entry, else the project's, else the user's.
    ///
    /// - Parameter isForUser: Whether it is the user's, whatever project this is.
    init(_ entry: Registration?, isForUser: Bool, _ context: CommandContext) throws(Problem) {
        surroundings = context.surroundings
        gate = TrustGate(context: context)
        guard let user = context.library.userDirectory else {
            throw .noPlace(for: "a registration", surroundings, instead: "set XDG_CONFIG_HOME")
        }
        let folder = isForUser ? user : context.library.project ?? user
        let own = FilePath.shown(FilePath.join(folder, "flowrun.yaml"), from: surroundings.directory)
        path = isForUser ? own : entry?.file ?? own
    }

    private var absolute: String { FilePath.join(surroundings.directory, path) }

    /// A path as the file names it.
    func stored(_ path: String) -> String {
        UserPath.stored(path, in: FilePath.parent(of: self.path), surroundings)
    }

    /// What stands in it then is trusted as far as what stood there before was.
    ///
    /// - Throws: When the text cannot be changed without harm, or not be written.
    func write(_ draft: RegistrationDraft) throws(Problem) {
        let turn = try FileTurn.take(absolute, surroundings)
        defer { turn?.release() }
        let wasAgreedTo = gate.holds(registrations: path)
        let old = try text()
        let new = try edited(draft, old)
        do throws(FileProblem) {
            if let old {
                if old != new { try FileReplacement.replace(absolute, with: new) }
            } else {
                try PrivateFile.makeDirectory(FilePath.parent(of: absolute))
                try FileReplacement.create(absolute, new)
            }
        } catch {
            throw unwritten(error)
        }
        if wasAgreedTo { try gate.note(registrations: path) }
    }

    /// Finds out whether `write` will find a text that it can change, and a folder that it can write to.
    func check(_ draft: RegistrationDraft) throws(Problem) {
        _ = try edited(draft, try text())
        do throws(FileProblem) {
            let folder = FilePath.parent(of: absolute)
            try PrivateFile.makeDirectory(folder)
            guard FileAccess.mayWrite(folder) else { throw FileProblem(folder, "cannot be written to") }
        } catch {
            throw unwritten(error)
        }
    }

    /// Why nothing was written, and where else it could be.
    private func unwritten(_ error: FileProblem) -> Problem {
        if error.code == ENOSPC || error.code == EDQUOT {
            return Problem(.local, error.description, hints: ["make room on its disk"])
        }
        let user = UserDirectories(surroundings)
        let isOfUser = FilePath.parent(of: absolute) == user.configuration
        return Problem(
            .local, error.description,
            hints: isOfUser
                ? user.registrationHints : ["--user writes to a file of this user, for every project"])
    }

    /// Takes keys out of a provider's entry; one that has no others goes with them.
    func remove(_ keys: Set<String>, of provider: String) throws(Problem) {
        let turn = try FileTurn.take(absolute, surroundings)
        defer { turn?.release() }
        guard let old = try text() else { return }
        let new: String
        do throws(RegistrationEdit.Failure) {
            new = try RegistrationEdit.remove(keys, of: provider, from: old, path: path)
        } catch {
            throw Problem(
                .config, "\(path) is written in a way that cannot be changed without harm",
                hints: ["take \(keys.sorted().joined(separator: ", ")) of \(provider) out of it yourself"])
        }
        do throws(FileProblem) {
            try FileReplacement.replace(absolute, with: new)
        } catch {
            throw Problem(error, .local)
        }
    }

    private func text() throws(Problem) -> String? {
        guard FileAccess.status(absolute) != nil else { return nil }
        do throws(FileProblem) {
            return String(decoding: try FileAccess.read(absolute), as: UTF8.self)
        } catch {
            throw Problem(error)
        }
    }

    private func edited(_ draft: RegistrationDraft, _ text: String?) throws(Problem) -> String {
        do throws(RegistrationEdit.Failure) {
            return try RegistrationEdit.apply(draft, to: text, path: path)
        } catch {
            throw Problem(
                .config, "\(path) is written in a way that cannot be changed without harm",
                hints: ["write this under registrations yourself:"] + draft.lines(indentation: 0))
        }
    }
}
