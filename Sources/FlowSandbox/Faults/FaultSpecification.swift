/// Why a text names no fault.
package struct FaultSpecificationError: Error, Sendable, Hashable {
    package enum Problem: Sendable, Hashable {
        /// No fault has that name.
        case unknown(nearest: String?)
        /// The name needs another value: what it needs, in words.
        case value(expected: String)
        /// `@` or `x` is not followed by a number from 1.
        case occurrence
    }

    /// The whole text as it was given.
    package let text: String
    package let problem: Problem

    package init(text: String, problem: Problem) {
        self.text = text
        self.problem = problem
    }
}

extension FaultSpecificationError: CustomStringConvertible {
    package var description: String {
        switch problem {
        case .unknown(.some(let nearest)): "no fault is named '\(text)'; did you mean '\(nearest)'?"
        case .unknown(.none): "no fault is named '\(text)'"
        case .value(let expected): "the fault '\(text)' needs \(expected)"
        case .occurrence: "the fault '\(text)' must end in @N or xN with N from 1"
        }
    }
}

extension Fault {
    /// Every fault there is, each as it is written.
    package static var spellings: [String] { FaultCatalogue.spellings }

    /// The same by their target, without it.
    package static var spellingsByTarget: [(target: String, spellings: [String])] {
        Target.allCases.map { target in (target.rawValue, FaultCatalogue.names(of: target)) }
    }

    /// Reads one fault, such as `token:invalid_grant@1`, `token:500x2` or `token:slow=5s`.
    ///
    /// - Throws: `unknown` when there is no such fault; `value` when its value is missing or wrong;
    ///   `occurrence` when the number behind it is none.
    package static func parse(_ text: String) throws(FaultSpecificationError) -> Fault {
        let (body, occurrence) = try splitOccurrence(text)
        let parts = body.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2, let target = Target(rawValue: parts[0]) else {
            throw unknown(text, body)
        }
        let entries = FaultCatalogue.entries.filter { $0.targets.contains(target) }
        if let entry = entries.first(where: { $0.name == parts[1] }) {
            return Fault(target, try action(entry, nil, text), occurrence)
        }
        let halves = parts[1].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, let entry = entries.first(where: { $0.name == halves[0] }) else {
            throw unknown(text, body)
        }
        return Fault(target, try action(entry, String(halves[1]), text), occurrence)
    }

    private static func unknown(_ text: String, _ body: String) -> FaultSpecificationError {
        FaultSpecificationError(text: text, problem: .unknown(nearest: nearest(to: body)))
    }

    /// The fault that was probably meant: of the target that is nearest, or where none is typed of the first that has
    /// such a fault, the token endpoint before others.
    private static func nearest(to body: String) -> String? {
        let parts = body.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            let targets = [Target.token] + Target.allCases
            return targets.first { FaultCatalogue.names(of: $0).contains(body) }.map {
                "\($0.rawValue):\(body)"
            }
        }
        guard let target = nearestName(to: parts[0], in: Target.allCases.map(\.rawValue)).flatMap(Target.init)
        else { return nil }
        let names = FaultCatalogue.names(of: target)
        // What stands behind = is often an example of a value.
        let heads = names.map { String($0.prefix { $0 != "=" }) }
        let head = String(parts[1].prefix { $0 != "=" })
        let index =
            nearestName(to: parts[1], in: names).flatMap(names.firstIndex)
            ?? nearestName(to: head, in: heads).flatMap(heads.firstIndex)
        return index.map { "\(target.rawValue):\(names[$0])" }
    }

    /// Cuts `@N` or `xN` off the end; an `x` with no digits behind it belongs to the name.
    private static func splitOccurrence(
        _ text: String
    ) throws(FaultSpecificationError) -> (body: String, occurrence: Occurrence) {
        let digits = text.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()
        let head = text.dropLast(digits.count)
        guard let sign = head.last, sign == "@" || sign == "x", sign == "@" || !digits.isEmpty else {
            guard !text.contains("@") else {
                throw FaultSpecificationError(text: text, problem: .occurrence)
            }
            return (text, .always)
        }
        guard let number = Int(String(digits)), number > 0 else {
            throw FaultSpecificationError(text: text, problem: .occurrence)
        }
        return (String(head.dropLast()), sign == "@" ? .only(number) : .first(number))
    }

    private static func action(
        _ entry: FaultCatalogue.Entry, _ value: String?, _ text: String
    ) throws(FaultSpecificationError) -> Action {
        func wrong(_ expected: String) -> FaultSpecificationError {
            FaultSpecificationError(text: text, problem: .value(expected: expected))
        }
        switch entry.value {
        case .none(let action):
            guard value == nil else { throw wrong("no value") }
            return action
        case .seconds(let make):
            guard let seconds = value.flatMap(wholeNumber) else { throw wrong("a number of seconds, as =1") }
            return make(seconds)
        case .optionalSeconds(let make):
            guard let value else { return make(nil) }
            guard let seconds = wholeNumber(value) else { throw wrong("a number of seconds, as =2, or none") }
            return make(seconds)
        case .duration(let make):
            guard let milliseconds = value.flatMap(duration) else {
                throw wrong("a duration, as =5s or =200ms")
            }
            return make(milliseconds)
        }
    }

    /// At most a day: more is a slip of the finger, and no sum of it overflows.
    private static func wholeNumber(_ text: some StringProtocol) -> Int? {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(text), number <= 86_400 else {
            return nil
        }
        return number
    }

    private static func duration(_ text: String) -> Int? {
        if text.hasSuffix("ms") { return wholeNumber(text.dropLast(2)) }
        guard text.hasSuffix("s") else { return nil }
        return wholeNumber(text.dropLast()).map { $0 * 1000 }
    }
}
