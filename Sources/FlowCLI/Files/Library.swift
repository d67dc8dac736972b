internal import YAMLText

/// What the library holds.
enum LibraryKind: String, Sendable, Hashable {
    case flow, provider

    /// The folder of such files below a place.
    var folder: String { rawValue + "s" }

    var other: Self { self == .flow ? .provider : .flow }

    /// The command that one is given to.
    var command: String { self == .flow ? "run" : "login" }

    /// What is cut off a file's name to make its name here, longest first.
    var suffixes: [String] { ownSuffixes + [".yaml", ".yml"] }

    /// Those that files of no other kind have.
    var ownSuffixes: [String] { [".\(rawValue).yaml", ".\(rawValue).yml"] }
}

/// A place where flows and providers are looked for.
struct LibraryPlace: Sendable, Hashable {
    enum Origin: String, Sendable, Hashable {
        case option = "--providers"
        case project, user, installed
    }

    let origin: Origin
    let directory: String
}

/// A file of the library under its name.
struct LibraryEntry: Sendable, Hashable {
    let name: String
    let path: String
    let origin: LibraryPlace.Origin
    /// Origin of the entry that is used in its place; `nil` for the one that is used.
    let shadowedBy: LibraryPlace.Origin?
}

/// Flows and providers by name: the project's before the user's before those that come with flowrun.
struct Library: Sendable {
    /// Where flowrun.yaml, flows/ or providers/ were found, going upwards from the working directory.
    let project: String?
    /// A folder that would be the project's were it nobody else's.
    let foreignProject: ForeignProject?
    /// `$XDG_CONFIG_HOME/flowrun`.
    let userDirectory: String?
    let workingDirectory: String
    private let providersDirectory: String?
    private let installed: String?
    private let use: ProjectUse
    /// What was read, or what is read again in place of the disk.
    let snapshot: LibrarySnapshot

    init(
        _ surroundings: Surroundings, providersDirectory: String?, use: ProjectUse = .all,
        snapshot: LibrarySnapshot = LibrarySnapshot()
    ) {
        self.snapshot = snapshot
        workingDirectory = surroundings.directory
        self.use = use
        (project, foreignProject) =
            use == .nothing ? (nil, nil) : Self.project(from: surroundings.directory)
        userDirectory = UserDirectories(surroundings).configuration
        self.providersDirectory = providersDirectory.map { FilePath.join(surroundings.directory, $0) }
        installed = surroundings.executable.flatMap(Self.installed)
    }

    /// The folders of a kind, in the order of the search.
    func places(of kind: LibraryKind) -> [LibraryPlace] {
        var places: [LibraryPlace] = []
        if kind == .provider, let providersDirectory {
            places.append(LibraryPlace(origin: .option, directory: providersDirectory))
        }
        let roots: [(LibraryPlace.Origin, String?)] = [
            (.project, kind == .flow && use == .noFlows ? nil : project), (.user, userDirectory),
            (.installed, installed),
        ]
        for (origin, root) in roots {
            guard let root else { continue }
            let directory = FilePath.join(root, kind.folder)
            if !places.contains(where: { $0.directory == directory }) {
                places.append(LibraryPlace(origin: origin, directory: directory))
            }
        }
        return places
    }

    /// Everything of a kind by name, the used one of a name first.
    func entries(of kind: LibraryKind) -> [LibraryEntry] {
        var entries: [LibraryEntry] = []
        for place in places(of: kind) {
            for file in FileAccess.names(in: place.directory) {
                guard let name = Self.name(of: file, kind) else { continue }
                let path = FilePath.shown(FilePath.join(place.directory, file), from: workingDirectory)
                let first = entries.first { $0.name == name }
                entries.append(
                    LibraryEntry(name: name, path: path, origin: place.origin, shadowedBy: first?.origin))
            }
        }
        let order = entries.enumerated().sorted {
            ($0.element.name, $0.offset) < ($1.element.name, $1.offset)
        }
        return order.map(\.element)
    }

    /// The path that a word on the command line means: a path when it looks like one, else a name.
    ///
    /// - Throws: When there is no such file or name; the message has the nearest known name.
    func path(_ kind: LibraryKind, _ word: String) throws(LibraryProblem) -> String {
        if let path = snapshot.path(kind, word) { return path }
        let path = try search(kind, word)
        snapshot.note(kind, word, path)
        return path
    }

    /// What another command has to call what was named like that: by its path where that was one, else by its name.
    static func word(_ given: String?, for name: String) -> String {
        guard let given, isPath(given) else { return name }
        return ShellWords.quoted([given])
    }

