internal import YAMLText

/// The files that `lint` was asked to check, each with what it is.
struct LintFiles: Sendable {
    enum Kind: Sendable, Hashable {
        case flow, provider, registrations
    }

    struct File: Sendable {
        let kind: Kind
        let source: SourceFile
    }

    private(set) var files: [File] = []
    private let context: CommandContext

    /// - Parameter paths: Files and folders; the project's when there are none.
    init(_ paths: [String], _ context: CommandContext) throws(Problem) {
        self.context = context
        for path in paths {
            try add(path, isNamed: true)
        }
        guard paths.isEmpty else { return }
        guard let project = context.library.project else {
            throw Problem(.usage, "there is no project here", hints: ["name files or folders to check"])
        }
        for name in ["flowrun.yaml", "flows", "providers"] {
            let path = FilePath.join(project, name)
            guard FileAccess.status(path) != nil else { continue }
            try add(FilePath.shown(path, from: context.surroundings.directory), isNamed: false)
        }
    }

    private mutating func add(_ path: String, isNamed: Bool) throws(Problem) {
        let absolute = FilePath.join(context.surroundings.directory, path)
        if FileAccess.isDirectory(absolute) {
            for name in FileAccess.names(in: absolute) {
                let inner = FilePath.join(path, name)
                let isFolder = FileAccess.isDirectory(FilePath.join(absolute, name))
                if isFolder || name.hasSuffix(".yaml") { try add(inner, isNamed: false) }
            }
            return
        }
        let source: SourceFile
        do throws(FileProblem) {
            source = try context.library.read(path)
        } catch {
            throw Problem(error)
        }
        if let kind = Self.kind(of: source) ?? (isNamed ? .flow : nil) {
            files.append(File(kind: kind, source: source))
        }
    }

    /// What a file is, by its name, its folder or its keys; `nil` for YAML that is none of ours.
    private static func kind(of source: SourceFile) -> Kind? {
        let name = FilePath.lastName(of: source.path)
        if name == "flowrun.yaml" { return .registrations }
        if name.hasSuffix(".flow.yaml") { return .flow }
        if name.hasSuffix(".provider.yaml") { return .provider }
        let root = YAMLDocument.parse(source).root
        if root?["provider"] != nil { return .provider }
        if root?["flow"] != nil || root?["steps"] != nil { return .flow }
        if root?["registrations"] != nil { return .registrations }
        switch FilePath.lastName(of: FilePath.parent(of: source.path)) {
        case "flows": return .flow
        case "providers": return .provider
        default: return nil
        }
    }
}
