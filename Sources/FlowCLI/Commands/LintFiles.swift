internal import FlowLanguage
internal import YAMLText

/// The files that `lint` was asked to check, each with what it is.
struct LintFiles: Sendable {
    struct File: Sendable {
        /// `nil` for a file that was asked about by its name and is none of ours.
        let kind: FileKind?
        let source: SourceFile
    }

    private(set) var files: [File] = []
    /// What is there and cannot be read.
    private(set) var unreadable: [Diagnostic] = []
    /// Paths that were asked about and hold nothing to check.
    private(set) var empty: [String] = []
    private let context: CommandContext
    /// Folders that were gone through, links resolved: a link may lead back.
    private var folders: Set<String> = []

    /// - Parameter paths: Files and folders; the project's when there are none.
    init(_ paths: [String], _ context: CommandContext) throws(Problem) {
        self.context = context
        for path in paths {
            let count = files.count + unreadable.count
            let isAgain = FileAccess.resolved(FilePath.join(context.surroundings.directory, path)).map {
                folders.contains($0)
            }
            add(path, isNamed: true)
            if files.count + unreadable.count == count, isAgain != true,
                FileAccess.isDirectory(FilePath.join(context.surroundings.directory, path))
            {
                empty.append(path)
            }
        }
        guard paths.isEmpty else { return }
        guard let project = context.library.project else {
            throw Problem(.usage, "there is no project here", hints: ["name files or folders to check"])
        }
        for name in ["flowrun.yaml", "flows", "providers"] {
            let path = FilePath.join(project, name)
            guard FileAccess.exists(path) else { continue }
            add(FilePath.shown(path, from: context.surroundings.directory), isNamed: false)
        }
    }

    private mutating func add(_ path: String, isNamed: Bool) {
        do throws(FileProblem) {
            let absolute = FilePath.join(context.surroundings.directory, path)
            guard FileAccess.isDirectory(absolute) else { return try addFile(path, isNamed: isNamed) }
            guard folders.insert(FileAccess.resolved(absolute) ?? absolute).inserted else { return }
            for name in try FileAccess.contents(of: absolute) {
                let isFolder = FileAccess.isDirectory(FilePath.join(absolute, name))
                guard isFolder || name.hasSuffix(".yaml") || name.hasSuffix(".yml") else { continue }
                add(FilePath.join(path, name), isNamed: false)
            }
        } catch {
            unreadable.append(
                Diagnostic(
                    code: "FL002", file: path, span: SourceSpan(at: .start),
                    message: "cannot be read: \(error.reason)", hint: hint(path)))
        }
    }

    /// Other commands take names, this one takes paths.
    private func hint(_ path: String) -> String? {
        guard !path.contains("/") else { return nil }
        let library = context.library
        let known = [LibraryKind.flow, .provider].lazy.compactMap { try? library.path($0, path) }.first
        return known.map { "name the file: \($0)" }
    }

    private mutating func addFile(_ path: String, isNamed: Bool) throws(FileProblem) {
        guard !files.contains(where: { $0.source.path == path }) else { return }
        let source = try context.library.read(path)
        let kind = Self.kind(of: source, isNamed: isNamed)
        if isNamed || kind != nil { files.append(File(kind: kind, source: source)) }
    }

    /// What a file is, by its name, its keys or its folder; `nil` for YAML that is none of ours.
    ///
    /// - Parameter isNamed: Whether somebody says that it is one of ours, so that less need show its kind.
    static func kind(of source: SourceFile, isNamed: Bool) -> FileKind? {
        let name = FilePath.lastName(of: source.path)
        if name == "flowrun.yaml" { return .registrations }
        if [".flow.yaml", ".flow.yml"].contains(where: name.hasSuffix) { return .flow }
        if [".provider.yaml", ".provider.yml"].contains(where: name.hasSuffix) { return .provider }
        let folder = kind(ofFolder: FilePath.lastName(of: FilePath.parent(of: source.path)))
        let likeness = FileLikeness(YAMLDocument.parse(source).root)
        guard likeness.isOurs || (likeness.isAlike && (isNamed || folder != nil)) else { return folder }
        if let folder, likeness.kinds.contains(folder) { return folder }
        return likeness.kinds.first
    }

    private static func kind(ofFolder name: String) -> FileKind? {
        switch name {
        case "flows": .flow
        case "providers": .provider
        default: nil
        }
    }
}
