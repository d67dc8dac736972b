internal import FlowLanguage
internal import FlowLive
internal import JOSE
internal import YAMLText

/// `provider list`: names in columns, few enough to read with a word to look for.
struct ProviderListCommand: Sendable {
    let context: CommandContext
    let request: ProviderListRequest

    private struct Row: Sendable {
        let entry: LibraryEntry
        let title: String
        let wireProtocol: String
        let isRegistered: Bool
        /// What keeps the file from being used.
        let problem: String?
    }

    func run() async -> Int {
        // A file of registrations with mistakes is told by the commands that use it.
        let files = (try? context.registrations()) ?? .none
        let search = RegistrationSearch(files: files, surroundings: context.surroundings)
        let rows = await context.library.entries(of: .provider).mapInParallel { row($0, search) }
        let shown = rows.filter(matches)
        switch request.form {
        case .json: context.write(json(shown))
        case .text: context.write(text(shown))
        }
        conclude(shown.count, of: rows.count)
        return ExitStatus.ok.rawValue
    }

    private func row(_ entry: LibraryEntry, _ search: RegistrationSearch) -> Row {
        do throws(Problem) {
            let descriptor = try context.library.provider(entry.path).descriptor
            return Row(
                entry: entry, title: descriptor.displayName, wireProtocol: descriptor.wireProtocol.rawValue,
                isRegistered: search.find(descriptor, ClientOptions()).clientID != nil, problem: nil)
        } catch {
            let errors = error.diagnostics.count { $0.severity == .error }
            let problem =
                errors == 0 ? error.message : "\(errors) error(s), see: flowrun lint \(entry.path)"
            return Row(entry: entry, title: "", wireProtocol: "", isRegistered: false, problem: problem)
        }
    }

    private func matches(_ row: Row) -> Bool {
        let text = "\(row.entry.name) \(row.title)".lowercased()
        return request.words.allSatisfy { text.contains($0.lowercased()) }
    }

    private func text(_ rows: [Row]) -> String {
        var page = Page(RenderOptions(context.common, context.surroundings.output, context.surroundings))
        page.table(
            rows.map { row in
                if let problem = row.problem { return [Styled(row.entry.name), Styled(problem, .bad)] }
                return [
                    Styled(row.entry.name), Styled(row.title), Styled(row.wireProtocol, .dim),
                    Styled(notes(row), row.isRegistered ? .good : .dim),
                ]
            }, indent: 0)
        return page.take()
    }

    /// Only what is worth a word: most providers come with flowrun and have no client.
    private func notes(_ row: Row) -> String {
        var notes: [String] = []
        if row.isRegistered { notes.append("registered") }
        if let origin = row.entry.shadowedBy {
            notes.append("\(row.entry.origin.rawValue), hidden by \(origin.rawValue)")
        } else if row.entry.origin != .installed {
            notes.append(row.entry.origin.rawValue)
        }
        return notes.joined(separator: ", ")
    }

    private func conclude(_ shown: Int, of all: Int) {
        guard all > 0 else { return context.noteAbsence(of: .provider) }
        guard request.form == .text else { return }
        if shown < all { return context.note("\(shown) of \(all) providers") }
        if all > 40 {
            context.note("\(all) providers; flowrun provider list WORD shows those with that word")
        }
    }

    private func json(_ rows: [Row]) -> String {
        let items = rows.map { row -> JSONValue in
            [
                "name": .string(row.entry.name), "title": .string(row.title),
                "protocol": .string(row.wireProtocol), "registered": .bool(row.isRegistered),
                "path": .string(row.entry.path), "origin": .string(row.entry.origin.rawValue),
                "hidden_by": row.entry.shadowedBy.map { .string($0.rawValue) } ?? .null,
                "problem": row.problem.map { .string($0) } ?? .null,
            ]
        }
        return JSONValue.array(items).serialize(pretty: true) + "\n"
    }
}
