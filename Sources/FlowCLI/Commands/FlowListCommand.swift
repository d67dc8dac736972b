internal import FlowLanguage
internal import JOSE
internal import YAMLText

/// `flow list`.
struct FlowListCommand: Sendable {
    let context: CommandContext
    let form: Command.Form

    private struct Row {
        let entry: LibraryEntry
        let summary: String
    }

    func run() -> Int {
        let rows = context.library.entries(of: .flow).map { Row(entry: $0, summary: summary(of: $0)) }
        switch form {
        case .json: context.write(json(rows))
        case .text: context.write(text(rows))
        }
        if rows.isEmpty { context.noteAbsence(of: .flow) }
        return ExitStatus.ok.rawValue
    }

    /// What a file says of itself; a file with errors says how many.
    private func summary(of entry: LibraryEntry) -> String {
        let source: SourceFile
        do throws(FileProblem) {
            source = try context.library.read(entry.path)
        } catch {
            return error.reason
        }
        let compilation = FlowCompiler.compile(source, sources: context.library.sources)
        if let program = compilation.program { return program.summary ?? "" }
        let errors = compilation.diagnostics.count { $0.severity == .error }
        return "\(errors) error(s), see: flowrun lint \(entry.path)"
    }

    private func text(_ rows: [Row]) -> String {
        let names = rows.map(\.entry.name.count).max() ?? 0
        let summaries = rows.map(\.summary.count).max() ?? 0
        return rows.map { row in
            let shadow = row.entry.shadowedBy.map { ", hidden by \($0.rawValue)" } ?? ""
            return "\(row.entry.name.padded(to: names))  \(row.summary.padded(to: summaries))  "
                + "\(row.entry.origin.rawValue)\(shadow): \(VisibleText.escaped(row.entry.path))\n"
        }.joined()
    }

    private func json(_ rows: [Row]) -> String {
        let items = rows.map { row -> JSONValue in
            [
                "name": .string(row.entry.name), "summary": .string(row.summary),
                "path": .string(row.entry.path),
                "origin": .string(row.entry.origin.rawValue),
                "hidden_by": row.entry.shadowedBy.map { .string($0.rawValue) } ?? .null,
            ]
        }
        return JSONValue.array(items).serialize(pretty: true) + "\n"
    }
}
