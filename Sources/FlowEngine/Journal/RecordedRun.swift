package import FlowLanguage
package import JOSE
internal import OAuthProtocol

/// A run as the records of its journal tell it: enough to go on with it in another process.
package struct RecordedRun: Sendable {
    /// What the world reported to one request.
    package struct Report: Sendable {
        /// The request as its record names it, to see that the machine asks for the same again.
        let effect: String
        let step: String
        let visit: Int
        let attempt: Int
        package let input: Input
    }

    package let runID: String
    /// Milliseconds since 1970.
    package let startedAt: Int64
    package let seed: UInt64
    /// Of the compiled program; a changed flow file does not affect a run in flight.
    package private(set) var digest: String
    /// By provider, the client and whom it speaks to.
    let clients: [String]
    package private(set) var inputs: [Value]
    package let profile: String
    /// How the host began the run, in its own words, or went on with it under another program.
    package let origin: JSONValue
    package let reports: [Report]
    /// Whether a request that must not be sent twice may have been sent, and nobody knows what became of it.
    package let isSpending: Bool
    /// Whether it goes on under another program than its records are of, which they are to say.
    private(set) var isMigrating = false

    /// All that the machine was told, in order.
    var told: [Input] { [Input(.start, now: startedAt)] + reports.map(\.input) }

    /// Records are of this version; a later one cannot be read.
    static let version: Int64 = 1

    /// - Throws: When the records are none of this version, or a record is missing or damaged.
    package init(_ entries: [JournalEntry]) throws(JournalFailure) {
        guard let start = entries.first, start.kind == .started else {
            throw JournalFailure("the journal does not begin with run_started")
        }
        guard start.content["journal"]?.intValue == Self.version else {
            throw JournalFailure(
                "the journal was written by another version of flowrun, or its run has ended")
        }
        guard let runID = start.content["run"]?.stringValue,
            let seed = start.content["seed"]?.stringValue.flatMap({ UInt64($0) }),
            let profile = start.content["profile"]?.stringValue,
            let clients = start.content["clients"]?.arrayValue
        else { throw JournalFailure("its first record lacks a member") }
        self.runID = runID
        startedAt = start.time
        self.seed = seed
        self.clients = clients.compactMap(\.stringValue)
        self.profile = profile
        let program = try Self.program(entries)
        self.digest = program.digest
        self.inputs = program.inputs
        origin = program.origin
        var reports: [Report] = []
        var isSpending = false
        for entry in entries.dropFirst() {
            switch entry.kind {
            case .intended: isSpending = true
            case .reported:
                isSpending = false
                reports.append(try Self.report(entry))
            case .started: throw JournalFailure("the journal begins twice")
            case .suspended, .resumed, .migrated, .ended: break
            }
        }
        self.reports = reports
        self.isSpending = isSpending
    }

    /// What the run is one of: the program that it was begun with, or that it was last migrated to.
    private static func program(
        _ entries: [JournalEntry]
    ) throws(JournalFailure) -> (digest: String, inputs: [Value], origin: JSONValue) {
        guard let entry = entries.last(where: { $0.kind == .started || $0.kind == .migrated }),
            let digest = entry.content["program"]?.stringValue,
            let inputs = entry.content["inputs"]?.arrayValue
        else { throw JournalFailure("its first record lacks a member") }
        let values = inputs.compactMap(ValueCoding.decode)
        guard values.count == inputs.count else { throw JournalFailure("an input cannot be read") }
        return (digest, values, entry.content["origin"] ?? .null)
    }

    /// The run as one of the program of `plan`, whose inputs are those of the run.
    ///
    /// Does not check that it can be one: see `Migration`.
    package func migrated(to plan: RunPlan) -> RecordedRun {
        var run = self
        run.digest = plan.program.digest
        run.inputs = plan.inputs
        run.isMigrating = true
        return run
    }

    private static func report(_ entry: JournalEntry) throws(JournalFailure) -> Report {
        guard let event = InputCoding.decode(entry.content), let effect = entry.facts["effect"]?.stringValue,
            let visit = entry.facts["visit"]?.intValue, let attempt = entry.facts["attempt"]?.intValue
        else { throw JournalFailure("a report cannot be read") }
        return Report(
            effect: effect, step: entry.facts["step"]?.stringValue ?? "", visit: Int(clamping: visit),
            attempt: Int(clamping: attempt), input: Input(event, now: entry.time))
    }
}

extension RecordedRun.Report {
    /// Whether the record answers this very request.
    func answers(_ request: EffectRequest) -> Bool {
        effect == request.effect.word && step == request.step && visit == request.visit
            && attempt == request.attempt
    }
}

extension RunPlan {
    /// By provider, the client and whom it speaks to: a code and a refresh token are good for no other.
    var clients: [String] { providers.map { "\($0.registration.clientID) at \($0.sessionIssuer)" } }
}

extension RunPlan {
    /// Why a run that was begun by another plan cannot go on with this one; `nil` where it can.
    package func difference(from recorded: RecordedRun) -> String? {
        guard program.digest == recorded.digest else {
            return "the run was begun with another flow than this one"
        }
        guard clients == recorded.clients else {
            return "the run was begun by \(recorded.clients.joined(separator: ", ")), and now it would be "
                + clients.joined(separator: ", ")
        }
        return nil
    }
}
