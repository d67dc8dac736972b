import FlowEngine
import FlowReport
import FlowTesting

/// Traces that real runs against the sandbox have written.
enum Recorded {
    static let folder = "report"

    static let names = [
        "client-credentials", "device", "forged", "login", "nested", "plan", "refused", "retried", "routed",
    ]

    static func text(_ name: String) throws -> String {
        try Repository.text(of: "Tests/Golden/\(folder)/\(name).jsonl")
    }

    static func events(_ name: String) throws -> [TraceEvent] {
        try TraceReader.read(Array(text(name).utf8))
    }

    static func report(_ name: String, _ format: ReportFormat) throws -> String {
        var context = ReportContext()
        context.version = "1.0.0"
        return Report.render(try events(name), format, context)
    }
}

extension ReportFormat {
    /// How the name of a file of this format ends.
    var suffix: String {
        switch self {
        case .jsonl: "jsonl"
        case .har: "har"
        case .mermaid: "mmd"
        case .html: "html"
        case .junit: "xml"
        case .tap: "tap"
        case .curl: "sh"
        case .otlp: "otlp.json"
        }
    }
}
