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
        .deviceAuthorize, .devicePoll, .introspect, .revoke,
    ]

    mutating func note(_ response: TracedResponse, at time: Int64) {
        let date = response.fields.first { $0.name.lowercased() == "date" }
        guard case .text(let text)? = date?.value, let there = CalendarDate.imfFixdate(text) else { return }
        lead = time - there
    }

    /// A `Date` is in whole seconds, and an answer takes its time.
    private static let same: Int64 = 2_000

    /// - Returns: `nil` where no answer says, and where the clocks agree unless a check of a time has failed.
    func evidence(for report: FailureReport) -> FailureReport.Evidence? {
        guard let lead else { return nil }
        let kind = StepKind(rawValue: report.kind)
        // A request that is pushed has its times; one that a browser brings is not answered here.
        let isTimed = kind.map(Self.timed.contains) == true || kind == .authorize && report.quotesServer
        let words = "\(SpanText.of(abs(lead))) \(lead > 0 ? "ahead of" : "behind")"
        guard abs(lead) > Self.usual else {
            guard report.failedChecks.contains(where: CheckTimes.isTimed) else { return nil }
            return FailureReport.Evidence(
                "clock", "the clock of this machine",
                abs(lead) <= Self.same ? "as the provider's" : "\(words) the provider's")
        }
        return FailureReport.Evidence(
            "clock", "the clock of this machine", "\(words) the provider's",
            suspicion: isTimed
                ? "the clock of this machine is \(words) the provider's: compare `date -u` with the real time; timedatectl set-ntp true"
                : nil)
    }
}
