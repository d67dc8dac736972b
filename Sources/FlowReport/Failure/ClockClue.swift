internal import FlowEngine
internal import FlowLanguage
internal import OAuthProtocol

/// How far this machine's clock is from the provider's, as the `Date` of its answers tells (RFC 9110 §6.6.1).
struct ClockClue: Sendable {
    /// Milliseconds by which the local clock is ahead; the latest answer counts.
    private var lead: Int64?

    /// What checks allow for, and a slow answer takes; in milliseconds.
    private static let usual: Int64 = 60_000

    /// Steps that fail where the clocks differ: codes, assertions and tokens have their times.
    private static let timed: Set<StepKind> = [
        .exchange, .refresh, .verifyIDToken, .clientCredentials, .jwtBearer, .tokenExchange, .userinfo,
        .devicePoll,
    ]

    mutating func note(_ response: TracedResponse, at time: Int64) {
        let date = response.fields.first { $0.name.lowercased() == "date" }
        guard case .text(let text)? = date?.value, let there = CalendarDate.imfFixdate(text) else { return }
        lead = time - there
    }

    /// - Returns: `nil` where the clocks agree, or no answer says.
    func evidence(for kind: String) -> FailureReport.Evidence? {
        guard let lead, abs(lead) > Self.usual else { return nil }
        let words = "\(SpanText.of(abs(lead))) \(lead > 0 ? "ahead of" : "behind")"
        return FailureReport.Evidence(
            "clock", "the clock of this machine", "\(words) the provider's",
            suspicion: StepKind(rawValue: kind).map(Self.timed.contains) == true
                ? "the clock of this machine is \(words) the provider's: compare `date -u` with the real time; timedatectl set-ntp true"
                : nil)
    }
}
