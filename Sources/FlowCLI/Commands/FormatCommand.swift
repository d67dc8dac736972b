internal import FlowLanguage
internal import YAMLText

/// `fmt`: files in their canonical form.
struct FormatCommand: Sendable {
    let context: CommandContext
    let request: FormatRequest

    private struct Tally {
        var changed = 0
        var unreadable = 0
    }

    func run() throws(Problem) -> Int {
        if request.paths == ["-"] { return try filter() }
        let found = try LintFiles(request.paths, context)
        context.show(found.unreadable, [])
        var tally = Tally(unreadable: found.unreadable.count)
        for file in found.files { try format(file, &tally) }
        if tally.unreadable > 0 { return ExitStatus.config.rawValue }
        return (request.checks && tally.changed > 0 ? ExitStatus.assertion : .ok).rawValue
    }

    /// From standard input to standard output, as editors want it.
    private func filter() throws(Problem) -> Int {
        let limit = YAMLLimits.flow.bytes
        let source: SourceFile
        do throws(FileProblem) {
            let bytes = try context.input(limit: limit, asking: "type the file")
            source = SourceFile(path: "standard input", bytes: bytes)
        } catch {
            throw Problem(error)
        }
        guard let text = canonical(source, .flow) else { return ExitStatus.config.rawValue }
        if request.checks { return (text == source.text ? ExitStatus.ok : .assertion).rawValue }
        context.write(text)
        return ExitStatus.ok.rawValue
    }

    private func format(_ file: LintFiles.File, _ tally: inout Tally) throws(Problem) {
        let path = file.source.path
        guard let text = canonical(file.source, file.kind) else {
            tally.unreadable += 1
            return
        }
        guard text != file.source.text else { return }
        tally.changed += 1
        if request.showsDifference {
            let (old, new) = (
                shown(file.source, file.kind), shown(SourceFile(path: path, text: text), file.kind)
            )
            context.write(UnifiedDifference.text(from: old.text, to: new.text, named: path))
        } else if request.checks {
            context.write("\(VisibleText.escaped(path))\n")
        }
        guard !request.checks, !request.showsDifference else { return }
        do throws(FileProblem) {
            try FileReplacement.replace(FilePath.join(context.surroundings.directory, path), with: text)
        } catch {
            throw Problem(error, .local)
        }
        context.note("formatted \(path)")
    }

    /// The file as it may be shown: in one of registrations that has mistakes a secret may stand anywhere.
    private func shown(_ source: SourceFile, _ kind: FileKind?) -> SourceFile {
        guard kind == .registrations, RegistrationReader.read(source).diagnostics.hasErrors else {
            return source
        }
        return RegistrationReader.shown(source)
    }

    /// - Returns: `nil`, after saying so, when the file cannot be formatted.
    private func canonical(_ source: SourceFile, _ kind: FileKind?) -> String? {
        do throws(YAMLFormatter.Problem) {
            return try YAMLFormatter.format(source, kind == .flow ? FlowKeyOrder.flow : .asWritten)
        } catch {
            switch error {
            case .unreadable(let diagnostics): context.show(diagnostics, [shown(source, kind)])
            case .changed:
                context.show(
                    Problem(
                        .internal,
                        "\(source.path) is left as it is: its canonical form would say something else",
                        hints: ["this is a mistake of flowrun; please report it with the file"]))
            }
            return nil
        }
    }
}
