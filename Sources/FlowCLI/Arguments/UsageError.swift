/// A command line that cannot be understood.
struct UsageError: Error, Sendable, Hashable {
    /// Lower case, without a full stop.
    let message: String
    /// The command whose help is worth a look.
    let command: String?

    init(_ message: String, command: String? = nil) {
        self.message = message
        self.command = command
    }

    var hint: String {
        "see: flowrun help" + (command.map { " \($0)" } ?? "")
    }
}
