/// Arithmetic on the folders of flow files; looks at no file.
package enum FlowFolder {
    /// The folder of a file; empty for a bare name.
    static func of(_ file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "" }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    /// Where a folder is, seen from another; both are named from the same place.
    ///
    /// - Returns: Empty for the same folder, and where it cannot be told.
    static func path(from outer: String, to inner: String) -> String {
        if inner == outer { return "" }
        if inner.hasPrefix("/") { return inner }
        guard !outer.hasPrefix("/") else { return "" }
        var (from, to) = (parts(of: outer)[...], parts(of: inner)[...])
        while let first = from.first, first == to.first {
            from.removeFirst()
            to.removeFirst()
        }
        // What lies above the place from where both are named has no name.
        guard !from.contains("..") else { return "" }
        return (from.map { _ in ".." } + to).joined(separator: "/")
    }

    /// A folder that is seen from another.
    package static func join(_ folder: String, _ further: String) -> String {
        if further.isEmpty { return folder }
        if further.hasPrefix("/") || folder.isEmpty { return further }
        return folder.hasSuffix("/") ? folder + further : "\(folder)/\(further)"
    }

    private static func parts(of folder: String) -> [String] {
        folder.split(separator: "/").map(String.init).filter { $0 != "." }
    }
}
