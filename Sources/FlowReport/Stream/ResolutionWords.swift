package import FlowEngine

/// How the way on from a step was found, as words: the same in every renderer.
package enum ResolutionWords {
    /// What is said of a line or an alternative at a glance.
    package enum Standing: Sendable {
        case taken
        /// It was not there, or nobody looked at it.
        case open
        /// It was looked at, and led nowhere.
        case refused
    }

    package static func standing(_ verdict: TracedResolution.Verdict) -> Standing {
        switch verdict {
        case .taken: .taken
        case .absent, .notReached: .open
        case .notCovered, .notHolding, .usedUp: .refused
        }
    }

    /// What became of a line; empty for the one that was taken.
    package static func line(_ line: TracedResolution.Line) -> String {
        switch line.verdict {
        case .taken: ""
        case .absent: "no such line"
        case .notCovered: "never covers a choice"
        case .notReached, .notHolding, .usedUp: "not looked at"
        }
    }

    /// What became of an alternative.
    ///
    /// - Parameter isOnly: Whether its line has no other.
    package static func alternative(_ alternative: TracedResolution.Alternative, isOnly: Bool) -> String {
        switch alternative.verdict {
        case .taken: isOnly ? "the only way" : "taken"
        case .notHolding: "its if does not hold"
        case .usedUp: "its max is used up"
        case .notReached, .absent, .notCovered: "not looked at"
        }
    }

    /// What the condition of an alternative came to; `nil` where it was not read.
    package static func condition(_ alternative: TracedResolution.Alternative) -> String? {
        switch alternative.verdict {
        case .taken: "true"
        case .notHolding: "false"
        case .usedUp, .notReached, .absent, .notCovered: nil
        }
    }

    /// `2, 1 used before`: how often an alternative may be taken; `nil` where there is no limit.
    package static func budget(_ alternative: TracedResolution.Alternative) -> String? {
        guard let maximum = alternative.maximum else { return nil }
        return "\(maximum)\(alternative.verdict == .notReached ? "" : ", \(alternative.used) used before")"
    }

    /// Why the step was not tried once more.
    package static func retry(_ retry: TracedResolution.Retry, after outcome: String) -> String {
        let made = "\(retry.attempts) \(retry.attempts == 1 ? "attempt" : "attempts")"
        return switch retry.verdict {
        case .otherOutcome: "\(made); the policy does not name \(outcome)"
        case .lastAttempt: "\(made); no more are allowed"
        case .spent: "\(made); what was sent is used up, sending it again could only do harm"
        case .lasting: "\(made); another would fail in the same way"
        case .tooLong: "\(made); the server asks for a longer pause than retry_after.max"
        case .noTime: "\(made); no time was left for another"
        case .refused: "\(made); a hook refused another"
        case .notTried: "the step was not tried"
        }
    }

    /// What the retry policy allows, and whose it is.
    package static func policy(_ retry: TracedResolution.Retry) -> String {
        "\(retry.isDefault ? "of the defaults" : "of the step"), at most \(retry.allowed) attempts, after "
            + retry.outcomes.joined(separator: ", ")
    }

    /// `end refused`, or the name of the step.
    package static func target(_ end: StepEnd) -> String {
        end.targetIsEnd ? "end \(end.target)" : end.target
    }
}

extension TracedResolution {
    /// Whether its first line has one way without a condition, and the step was not tried again: the name of the
    /// line says it all.
    package var isPlain: Bool {
        let isTriedOnce = retry.map { $0.verdict == .otherOutcome && $0.attempts <= 1 } ?? true
        return isTriedOnce && lines.first?.verdict == .taken && alternatives.count == 1
            && alternatives.allSatisfy { $0.condition == nil && $0.maximum == nil }
    }
}
