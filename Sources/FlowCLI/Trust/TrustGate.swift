internal import FlowLanguage

/// Lets files do what reaches beyond them only when somebody has seen it.
///
/// Flows, providers and registrations are data, but they may name programs, servers and secrets; what came with a project
/// is not done because it lies there.
struct TrustGate: Sendable {
    let context: CommandContext
    /// Whether somebody has said that everything is right this time.
    var isOpen = false
    var mayAsk = true

    private var surroundings: Surroundings { context.surroundings }

    enum Standing: Sendable, Hashable {
        /// There is nothing that needs somebody's word.
        case needless
        case trusted
        case unknown
        /// Trusted once; this is not what it was.
        case changed([String])
    }

    func standing(of subject: TrustSubject) throws(Problem) -> Standing {
        if subject.parts.isEmpty || context.library.isShipped(subject.path) { return .needless }
        guard let known = try TrustFile(surroundings).read()[absolute(subject.path)] else { return .unknown }
        let changes = subject.fingerprint.changes(since: known)
        return changes.isEmpty ? .trusted : .changed(changes)
    }

    /// One name for a file, however somebody came to it.
    private func absolute(_ path: String) -> String {
        let path = FilePath.join(surroundings.directory, path)
        return FileAccess.resolved(path) ?? path
    }

    /// Before anything is done that the subject asks for.
    ///
    /// - Throws: With status 3 when it is not trusted and nobody can be asked, or said no.
    func admit(_ subject: TrustSubject) throws(Problem) {
        if isOpen { return }
        let reason: String
        switch try standing(of: subject) {
        case .needless, .trusted: return
        case .unknown:
            reason = "\(subject.path) \(subject.claim), and nobody has said that it is trusted"
        case .changed(let parts):
            let names = parts.map { FilePath.shown($0, from: surroundings.directory) }
            reason = "\(subject.path) was trusted, but \(names.joined(separator: ", ")) changed since"
        }
        let parts = subject.parts.map { "\($0.owner): \($0.action)" }
        guard mayAsk, Prompter.canAsk(surroundings) else {
            throw Problem(
                .config, reason, hints: parts + ["after a look at them: flowrun trust \(subject.path)"])
        }
        let prompter = Prompter(surroundings: surroundings)
        prompter.say(reason)
        for part in parts { prompter.say("  \(part)") }
        guard try prompter.agrees("Allow it, now and until one of these changes?") else {
            throw Problem(.config, "\(subject.path) is not trusted, so it was not used")
        }
        try trust(subject)
    }

    /// Remembers the subject as it is now.
    func trust(_ subject: TrustSubject) throws(Problem) {
        try TrustFile(surroundings).change { known in known[absolute(subject.path)] = subject.fingerprint }
    }

    /// - Returns: Whether it was trusted before.
    func forget(_ path: String) throws(Problem) -> Bool {
        var wasTrusted = false
        try TrustFile(surroundings).change { known in
            wasTrusted = known.removeValue(forKey: absolute(path)) != nil
        }
        return wasTrusted
    }
}

// MARK: Secrets of a project

extension TrustGate {
    /// Before a secret is read that a file of registrations names.
    func admit(_ place: RegistrationPlace) throws(Problem) {
        guard !isOpen, case .file(let path, _) = place, context.library.isOfProject(path) else { return }
        try admit(try registrations(path, context))
    }

    private func registrations(_ path: String, _ context: CommandContext) throws(Problem) -> TrustSubject {
        try TrustSubject(registrations: path, try context.registrations().registrations, surroundings)
    }

    /// Whether a project's registrations are as somebody agreed to; `true` where there is nothing to agree to.
    func holds(registrations path: String) -> Bool {
        guard context.library.isOfProject(path) else { return true }
        // What cannot be read was agreed to by nobody.
        guard let standing = try? standing(of: registrations(path, fresh)) else { return false }
        return standing == .needless || standing == .trusted
    }

    /// What flowrun itself has written at somebody's word needs no second one.
    func note(registrations path: String) throws(Problem) {
        guard context.library.isOfProject(path) else { return }
        let subject = try registrations(path, fresh)
        if !subject.parts.isEmpty { try trust(subject) }
    }

    /// With the files as they are now, not as they were when the command began.
    private var fresh: CommandContext { CommandContext(surroundings, context.common) }
}
