/// The schemes of this user's desktop, in the files of the freedesktop.org specifications.
struct SchemeRegistry: Sendable {
    private let applications: String
    let defaultsPath: String

    init(_ surroundings: Surroundings) throws(Problem) {
        let directories = UserDirectories(surroundings)
        guard let data = directories.data, let configuration = directories.configuration else {
            throw .noPlace(
                for: "desktop files", surroundings, instead: "set XDG_DATA_HOME and XDG_CONFIG_HOME")
        }
        applications = FilePath.join(FilePath.parent(of: data), "applications")
        defaultsPath = FilePath.join(FilePath.parent(of: configuration), "mimeapps.list")
    }

    func path(of scheme: URLScheme) -> String { FilePath.join(applications, scheme.desktopFile) }

    /// The desktop file that opens the scheme now, as far as this user has said so.
    func owner(of scheme: URLScheme) throws(Problem) -> String? {
        try defaults().program(for: scheme.mediaType)
    }

    func add(_ entry: DesktopEntry) throws(Problem) {
        var defaults = try defaults()
        defaults.set(entry.scheme.mediaType, to: entry.scheme.desktopFile)
        do throws(FileProblem) {
            try PrivateFile.makeDirectory(applications)
            try PrivateFile.makeDirectory(FilePath.parent(of: defaultsPath))
            try put(entry.text, at: path(of: entry.scheme))
            try put(defaults.text, at: defaultsPath)
        } catch {
            throw Problem(error, .local)
        }
    }

    /// - Returns: Whether it was flowrun's.
    func remove(_ scheme: URLScheme) throws(Problem) -> Bool {
        guard FileAccess.isFile(path(of: scheme)) else { return false }
        var defaults = try defaults()
        do throws(FileProblem) {
            if defaults.program(for: scheme.mediaType) == scheme.desktopFile {
                defaults.remove(scheme.mediaType)
                try FileReplacement.replace(defaultsPath, with: defaults.text)
            }
            try PrivateFile.remove(path(of: scheme))
        } catch {
            throw Problem(error, .local)
        }
        return true
    }

    /// Those that flowrun opens, by name.
    func schemes() throws(Problem) -> [DesktopEntry] {
        var entries: [DesktopEntry] = []
        for file in FileAccess.names(in: applications) {
            guard file.hasPrefix("flowrun-"), file.hasSuffix(".desktop"),
                let text = try text(of: FilePath.join(applications, file)),
                let program = DesktopEntry.program(in: text)
            else { continue }
            let name = String(file.dropFirst("flowrun-".count).dropLast(".desktop".count))
            entries.append(DesktopEntry(scheme: try URLScheme(name), program: program))
        }
        return entries
    }

    private func put(_ text: String, at path: String) throws(FileProblem) {
        if FileAccess.isFile(path) {
            try FileReplacement.replace(path, with: text)
        } else {
            try FileReplacement.create(path, text)
        }
    }

    private func defaults() throws(Problem) -> MediaTypeDefaults {
        MediaTypeDefaults(try text(of: defaultsPath) ?? "")
    }

    /// - Returns: `nil` when there is no such file.
    private func text(of path: String) throws(Problem) -> String? {
        guard FileAccess.isFile(path) else { return nil }
        do throws(FileProblem) {
            return String(decoding: try FileAccess.read(path), as: UTF8.self)
        } catch {
            throw Problem(error, .local)
        }
    }
}
