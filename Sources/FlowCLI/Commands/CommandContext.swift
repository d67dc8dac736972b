internal import FlowLanguage
internal import JOSE
internal import YAMLText

/// What every command works with.
struct CommandContext: Sendable {
    let surroundings: Surroundings
    let common: CommonOptions
    let library: Library

    init(
        _ surroundings: Surroundings, _ common: CommonOptions, snapshot: LibrarySnapshot = LibrarySnapshot()
    ) {
        self.surroundings = surroundings
        self.common = common
        library = Library(
            surroundings, providersDirectory: common.providersDirectory, use: common.project,
            snapshot: snapshot)
    }

    /// A folder that is not there would silently be no place to look in.
    func checkProviders() throws(Problem) {
        guard let folder = common.providersDirectory,
            !FileAccess.isDirectory(FilePath.join(surroundings.directory, folder))
        else { return }
        throw Problem(.usage, "--providers: \(folder) is no folder")
    }

    /// The bytes of a file in the folder that the command was started in, or of standard input for `-`.
    ///
    /// - Parameter wish: What a person at the terminal is to do, such as `paste the token`.
    func bytes(of file: String, limit: Int, asking wish: String? = nil) throws(Problem) -> [UInt8] {
        do throws(FileProblem) {
            if file == "-" { return try input(limit: limit, asking: wish) }
            return try FileAccess.read(FilePath.join(surroundings.directory, file), limit: limit)
        } catch {
            throw Problem(error)
        }
    }

    /// The bytes of standard input up to its end.
    ///
    /// - Parameter wish: As above; at a terminal nothing else would say that something is waited for.
    func input(limit: Int, asking wish: String?) throws(FileProblem) -> [UInt8] {
        if let wish, surroundings.input.isTerminal { note("\(wish), then Ctrl-D") }
        return try surroundings.input.readAll(limit: limit)
    }

    /// - Throws: When the system has none to give.
    func random(_ count: Int) throws(Problem) -> [UInt8] {
        do throws(OpenSSLError) {
            return try SecureRandom.bytes(count)
        } catch {
            throw Problem(.local, "no random bytes: \(error)")
        }
    }

    func write(_ text: String) { surroundings.output.write(text) }

    /// A line for people; not written when they asked for quiet.
    func note(_ text: String) {
        if common.verbosity > 0 { surroundings.error.write(VisibleText.escaped(text) + "\n") }
    }

    /// Says where files of a kind were looked for, of which there are none.
    func noteAbsence(of kind: LibraryKind) {
        let places = library.places(of: kind).map(\.directory).joined(separator: ", ")
        note("no \(kind.folder) in \(places.isEmpty ? "any place" : places)")
        if let hint = library.missingHint { note(hint) }
    }

    /// Shows mistakes in files, those that do not stop the command only when it is not quiet; what is no mistake is for
    /// `lint` and the curious.
    func show(_ diagnostics: [Diagnostic], _ sources: [SourceFile]) {
        let shown = diagnostics.filter { diagnostic in
            switch diagnostic.severity {
            case .error: true
            case .warning: common.verbosity > 0
            case .info: common.verbosity > 1
            }
        }
        guard !shown.isEmpty else { return }
        let options = RenderOptions(common, surroundings.error, surroundings)
        let renderer = TextDiagnosticRenderer(
            colour: options.color, width: surroundings.error.isTerminal ? options.width : nil)
        surroundings.error.write(renderer.render(shown, sources: sources))
    }

    func show(_ problem: Problem) {
        show(problem.diagnostics, problem.sources)
        surroundings.complain(problem.message)
        let hints = problem.hints.map { "  \(VisibleText.escaped($0))\n" }
        surroundings.error.write(hints.joined())
    }

    /// Says why the command has no result; a program that reads the result reads that there is none.
    func fail(_ problem: Problem, _ form: Command.Form) -> ExitStatus {
        if form == .json, !surroundings.output.hasText { write(OutputText.json(problem)) }
        show(problem)
        return problem.status
    }

    func registrations() throws(Problem) -> RegistrationFiles {
        let files: RegistrationFiles
        do throws(FileProblem) {
            files = try RegistrationFiles(library, directory: surroundings.directory)
        } catch {
            throw Problem(error)
        }
        guard !files.diagnostics.hasErrors else {
            throw Problem(
                .config, "the client registrations cannot be read", diagnostics: files.diagnostics,
                sources: files.sources)
        }
        return files
    }
}
