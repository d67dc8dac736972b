internal import FlowLanguage
internal import JOSE
internal import YAMLText

/// `kinds`: what steps can do, from the one table of kinds.
struct KindsCommand: Sendable {
    let context: CommandContext
    let request: KindsRequest

    func run() throws(Problem) -> Int {
        let spec = try spec()
        switch request.form {
        case .markdown: context.write(ReferencePage.markdown)
        case .json:
            let value = spec.map(KindReference.json) ?? KindReference.json()
            context.write(value.serialize(pretty: true) + "\n")
        case .text:
            var page = Page(RenderOptions(context.common, context.surroundings.output, context.surroundings))
            if let spec { describe(spec, on: &page) } else { list(on: &page) }
            context.write(page.take())
        }
        return ExitStatus.ok.rawValue
    }

    private func spec() throws(Problem) -> KindSpec? {
        guard let name = request.kind else { return nil }
        if let kind = StepKind(rawValue: name) { return KindTable.spec(of: kind) }
        let known = ArgumentReader.suggestion(name, StepKind.allCases.map(\.rawValue))
        throw Problem(.usage, "no kind of step is named \"\(name)\"\(known)", hints: ["see: flowrun kinds"])
    }

    private func list(on page: inout Page) {
        page.line(Styled("kinds of steps", .strong))
        page.table(
            StepKind.allCases.map {
                [Styled($0.rawValue), Styled(KindTable.spec(of: $0).summary)]
            }, indent: 2)
        page.blank()
        page.line(Styled("flowrun kinds KIND shows its arguments, fields and outcomes", .dim))
    }

    private func describe(_ spec: KindSpec, on page: inout Page) {
        page.line(Styled(spec.kind.rawValue, .strong) + Styled("  \(spec.summary)"), hanging: 2)
        heading("example, as it stands under steps", on: &page)
        for line in KindExamples.text(of: spec.kind).split(separator: "\n") {
            page.unwrapped(Styled(String(line)), indent: 2)
        }
        arguments(of: spec, on: &page)
        if !spec.fields.isEmpty {
            heading("fields when it ends well", on: &page)
            page.table(
                spec.fields.map { [Styled($0.name), Styled($0.type.description)] }, indent: 2)
        }
        heading("outcomes", on: &page)
        page.table(
            KindReference.outcomes(of: spec).map { outcomeClass, names in
                [Styled(outcomeClass.rawValue, .dim), Styled(names.joined(separator: ", "))]
            }, indent: 2)
        heading("fields when it does not", on: &page)
        page.table(spec.errorFields.map { [Styled($0.name), Styled($0.type.description)] }, indent: 2)
        page.blank()
        if spec.isOpen {
            page.line(
                Styled("open    ", .dim)
                    + Styled("the flow or its target declares further outcomes and fields"),
                hanging: 8)
        }
        page.line(Styled("replay  ", .dim) + Styled(KindReference.replay(of: spec)), hanging: 8)
        if spec.isInteractive {
            page.line(
                Styled("waits   ", .dim) + Styled("for a person: timeout is 5m if not given"), hanging: 8)
        }
    }

    private func arguments(of spec: KindSpec, on page: inout Page) {
        guard !spec.arguments.isEmpty else { return }
        heading("with", on: &page)
        page.table(
            spec.arguments.map { argument in
                let standard = KindReference.standard(of: argument)
                return [
                    Styled(argument.name), Styled(KindReference.form(of: argument)),
                    Styled(argument.summary) + Styled(standard.isEmpty ? "" : " (\(standard))", .dim),
                ]
            }, indent: 2)
    }

    private func heading(_ text: String, on page: inout Page) {
        page.blank()
        page.line(Styled(text, .strong))
    }
}
