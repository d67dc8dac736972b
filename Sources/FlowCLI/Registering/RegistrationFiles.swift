internal import FlowLanguage
internal import YAMLText

/// The registrations of the project and of the user.
struct RegistrationFiles: Sendable {
    /// The project's before the user's.
    let registrations: [Registration]
    let diagnostics: [Diagnostic]
    let sources: [SourceFile]

    /// No file at all.
    static let none = RegistrationFiles()

    private init() {
        registrations = []
        diagnostics = []
        sources = []
    }

    /// Reads the files that there are.
    ///
    /// - Throws: When one is there and cannot be read.
    init(_ library: Library, directory: String) throws(FileProblem) {
        var registrations: [Registration] = []
        var diagnostics: [Diagnostic] = []
        var sources: [SourceFile] = []
        for place in [library.project, library.userDirectory] {
            guard let place else { continue }
            let path = FilePath.shown(FilePath.join(place, "flowrun.yaml"), from: directory)
            guard FileAccess.exists(FilePath.join(directory, path)),
                !sources.contains(where: { $0.path == path })
            else { continue }
            let source = try library.read(path)
            let (read, problems) = RegistrationReader.read(source)
            registrations += read
            diagnostics += problems
            sources.append(RegistrationReader.shown(source))
        }
        self.registrations = registrations
        self.diagnostics = diagnostics
        self.sources = sources
    }

    func registration(of provider: String) -> Registration? {
        registrations.first { $0.provider == provider }
    }
}
