internal import FoundationEssentials

/// Files of the package, found from this file's own path.
package enum Repository {
    /// The absolute path of `path`, which is relative to the folder of `Package.swift`.
    package static func path(_ path: String, from file: String = #filePath) -> String {
        let parts = file.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        return parts.joined(separator: "/") + "/" + path
    }

    package static func text(of path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: Self.path(path))), as: UTF8.self)
    }

    /// Names of the files of a folder that end in `suffix`, without it, sorted.
    package static func names(in folder: String, suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(folder))
            .filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }.sorted()
    }

    /// Paths of all files below a folder that end in `suffix`, sorted.
    package static func files(below folder: String, suffix: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path(folder))
            .filter { $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }.sorted()
    }
}
