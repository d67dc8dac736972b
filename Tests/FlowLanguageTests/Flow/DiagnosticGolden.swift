import FlowTesting
import FlowLanguage
import FoundationEssentials
import Testing
import YAMLText

/// One file of `Tests/Golden/diagnostics`: a flow, a line of dashes, and a line for each expected diagnostic.
struct DiagnosticGolden: Sendable, CustomTestStringConvertible {
    static let separator = "----------"

    let name: String
    let path: String
    let flow: String
    let expected: String

    var testDescription: String { name }

    /// What the compiler says of the flow, in the form of the file.
    var found: String {
        let compilation = FlowCompiler.compile(SourceFile(path: "\(name).flow.yaml", text: flow))
        guard let program = compilation.program, let provider else {
            return Self.lines(compilation.diagnostics)
        }
        return Self.lines(compilation.diagnostics + ProviderRules.check(program, provider))
    }

    /// The shipped descriptor that a first line such as `# provider: github` holds the flow against.
    private var provider: ProviderDescriptor? {
        let mark = "# provider: "
        guard let first = flow.split(separator: "\n").first, first.hasPrefix(mark),
            let text = try? Repository.text(of: "providers/\(first.dropFirst(mark.count)).yaml")
        else { return nil }
        return ProviderReader.read(SourceFile(path: "provider.yaml", text: text)).descriptor
    }

    static func lines(_ diagnostics: [Diagnostic]) -> String {
        diagnostics.map { diagnostic in
            let hint = diagnostic.hint.map { "; hint: \($0)" } ?? ""
            let place = diagnostic.span.start
            return
                "\(place): \(diagnostic.severity.rawValue)[\(diagnostic.code)]: \(diagnostic.message)\(hint)\n"
        }.joined()
    }

    /// The codes that the case is about: its name begins with one of them.
    var codes: Set<String> {
        Set(
            expected.split(separator: "\n").compactMap { line in
                line.split(separator: "[").dropFirst().first?.split(separator: "]").first.map { String($0) }
            })
    }

    func record() throws {
        let text = "\(flow)\(Self.separator)\n\(found)"
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    // MARK: The folder

    static let folder = repository("Tests/Golden/diagnostics")

    /// A path inside the package, found from this file's own.
    static func repository(_ path: String, file: String = #filePath) -> String {
        let parts = file.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        return parts.joined(separator: "/") + "/" + path
    }

    static func text(of path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    static func fileNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    static func all() throws -> [DiagnosticGolden] {
        try fileNames().filter { $0.hasSuffix(".case") }.map { file in
            let path = "\(folder)/\(file)"
            let text = try text(of: path)
            let parts = text.split(
                separator: "\n\(separator)\n", maxSplits: 1, omittingEmptySubsequences: false)
            return DiagnosticGolden(
                name: String(file.dropLast(".case".count)), path: path, flow: parts[0] + "\n",
                expected: parts.count == 2 ? String(parts[1]) : "")
        }
    }
}
