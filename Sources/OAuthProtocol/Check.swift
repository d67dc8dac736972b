internal import Synchronization

/// One rule that an answer must satisfy: its number in the list of rules, its name and its source.
///
/// The numbers are those of the project's security rules; a trace shows them so that a reader can look a rule
/// up.
public struct Check: Sendable, Hashable {
    /// Position in the list of rules, from 1.
    public var number: Int { rule.number }
    /// Stable name, printed in traces and errors, such as `state`.
    public var name: String { rule.name }
    /// Where the rule is written, such as `RFC 6749 §10.12`.
    public var reference: String { rule.reference }
    /// Whether it keeps an attacker out, and does not only find a server that makes mistakes: each failure is a
    /// `SecurityEvent`.
    public var isProtective: Bool { rule.isProtective }

    /// Lives as long as the process: a log of thirty checks is written and freed without counting references.
    private unowned(unsafe) let rule: Rule

    private final class Rule: Sendable {
        let number: Int
        let name: String
        let reference: String
        let isProtective: Bool

        init(_ number: Int, _ name: String, _ reference: String, _ isProtective: Bool) {
            self.number = number
            self.name = name
            self.reference = reference
            self.isProtective = isProtective
        }
    }

    /// A rule of the program itself, made once.
    package init(_ number: Int, _ name: String, _ reference: String, protects: Bool = false) {
        rule = Unmanaged.passRetained(Rule(number, name, reference, protects)).takeUnretainedValue()
    }

    /// Every rule that a trace has told, each once, since it may be one of another version of the program.
    private static let recalled = Mutex<[String: Check]>([:])

    /// A rule as a trace tells it.
    package init(recalled number: Int, name: String, reference: String) {
        self = Self.recalled.withLock { known in
            let key = "\(number) \(name) \(reference)"
            if let check = known[key] { return check }
            let check = Check(number, name, reference, protects: true)
            known[key] = check
            return check
        }
    }

    public static func == (left: Check, right: Check) -> Bool {
        left.rule === right.rule
            || left.number == right.number && left.name == right.name && left.reference == right.reference
                && left.isProtective == right.isProtective
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(number)
        hasher.combine(name)
        hasher.combine(reference)
    }
}

/// How one check ended.
package enum CheckVerdict: Sendable, Hashable {
    case passed
    /// What was expected and what came; never a secret value.
    indirect case failed(expected: String, actual: String)
    /// The reason why the rule asks nothing here.
    case notApplicable(String)
    /// The rule would ask for more, and a file has given leave to go without: which, in words.
    case relaxed(String)
}

/// A check and its verdict, in the order the checks ran.
package struct CheckResult: Sendable, Hashable {
    package let check: Check
    package let verdict: CheckVerdict
}

/// Collects the verdicts of the checks of one answer.
package struct CheckLog: Sendable {
    package private(set) var results: [CheckResult] = []
    /// The member of the answer that the failure is about; `nil` where it is not about one alone.
    package private(set) var failedMember: String?

    /// More than the checks of an ID token, which has the most.
    private static let expected = 40

    package init() { results.reserveCapacity(Self.expected) }

    package mutating func pass(_ check: Check) {
        results.append(CheckResult(check: check, verdict: .passed))
    }

    package mutating func skip(_ check: Check, because reason: String) {
        results.append(CheckResult(check: check, verdict: .notApplicable(reason)))
    }

    /// Records that a file lets the rule go unheeded.
    package mutating func relax(_ check: Check, because reason: String) {
        results.append(CheckResult(check: check, verdict: .relaxed(reason)))
    }

    /// Records the failure and returns the error to throw.
    ///
    /// - Parameter member: What was absent from the answer, or is not written as it should be.
    package mutating func failure(
        _ check: Check, expected: String, actual: String, of member: String? = nil
    ) -> ProtocolError {
        failedMember = member
        results.append(CheckResult(check: check, verdict: .failed(expected: expected, actual: actual)))
        return .failed(check, expected: expected, actual: actual)
    }

    /// Records that the answer cannot be used at all and returns the error to throw.
    ///
    /// - Parameter member: What is not written as it should be.
    package mutating func malformed(
        _ check: Check, _ subject: String, detail: String, of member: String? = nil
    ) -> ProtocolError {
        failedMember = member
        results.append(CheckResult(check: check, verdict: .failed(expected: subject, actual: detail)))
        return .malformed(subject, detail: detail)
    }

    /// Records that the peer said no and returns the error to throw.
    ///
    /// - Parameter finding: What shows that it did, where that is not the code alone.
    package mutating func rejected(
        _ check: Check, _ error: OAuthError, status: Int, finding: (expected: String, actual: String)? = nil
    ) -> ProtocolError {
        let verdict = CheckVerdict.failed(
            expected: finding?.expected ?? "no error", actual: finding?.actual ?? error.code)
        results.append(CheckResult(check: check, verdict: verdict))
        return .rejected(error, status: status)
    }

    /// Records a status that is not success and returns the error to throw.
    package mutating func status(_ check: Check, expected: String, _ status: Int) -> ProtocolError {
        results.append(CheckResult(check: check, verdict: .failed(expected: expected, actual: "\(status)")))
        return .status(status)
    }

    /// Records the verdict and throws when `condition` is false.
    package mutating func require(
        _ condition: Bool, _ check: Check, expected: @autoclosure () -> String,
        actual: @autoclosure () -> String, of member: String? = nil
    ) throws(ProtocolError) {
        guard condition else { throw failure(check, expected: expected(), actual: actual(), of: member) }
        pass(check)
    }
}
