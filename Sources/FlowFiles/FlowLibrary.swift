public import FlowEngine
public import FlowLanguage
internal import Foundation
public import YAMLText

/// Flows and provider descriptors by name, from a folder with `flows/` and `providers/` in it.
///
/// ```swift
/// let library = FlowLibrary.shipped
/// let runner = try FlowRunner(
///     flow: library.flow("login"), provider: library.provider("acme"), client: client,
///     configuration: configuration, sources: library.sources, parent: library.parent)
/// ```
///
/// Reads a file whenever it is asked for one, and keeps none. For programs that use Foundation; flowrun itself does
/// without it.
public struct FlowLibrary: Sendable {
    /// The files that come with flowrun, as resources of this module: their bundle, `flowrun_FlowFiles.resources`, lies beside
    /// the program that was built with it and goes where that goes.
    public static let shipped = FlowLibrary(directory: Bundle.module.bundlePath)

    /// As it was given.
    public let directory: String

    /// - Parameter directory: Such as `share/flowrun` of an installation, or a folder of the program's own.
    public init(directory: String) {
        self.directory = directory
    }

    /// The flow of that name, such as `login`.
    ///
    /// - Throws: `file_invalid` when there is none, or it cannot be read, with the name that was probably meant.
    public func flow(_ name: String) throws(SignInFailure) -> SourceFile { try read(name, .flow) }

    /// The descriptor of that name, such as `acme`.
    ///
    /// - Throws: `file_invalid` when there is none, or it cannot be read.
    public func provider(_ name: String) throws(SignInFailure) -> SourceFile { try read(name, .provider) }

    /// The descriptor that another one `extends`; `nil` when there is none.
    public func parent(_ name: String) -> SourceFile? {
        // What cannot be read is not there: the descriptor that names it is then refused.
        try? provider(name)
    }

    /// Finds flows that others run as steps by their names here, and imported files from the folder of the flow.
    public var sources: FlowSources {
        FlowSources(
            // As above: the flow that names it is then refused.
            flow: { name, _ in try? flow(name) },
            imported: { path, origin in
                let folder = (origin as NSString).deletingLastPathComponent
                let whole = (folder as NSString).appendingPathComponent(path)
                return FileManager.default.contents(atPath: whole).map {
                    SourceFile(path: whole, bytes: Array($0))
                }
            },
            names: { flows })
    }

    /// The names of all flows, sorted.
    public var flows: [String] { names(.flow) }

    /// The names of all descriptors, sorted.
    public var providers: [String] { names(.provider) }

    private enum Kind: String {
        case flow, provider

        var folder: String { rawValue + "s" }
        /// Longest first.
        var suffixes: [String] { [".\(rawValue).yaml", ".\(rawValue).yml", ".yaml", ".yml"] }
    }

    private func names(_ kind: Kind) -> [String] {
        // A folder that is not there has no files.
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path(kind))) ?? []
        return files.compactMap { file in
            kind.suffixes.first(where: file.hasSuffix).map { String(file.dropLast($0.count)) }
        }.sorted()
    }

    private func path(_ kind: Kind) -> String { "\(directory)/\(kind.folder)" }

    private func read(_ name: String, _ kind: Kind) throws(SignInFailure) -> SourceFile {
        // A name is a word and no way to somewhere else.
        if !name.contains("/") {
            for suffix in kind.suffixes {
                let file = "\(path(kind))/\(name)\(suffix)"
                if let bytes = FileManager.default.contents(atPath: file) {
                    return SourceFile(path: file, bytes: Array(bytes))
                }
            }
        }
        throw SignInFailure(
            before: FailureCode.fileInvalid, error: "unknown_file",
            detail:
                "no \(kind.rawValue) is named \"\(name)\" in \(path(kind))\(Self.hint(name, names(kind)))",
            .english)
    }

    /// More are no help in a line.
    private static let mostNames = 20

    private static func hint(_ name: String, _ known: [String]) -> String {
        if let near = SpellingSuggestion.nearest(to: name, in: known) { return "; did you mean \"\(near)\"?" }
        if known.isEmpty { return ", which has none at all" }
        return known.count > mostNames ? "" : "; there are: \(known.joined(separator: ", "))"
    }
}
