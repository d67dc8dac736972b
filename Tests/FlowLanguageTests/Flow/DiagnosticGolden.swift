import FlowTesting
import FlowLanguage
import FoundationEssentials
import JOSE
import OAuthProtocol
import Testing
import YAMLText

/// One file of `Tests/Golden/diagnostics`: a flow, a line of dashes, and a line for each expected diagnostic.
struct DiagnosticGolden: Sendable, CustomTestStringConvertible {
    static let separator = "----------"
    private static let fileMark = "==== "

    let name: String
    let path: String
    let flow: String
    /// Further files of the case, each after a line such as `==== other.flow.yaml`.
    let files: [String: String]
    let expected: String

    var testDescription: String { name }

    /// What the linter says of the flow, in the form of the file.
    var found: String {
        let file = SourceFile(path: "\(name).flow.yaml", text: flow)
        let compilation = FlowCompiler.compile(file, sources: sources)
        guard let program = compilation.program else { return Self.lines(compilation.diagnostics) }
        var diagnostics = compilation.diagnostics
        if let facts {
            diagnostics += ProviderRules.check(program, facts.descriptor)
            diagnostics += BindRules.check(program, [facts])
            diagnostics += reading?.diagnostics ?? []
            diagnostics += registrationDiagnostics(facts.descriptor)
            if let name = marked("provider"), marked("names") == "checked", let text = files["\(name).yaml"] {
                diagnostics +=
                    DescriptorName.check(SourceFile(path: "\(name).yaml", text: text)).map { [$0] } ?? []
            }
            if let now = marked("date").flatMap({ CalendarDate.rfc3339($0 + "T12:00:00Z") }) {
                diagnostics += PinDates.check(facts.descriptor, now: now)
            }
        }
        diagnostics += ProgramFileRule.check(program, includingInner: true, starting: false) { path, _ in
            marked("program", "\(path) ").flatMap(ProgramFileRule.Problem.init)
        }
        if let known = marked("providers")?.split(separator: " ").map(String.init) {
            diagnostics += StandardProviderRule.check(
                program, of: file, known: { known }, exists: { known.contains($0) })
        }
        return Self.lines(diagnostics.sorted())
    }

    /// The rest of a comment line such as `# provider: acme`, after a prefix of its text.
    private func marked(_ mark: String, _ prefix: String = "") -> String? {
        let start = "# \(mark): \(prefix)"
        return flow.split(separator: "\n").first { $0.hasPrefix(start) }.map {
            String($0.dropFirst(start.count))
        }
    }

    /// The provider that the flow is held against: a shipped descriptor by its name, or one that the case brings as
    /// `provider.yaml`, with metadata of `metadata.json`.
    private var facts: BindFacts? {
        guard let descriptor = reading?.descriptor else { return nil }
        return BindFacts(
            descriptor: descriptor, bound: try? descriptor.bind(variables: [:]), metadata: metadata,
            locksStore: marked("store") != "unlocked")
    }

    private var reading: ProviderReading? {
        guard let name = marked("provider"),
            let text = files["\(name).yaml"] ?? (try? Repository.text(of: "providers/\(name).yaml"))
        else { return nil }
        return ProviderReader.read(SourceFile(path: "\(name).yaml", text: text))
    }

    /// What `flowrun.yaml` of the case says of the provider, and of others that there are not.
    private func registrationDiagnostics(_ descriptor: ProviderDescriptor) -> [Diagnostic] {
        guard let text = files["flowrun.yaml"] else { return [] }
        let (registrations, diagnostics) = RegistrationReader.read(
            SourceFile(path: "flowrun.yaml", text: text))
        return diagnostics
            + registrations.flatMap { registration in
                registration.provider == descriptor.id
                    ? RegistrationRules.check(registration, descriptor)
                    : [RegistrationRules.missingProvider(registration, known: [descriptor.id])]
            }
    }

    private var metadata: ServerMetadataFields? {
        guard let text = files["metadata.json"], let object = (try? JSON.parse(text.utf8))?.objectValue else {
            return nil
        }
        var fields = ServerMetadataFields()
        for member in ServerMetadataFields.urls {
            fields[keyPath: member.path] = object[member.name]?.stringValue
        }
        for member in ServerMetadataFields.lists {
            fields[keyPath: member.path] = object[member.name]?.arrayValue?.compactMap(\.stringValue)
        }
        let push = object["require_pushed_authorization_requests"]?.boolValue
        fields.requirePushedAuthorizationRequests = push
        return fields
    }

    private var sources: FlowSources {
        let files = files
        @Sendable func source(_ path: String) -> SourceFile? {
            files[path].map { SourceFile(path: path, text: $0) }
        }
        return FlowSources(
            flow: { id, _ in
                id == name ? SourceFile(path: "\(name).flow.yaml", text: flow) : source("\(id).flow.yaml")
            },
            imported: { path, _ in source(path) },
            names: {
                files.keys.filter { $0.hasSuffix(".flow.yaml") }.map {
                    String($0.dropLast(".flow.yaml".count))
                }
            })
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
        let others = files.sorted { $0.key < $1.key }.map { "\(Self.fileMark)\($0.key)\n\($0.value)" }
            .joined()
        let text = "\(flow)\(others)\(Self.separator)\n\(found)"
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
            let (flow, files) = split(parts[0] + "\n")
            return DiagnosticGolden(
                name: String(file.dropLast(".case".count)), path: path, flow: flow, files: files,
                expected: parts.count == 2 ? String(parts[1]) : "")
        }
    }

    private static func split(_ text: String) -> (flow: String, files: [String: String]) {
        let parts = text.split(separator: "\n\(fileMark)", omittingEmptySubsequences: false)
        var files: [String: String] = [:]
        for part in parts.dropFirst() {
            let lines = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            files[String(lines[0])] = lines.count == 2 ? "\(lines[1])\(part.hasSuffix("\n") ? "" : "\n")" : ""
        }
        return ("\(parts[0])\(parts[0].hasSuffix("\n") ? "" : "\n")", files)
    }
}
