package import YAMLText

/// A rule that flow files are checked against: what `flowrun explain` shows of it.
///
/// A code never changes its meaning (flow/1 §16). The checks of one rule are functions; the table has one line for
/// each code that some check of this target or of those below it may report.
package struct FlowRule: Sendable, Hashable {
    package let code: String
    package let severity: Diagnostic.Severity
    package let title: String
    package let explanation: String

    init(_ code: String, _ title: String, _ explanation: String, severity: Diagnostic.Severity = .error) {
        self.code = code
        self.severity = severity
        self.title = title
        self.explanation = explanation
    }

    package static func rule(of code: String) -> FlowRule? {
        all.first { $0.code == code }
    }

    /// Every rule, by code.
    package static let all: [FlowRule] =
        text + structure + routing + data + protection + hooks + binding + tests
}
