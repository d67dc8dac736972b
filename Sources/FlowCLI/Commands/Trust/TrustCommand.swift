internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import YAMLText

/// `trust` and `untrust`: which files may reach beyond themselves.
struct TrustCommand: Sendable {
    let context: CommandContext
    let request: TrustRequest

    private var surroundings: Surroundings { context.surroundings }

    func run() throws(Problem) -> Int {
        switch request.work {
        case .trust(let word): try trust(word)
        case .forget(let word): try forget(word)
        case .list: try list()
        }
        return ExitStatus.ok.rawValue
    }

    private func trust(_ word: String) throws(Problem) {
        let subject = try subject(word)
        guard !subject.parts.isEmpty else {
            context.note(
                "\(subject.path) neither runs programs nor reaches for secrets: there is nothing to trust")
            return
        }
        try TrustGate(context: context).trust(subject)
        context.note("\(subject.path) is trusted, until one of these changes:")
        for part in subject.parts { context.note("  \(part.owner): \(part.action)") }
    }

    /// A flow, a provider or a file of registrations.
    private func subject(_ word: String) throws(Problem) -> TrustSubject {
        let path = try path(word)
        let source: SourceFile
        do throws(FileProblem) {
            source = try context.library.read(path)
        } catch {
            throw Problem(error)
        }
        switch LintFiles.kind(of: source, isNamed: true) {
        case .registrations:
            return try TrustSubject(
                registrations: path, try context.registrations().registrations, surroundings)
        case .provider:
            let survey = try ProviderSurvey(path, ClientOptions(), context, isRehearsal: true)
            return TrustSubject(
                survey.loaded, destinations: try survey.bound().destinations, surroundings)
        case .flow, nil:
            let flow = try context.library.flow(word)
            try checkPrograms(of: flow)
            return try TrustSubject(flow, surroundings)
        }
    }

    /// Nobody can agree to a program that is not there, or that anybody may replace.
    private func checkPrograms(of flow: LoadedFlow) throws(Problem) {
        let found = ProgramFileRule.check(flow.program, of: flow.source, starting: true, surroundings)
        // What the run can do without is as untrustworthy where it is not there.
        guard let first = found.first else { return }
        throw Problem(
            .config, "\(flow.source.path) cannot be trusted: \(first.message)",
            diagnostics: found, sources: [flow.source] + flow.others)
    }

    /// Of a flow before a provider of the same name.
    private func path(_ word: String) throws(Problem) -> String {
        do throws(LibraryProblem) {
            return try context.library.path(.flow, word)
        } catch {
            if let path = try? context.library.path(.provider, word) { return path }
            throw Problem(error)
        }
    }

    private func forget(_ word: String) throws(Problem) {
        // A file that is gone may still be forgotten.
        let path = (try? path(word)) ?? word
        guard try TrustGate(context: context).forget(path) else {
            throw Problem(.usage, "\(word) is not trusted", hints: ["see: flowrun trust"])
        }
        context.note("\(word) is no longer trusted")
    }

    private func list() throws(Problem) {
        let known = try TrustFile(surroundings).read().sorted { $0.key < $1.key }
        switch request.form {
        case .json:
            let files = known.map { path, fingerprint -> JSONValue in
                [
                    "file": .string(path), "changed": .array(fingerprint.changedFiles.map { .string($0) }),
                    "files": .array(fingerprint.files.keys.sorted().map { .string($0) }),
                ]
            }
            context.write(JSONValue.object(["trusted": .array(files)]).serialize(pretty: true) + "\n")
        case .text:
            if known.isEmpty {
                return context.note(
                    "no file is trusted: none may run programs or reach for secrets of its own")
            }
            var page = Page(RenderOptions(context.common, surroundings.output, surroundings))
            page.table(
                known.map { path, fingerprint in
                    let changes = fingerprint.changedFiles.map {
                        FilePath.shown($0, from: surroundings.directory)
                    }
                    let state =
                        changes.isEmpty
                        ? Styled("trusted") : Styled("changed: \(changes.joined(separator: ", "))", .warning)
                    return [Styled(FilePath.shown(path, from: surroundings.directory)), state]
                }, indent: 0)
            context.write(page.take())
        }
    }
}

struct TrustRequest: Sendable, Hashable {
    enum Work: Sendable, Hashable {
        case trust(String)
        case forget(String)
        case list
    }

    var work: Work
    var form = Command.Form.text
}

extension TrustRequest {
    init(_ parsed: ParsedArguments) {
        let word = parsed.arguments.first
        let isForgetting = parsed.spec.name == "untrust"
        work = word.map { isForgetting ? .forget($0) : .trust($0) } ?? .list
        form = parsed.form
    }
}
