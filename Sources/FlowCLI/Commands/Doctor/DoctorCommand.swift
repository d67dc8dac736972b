internal import JOSE
internal import OAuthProtocol

struct DoctorRequest: Sendable {
    /// Whether providers are asked.
    var asksProviders = false
    var isStrict = false
    var live = LiveOptions()
    var form = Command.Form.text
}

/// `doctor`: everything around flowrun that a person would look at when something does not work.
struct DoctorCommand: Sendable {
    let context: CommandContext
    let request: DoctorRequest

    func run() async -> Int {
        var findings = [Finding.ok("version", "flowrun \(VersionCommand.version)")]
        findings += LibraryChecks().findings
        findings += PlaceChecks(surroundings: context.surroundings).findings
        findings += await StoreChecks(surroundings: context.surroundings, store: request.live.store)
            .findings()
        findings += SurroundingsChecks(surroundings: context.surroundings, live: request.live).findings
        findings += await RegistrationDoctor(context: context, request: request).findings()
        switch request.form {
        case .text: context.write(text(findings))
        case .json: context.write(json(findings))
        }
        let isIll = request.isStrict && findings.contains { $0.state == .bad }
        return (isIll ? ExitStatus.local : .ok).rawValue
    }

    private func text(_ findings: [Finding]) -> String {
        var page = Page(RenderOptions(context.common, context.surroundings.output, context.surroundings))
        for finding in findings {
            let sign =
                switch finding.state {
                case .ok: Styled("\(Symbol.passed) ", .good)
                case .warning: Styled("\(Symbol.warning) ", .warning)
                case .bad: Styled("\(Symbol.failed) ", .bad)
                }
            page.line(
                sign + Styled(finding.id.padded(to: 9), .dim) + Styled(RemoteText.sanitize(finding.what)),
                hanging: 11)
            if let fix = finding.fix {
                page.line(
                    Styled("fix  ", .strong) + Styled(RemoteText.sanitize(fix)), indent: 11, hanging: 16)
            }
        }
        let count = { (state: Finding.State) in findings.count { $0.state == state } }
        page.line(
            Styled("\(count(.ok)) ok, \(count(.warning)) to know, \(count(.bad)) to mend", .dim))
        return page.take()
    }

    private func json(_ findings: [Finding]) -> String {
        let rows = findings.map { finding -> JSONValue in
            var row: JSONObject = [
                "id": .string(finding.id), "state": .string(finding.state.rawValue),
                "what": .string(finding.what),
            ]
            row["fix"] = finding.fix.map { .string($0) }
            return .object(row)
        }
        return JSONValue.object(["findings": .array(rows)]).serialize(pretty: true) + "\n"
    }
}