    /// The same of a provider, with the folder of `--providers` where it was found in that.
    func word(_ given: String, for name: String) -> String {
        let word = Self.word(given, for: name)
        guard let providersDirectory, !Self.isPath(given), let path = try? path(.provider, given),
            FilePath.parent(of: FilePath.join(workingDirectory, path)) == providersDirectory
        else { return word }
        let folder = FilePath.shown(providersDirectory, from: workingDirectory)
        return "\(word) \(ShellWords.quoted(["--providers", folder]))"
    }

    /// Whether a word on the command line is the path of a file, and no name.
    static func isPath(_ word: String) -> Bool {
        word.contains("/") || word.hasSuffix(".yaml") || word.hasSuffix(".yml")
    }

    private func search(_ kind: LibraryKind, _ word: String) throws(LibraryProblem) -> String {
        if Self.isPath(word) {
            guard FileAccess.isFile(FilePath.join(workingDirectory, word)) else {
                throw LibraryProblem(message: "no file \"\(word)\"\(nearest(kind, to: word))", hint: nil)
            }
            try refuseOther(kind, word)
            return word
        }
        for place in places(of: kind) {
            for suffix in kind.suffixes {
                let path = FilePath.join(place.directory, word + suffix)
                if FileAccess.isFile(path) { return FilePath.shown(path, from: workingDirectory) }
            }
        }
        let names = entries(of: kind).map(\.name)
        let known = ArgumentReader.suggestion(word, names)
        throw LibraryProblem(
            message: "no \(kind.rawValue) is named \"\(word)\"\(known)",
            hint: meant(kind, word) ?? (known.isEmpty ? hint(kind) : nil))
    }

    /// A file of the other kind would have hundreds of mistakes.
    private func refuseOther(_ kind: LibraryKind, _ path: String) throws(LibraryProblem) {
        guard kind.other.ownSuffixes.contains(where: path.hasSuffix) else { return }
        throw LibraryProblem(
            message: "\"\(path)\" is a \(kind.other.rawValue), not a \(kind.rawValue)",
            hint: "flowrun \(kind.other.command) \(path)")
    }

    /// What else of that name there is.
    private func meant(_ kind: LibraryKind, _ word: String) -> String? {
        let file = kind.ownSuffixes.map { word + $0 }.first {
            FileAccess.isFile(FilePath.join(workingDirectory, $0))
        }
        if let file { return "a file in this folder is named as such: ./\(file)" }
        guard entries(of: kind.other).contains(where: { $0.name == word }) else { return nil }
        return "\"\(word)\" is a \(kind.other.rawValue): flowrun \(kind.other.command) \(word)"
    }

    /// The file of that name in another folder, else one whose path is written nearly so.
    private func nearest(_ kind: LibraryKind, to path: String) -> String {
        let entries = entries(of: kind)
        let name = path.split(separator: "/").last.flatMap { Self.name(of: String($0), kind) }
        let place = FilePath.join(workingDirectory, path)
        if let suffix = kind.suffixes.first(where: { FileAccess.isFile(place + $0) }) {
            return "; did you mean \"\(path + suffix)\"?"
        }
        guard let entry = entries.first(where: { $0.name == name }) else {
            return ArgumentReader.suggestion(path, entries.map(\.path))
        }
        return "; did you mean \"\(entry.path)\"?"
    }

    /// A program that was copied without its files knows nothing by name.
    private func hint(_ kind: LibraryKind) -> String {
        if use == .nothing {
            return "other programs run this wherever they are, so a project's files do not count: "
                + "--providers names a folder"
        }
        let elsewhere =
            if foreignProject != nil {
                ", which says too why the project here is not used"
            } else {
                project == nil ? "; those of a project count in its folder" : ""
            }
        return missingHint ?? "see: flowrun \(kind.rawValue) list\(elsewhere)"
    }

    /// Where flowrun's own files belong, when they are not there.
    var missingHint: String? {
        guard installed == nil else { return nil }
        return "flowrun's own flows and providers are not here: "
            + "they belong into share/flowrun beside the folder of the program"
    }

    /// Reads a file of the library or of the user, by a path as shown.
    func read(_ path: String) throws(FileProblem) -> SourceFile {
        if let file = snapshot.file(path) { return file }
        do throws(FileProblem) {
            let file = SourceFile(
                path: path, bytes: try FileAccess.read(FilePath.join(workingDirectory, path)))
            snapshot.note(file)
            return file
        } catch {
            throw FileProblem(path, error.reason)
        }
    }

    /// Whether a file came with flowrun itself, where only who installed it can change it.
    func isShipped(_ path: String) -> Bool {
        guard let installed, installed.hasSuffix("/share/flowrun") else { return false }
        return Self.isBelow(FilePath.join(workingDirectory, path), installed)
    }

    /// Links and dots resolved: a path that only begins like a folder may lead out of it.
    private static func isBelow(_ path: String, _ folder: String) -> Bool {
        guard let path = FileAccess.resolved(path), let folder = FileAccess.resolved(folder) else {
            return false
        }
        return path.hasPrefix(folder + "/")
    }

