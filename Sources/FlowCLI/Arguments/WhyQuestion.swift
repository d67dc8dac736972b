/// The step of a run about which somebody asks why it led where it did.
struct WhyQuestion: Sendable, Hashable {
    let step: String
    /// From 1; `nil` for every visit of the step.
    var visit: Int?
}

extension WhyQuestion {
    static let option = OptionSpec(
        "why", "STEP[@VISIT]", environment: false,
        help: "show only why STEP led where it did: each line and alternative that was looked at")

    /// - Returns: `nil` where nobody asks.
    init?(_ parsed: ParsedArguments) throws(UsageError) {
        guard let text = parsed.last("why") else { return nil }
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let visit = parts.count == 2 ? Int(parts[1]) : nil
        guard !parts[0].isEmpty, parts.count == 1 || (visit ?? 0) > 0 else {
            throw parsed.wrong("why", text, "STEP or STEP@2")
        }
        self.init(step: String(parts[0]), visit: visit)
    }
}
