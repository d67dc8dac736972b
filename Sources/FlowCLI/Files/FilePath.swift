/// Arithmetic on paths; looks at no file.
enum FilePath {
    static func join(_ directory: String, _ name: String) -> String {
        if name.hasPrefix("/") || directory.isEmpty { return name }
        return directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
    }

    /// The same path without the parts that say nothing, such as `./`.
    static func plain(_ path: String) -> String {
        let parts = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        return path.hasPrefix("/") ? "/\(parts)" : parts
    }

    /// The folder that holds a path; `/` and `.` hold themselves.
    static func parent(of path: String) -> String {
        var path = Substring(path)
        while path.count > 1, path.last == "/" { path.removeLast() }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func lastName(of path: String) -> String {
        String(path.split(separator: "/").last ?? "")
    }

    /// The path from the working directory, where it lies below it.
    ///
    /// From the root, where services start, everything lies below it; then the path is shown as it is.
    static func shown(_ path: String, from directory: String) -> String {
        guard directory != "/" else { return path }
        let prefix = directory.hasSuffix("/") ? directory : directory + "/"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    }
}
