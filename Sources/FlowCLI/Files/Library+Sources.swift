internal import FlowLanguage
internal import YAMLText

extension Library {
    /// The other files that flows speak of: beside the file that names them, then anywhere in the library.
    var sources: FlowSources {
        FlowSources(
            flow: { id, file in
                let folder = FilePath.parent(of: file)
                let neighbours = LibraryKind.flow.suffixes.map { FilePath.join(folder, id + $0) }
                for path in neighbours {
                    // What cannot be read is not there; the linter names what was looked for.
                    if let source = try? read(path) { return source }
                }
                guard let path = try? self.path(.flow, id) else { return nil }
                return try? read(comparable(path, with: file))
            },
            imported: { path, file in try? read(FilePath.join(FilePath.parent(of: file), path)) },
            names: { entries(of: .flow).map(\.name) })
    }

    /// The path in a form from which the way from the other file can be told: programs start beside their flow.
    private func comparable(_ path: String, with other: String) -> String {
        let isBelow = !other.hasPrefix("/") && !other.split(separator: "/").contains("..")
        return isBelow ? path : FilePath.join(workingDirectory, path)
    }
}