    /// Whether a file came with the project that the command is run in, and so with whoever wrote that.
    func isOfProject(_ path: String) -> Bool {
        guard let project else { return false }
        let absolute = FilePath.join(workingDirectory, path)
        let others = [installed, userDirectory, providersDirectory].compactMap(\.self)
        // A link of the project is the project's, wherever it leads.
        guard absolute.hasPrefix(project + "/") || Self.isBelow(absolute, project) else { return false }
        return !others.contains { Self.isBelow(absolute, $0) }
    }

    /// The same for somebody who is in no project.
    var withoutProject: Library { Library(self) }

    private init(_ other: Library) {
        project = nil
        foreignProject = nil
        userDirectory = other.userDirectory
        workingDirectory = other.workingDirectory
        providersDirectory = nil
        installed = other.installed
        use = .nothing
        snapshot = LibrarySnapshot()
    }

    static func name(of file: String, _ kind: LibraryKind) -> String? {
        kind.suffixes.first(where: file.hasSuffix).map { String(file.dropLast($0.count)) }
    }

    // MARK: Places

    private static func project(from start: String) -> (own: String?, foreign: ForeignProject?) {
        var directory = start
        var foreign: ForeignProject?
        while true {
            if let status = FileAccess.status(directory),
                FileAccess.exists(FilePath.join(directory, "flowrun.yaml"))
                    || FileAccess.isDirectory(FilePath.join(directory, "flows"))
                    || FileAccess.isDirectory(FilePath.join(directory, "providers"))
            {
                let isOwn = FileAccess.isTrustworthy(status)
                let open = isOwn ? openPart(of: directory) : nil
                if isOwn, open == nil { return (directory, foreign) }
                // What lies in /tmp may be anybody's, and concerns only those who work there.
                let isShared = status.permissions & 0o1000 != 0 && directory != start
                if foreign == nil, !isShared {
                    foreign = ForeignProject(directory: directory, status, openPart: open)
                }
            }
            let parent = FilePath.parent(of: directory)
            if parent == directory || parent == "." { return (nil, foreign) }
            directory = parent
        }
    }

    /// A part of a project that everybody may write to, as the folder around it may well not be.
    private static func openPart(of directory: String) -> String? {
        ["flowrun.yaml", "flows", "providers"].map { FilePath.join(directory, $0) }.first { path in
            FileAccess.status(path).map { $0.permissions & 0o002 != 0 } == true
        }
    }

    /// `PREFIX/share/flowrun` of `PREFIX/bin/flowrun`, or the package that a build folder lies in.
    private static func installed(_ executable: String) -> String? {
        let folder = FilePath.parent(of: executable)
        let share = FilePath.join(FilePath.parent(of: folder), "share/flowrun")
        if FileAccess.isDirectory(share) { return share }
        var directory = folder
        while directory != "/", directory != "." {
            if FileAccess.isFile(FilePath.join(directory, "Package.swift")),
                FileAccess.isDirectory(FilePath.join(directory, "providers"))
            {
                return directory
            }
            directory = FilePath.parent(of: directory)
        }
        return nil
    }
}

/// A folder with the files of a project that other users may put files into, which makes none of it trustworthy.
struct ForeignProject: Sendable, Hashable {
    let directory: String
    /// The user whose folder it is; `nil` for one that everybody may write to.
    private let owner: UInt32?
    private let isSticky: Bool
    /// What of it everybody may write to, where that is not the folder itself.
    private let openPart: String?

    init(directory: String, _ status: FileAccess.Status, openPart: String? = nil) {
        self.directory = directory
        self.openPart = openPart
        owner = status.permissions & 0o002 == 0 ? status.owner : nil
        isSticky = status.permissions & 0o1000 != 0
    }

    /// Why it does not count, and what helps.
    func warning(from workingDirectory: String) -> String {
        let shown = directory == workingDirectory ? "this folder" : directory
        if let openPart {
            return
                "\(shown) is no project: everybody may write to \(FilePath.shown(openPart, from: workingDirectory)); "
                + "to use its files: chmod o-w \(ShellWords.quoted([openPart]))"
        }
        let quoted = ShellWords.quoted([directory])
        guard let owner else {
            let fix = isSticky ? "move the files into a folder of your own" : "chmod o-w \(quoted)"
            return "\(shown) is no project: everybody may write to it; to use its files: \(fix)"
        }
        return
            "\(shown) is no project: it belongs to user \(owner); to use its files, copy them into a folder of your own"
    }
}

/// A name or path that leads nowhere.
struct LibraryProblem: Error, Sendable, Hashable {
    let message: String
    let hint: String?
}
