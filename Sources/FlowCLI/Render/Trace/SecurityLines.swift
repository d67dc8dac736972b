internal import FlowReport
internal import OAuthProtocol

/// A security event as lines that nobody overlooks: the severity in capitals, the evidence below.
enum SecurityLines {
    static func write(_ event: SecurityEvent, sign: String, _ page: inout Page) {
        let style: Style =
            switch event.severity {
            case .critical: .bad
            case .warning: .warning
            case .info: .plain
            }
        let host = event.host.map { " \($0)" } ?? ""
        page.line(
            Styled("\(sign) ", style)
                + Styled("SECURITY \(event.severity.rawValue.uppercased())\(host): \(event.summary)", style)
                + Styled(" (\(event.check.name), \(event.check.reference), rule \(event.check.number))", .dim),
            hanging: 4)
        for evidence in event.evidence {
            page.unwrapped(Styled("\(evidence.name): ", .dim) + Styled(evidence.value), indent: 4)
        }
    }
}
