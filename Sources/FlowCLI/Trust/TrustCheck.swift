internal import FlowLanguage
internal import YAMLText

/// Lets a flow run programs of its own only when somebody has seen them.
///
/// A flow file is data, but it may name programs; a file that came with a project is not run because it lies there.
struct TrustCheck: Sendable {
    let context: CommandContext
    let flow: LoadedFlow

    private var surroundings: Surroundings { context.surroundings }

    /// Where the flow file is.
    private var path: String { FilePath.join(surroundings.directory, flow.source.path) }

    var parts: HostedParts { HostedParts(flow.program, directory: FilePath.parent(of: path)) }

    /// The same without hooks that are left out.
    private func parts(_ options: LiveOptions) -> HostedParts {
        HostedParts(
            flow.program, directory: FilePath.parent(of: path), includesHooks: options.asksHooks)
    }

    enum Standing: Sendable, Hashable {
        /// It runs nothing of its own.
        case needless
        case trusted
        case unknown
        /// Trusted once; these files are not what they were.
        case changed([String])
    }

    func standing() throws(Problem) -> Standing {
        let parts = parts
        if parts.isEmpty || context.library.isShipped(flow.source.path) { return .needless }
        guard let known = try TrustFile(surroundings).read()[path] else { return .unknown }
        let changes = try fingerprint(parts).changes(since: known)
        return changes.isEmpty ? .trusted : .changed(changes)
    }

    func fingerprint(_ parts: HostedParts) throws(Problem) -> FlowFingerprint {
        do throws(FileProblem) {
            return try FlowFingerprint(flow, parts, directory: surroundings.directory)
        } catch {
            throw Problem(error)
        }
    }

    /// Before a run that touches the world.
    ///
    /// - Throws: With status 3 when the flow is not trusted and nobody can be asked, or said no.
    func demand(_ options: LiveOptions) throws(Problem) {
        if options.trustsPrograms || parts(options).isEmpty { return }
        let standing = try standing()
        let reason: String
        switch standing {
        case .needless, .trusted: return
        case .unknown: reason = "\(flow.source.path) runs programs, and nobody has said that they are trusted"
        case .changed(let files):
            let names = files.map { FilePath.shown($0, from: surroundings.directory) }
            reason = "\(flow.source.path) was trusted, but \(names.joined(separator: ", ")) changed since"
        }
        guard options.mayAsk, Prompter.canAsk(surroundings) else {
            throw Problem(
                .config, reason,
                hints: parts.parts.map { "\($0.owner): \($0.action)" }
                    + ["after a look at them: flowrun trust \(flow.source.path)"])
        }
        try ask(reason)
    }

    private func ask(_ reason: String) throws(Problem) {
        let prompter = Prompter(surroundings: surroundings)
        prompter.say(reason)
        for part in parts.parts { prompter.say("  \(part.owner): \(part.action)") }
        let answer = try prompter.ask("Run them, now and until a file changes? yes or no", standard: "no")
        guard ["y", "yes"].contains(answer.lowercased()) else {
            throw Problem(.config, "\(flow.source.path) is not trusted, so it was not run")
        }
        try trust()
    }

    /// Remembers the files as they are now.
    func trust() throws(Problem) {
        let file = try TrustFile(surroundings)
        var known = try file.read()
        known[path] = try fingerprint(parts)
        try file.write(known)
    }

    /// - Returns: Whether it was trusted before.
    static func forget(_ path: String, _ surroundings: Surroundings) throws(Problem) -> Bool {
        let file = try TrustFile(surroundings)
        var known = try file.read()
        guard known.removeValue(forKey: path) != nil else { return false }
        try file.write(known)
        return true
    }
}
