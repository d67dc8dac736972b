package import JOSE

extension ResponseDialect {
    /// Reads an answer with a success status: format, decode, errors, `unwrap`, `map`, `absent`, `types`, `defaults`.
    ///
    /// The status has been checked.
    func members(
        of response: HTTPResponse, _ subject: ResponseSubject, log: inout CheckLog
    ) throws(ProtocolError) -> JSONObject {
        try members(of: response, subject, typing: [], log: &log).object
    }

    /// The same for a reader that makes sense of some members itself.
    ///
    /// - Parameter own: Those members: they are left as they are written.
    /// - Returns: Also the types of `own`, without those of members that `defaults` brought.
    func members(
        of response: HTTPResponse, _ subject: ResponseSubject, typing own: Set<String>, log: inout CheckLog
    ) throws(ProtocolError) -> (object: JSONObject, types: [String: MemberType]) {
        guard var object = try value(of: response, subject, log: &log)?.objectValue else {
            let place = unwrap.isEmpty ? "the body" : unwrap.map(\.text).joined(separator: " or ")
            throw log.malformed(subject.body, subject.name, detail: "\(place) is not a JSON object")
        }
        let defaulted = try rename(&object, typing: own, subject, log: &log)
        log.pass(subject.body)
        return (object, types.filter { own.contains($0.key) && !defaulted.contains($0.key) })
    }

    /// The same for who wants to know what became of a request: a member that is not written as its type says is no
    /// reason to lose the others.
    func untypedMembers(
        of response: HTTPResponse, _ subject: ResponseSubject, log: inout CheckLog
    ) throws(ProtocolError) -> JSONObject {
        try members(of: response, subject, typing: Set(types.keys), log: &log).object
    }

    /// `map`, then `absent`, then `types`, then `defaults`.
    ///
    /// - Returns: The members that `defaults` brought, which are in their last form already.
    private func rename(
        _ object: inout JSONObject, typing own: Set<String>, _ subject: ResponseSubject, log: inout CheckLog
    ) throws(ProtocolError) -> Set<String> {
        let unwrapped = JSONValue.object(object)
        // Sorted, so that the order of the members is the same in every run.
        for (name, paths) in map.sorted(by: { $0.key < $1.key }) {
            object[name] = paths.value(in: unwrapped)
        }
        for (name, values) in absent {
            guard let found = object[name], values.contains(where: { found.isMeant(by: $0) }) else {
                continue
            }
            object[name] = nil
        }
        try convert(&object, except: own, subject, log: &log)
        var defaulted: Set<String> = []
        for (name, value) in defaults.sorted(by: { $0.key < $1.key })
        where object[name].map(\.isBlank) ?? true {
            object[name] = value
            defaulted.insert(name)
        }
        return defaulted
    }

    /// The answer to an operation that only the descriptor knows, of any shape; members under their standard names.
    package func mapped(
        _ response: HTTPResponse, log: inout CheckLog
    ) throws(ProtocolError) -> JSONValue? {
        try mapped(response, .operation, log: &log)
    }

    func mapped(
        _ response: HTTPResponse, _ subject: ResponseSubject, log: inout CheckLog
    ) throws(ProtocolError) -> JSONValue? {
        guard let value = try value(of: response, subject, log: &log) else { return .none }
        guard var object = value.objectValue else { return value }
        _ = try rename(&object, typing: [], subject, log: &log)
        return .object(object)
    }

    /// The decoded body, or what `unwrap` finds in it; `nil` when that is nothing.
    func value(
        of response: HTTPResponse, _ subject: ResponseSubject, log: inout CheckLog
    ) throws(ProtocolError) -> JSONValue? {
        let root = try decode(response, subject, log: &log)
        let condition = condition(in: root, isText: isText(response))
        if let error = error(inSuccess: root, condition, subject) {
            throw log.rejected(
                subject.error, error, status: response.status,
                finding: condition?.finding(in: root, isUnexplained: self.error(in: root) == nil))
        }
        log.pass(subject.error)
        return unwrap.isEmpty ? root : unwrap.value(in: root)
    }

    /// The error in an answer of which nothing counts but whether it is one: found by the rules of the descriptor alone.
    ///
    /// An answer without a body says as much as an empty object.
    ///
    /// - Throws: `malformed` for a body that the rules cannot be held against.
    func ruledError(
        inSuccess response: HTTPResponse, _ subject: ResponseSubject, log: inout CheckLog
    ) throws(ProtocolError) -> OAuthError? {
        guard !errorWhen.isEmpty || !errorCode.isEmpty else { return nil }
        guard response.body.contains(where: { $0 > 0x20 }) else {
            let nothing = JSONValue.object([:])
            return error(inSuccess: nothing, condition(in: nothing, isText: false), subject)
        }
        // How the body is written is no check of its own here.
        var reading = CheckLog()
        do throws(ProtocolError) {
            let root = try decode(response, subject, log: &reading)
            return error(inSuccess: root, condition(in: root, isText: isText(response)), subject)
        } catch {
            guard case .malformed(_, let detail) = error else { throw error }
            throw log.malformed(subject.body, subject.name, detail: detail)
        }
    }

    /// The error that a decoded body tells, whatever the status; `nil` when it tells none.
    ///
    /// The paths of the descriptor come first, then the members of RFC 6749 §5.2.
    func error(in root: JSONValue) -> OAuthError? {
        let code = errorCode.text(in: root) ?? root["error"]?.stringValue
        guard let code, !code.isEmpty else { return nil }
        return OAuthError(
            code: code,
            description: errorDescription.text(in: root)
                ?? root["error_description"]?.stringValue ?? ForeignAnswer.words(in: root),
            uri: root["error_uri"]?.stringValue)
    }

    /// The first condition of the descriptor that holds.
    ///
    /// - Parameter isText: Whether the body has texts alone.
    private func condition(in root: JSONValue, isText: Bool) -> ErrorCondition? {
        errorWhen.first { $0.holds(in: root, isText: isText) }
    }

    /// The error inside a success: a condition of the descriptor, or a text in `error`. Beside tokens anything there
    /// is one that is not nothing.
    ///
    /// - Parameter condition: The one that holds.
    private func error(
        inSuccess root: JSONValue, _ condition: ErrorCondition?, _ subject: ResponseSubject
    ) -> OAuthError? {
        let isTold =
            switch root["error"] {
            case .string(let text): !text.isEmpty
            case .null, .bool(false), .int(0), nil: false
            case .bool, .int, .bigInteger, .number, .array, .object:
                subject.error == Checks.tokenError && errorWhen.isEmpty
            }
        guard condition != nil || isTold else { return nil }
        return error(in: root) ?? OAuthError(code: "unspecified", description: ForeignAnswer.words(in: root))
    }
}

extension [ValuePath] {
    /// What is at the first of the paths that leads to something.
    func value(in root: JSONValue) -> JSONValue? {
        lazy.compactMap { $0.value(in: root) }.first { !$0.isBlank }
    }

    /// What is at the first of the paths that leads to a text, a number or a truth value.
    fileprivate func text(in root: JSONValue) -> String? {
        lazy.compactMap { $0.value(in: root)?.scalarText }.first { !$0.isEmpty }
    }
}

extension ResponseDialect.ErrorCondition {
    /// Paths that lead nowhere satisfy only `exists: false`; the required members decide then.
    ///
    /// - Parameter isText: Whether all values are texts, as those of a form are: numbers compare by theirs then.
    func holds(in root: JSONValue, isText: Bool) -> Bool {
        let value = paths.lazy.compactMap { $0.value(in: root) }.first
        switch test {
        case .exists(let expected): return (value != nil) == expected
        case .equals(let other): return value?.isOne(other, isText) == true
        case .notEquals(let other): return value?.isOne(other, isText) == false
        }
    }
}

extension ResponseDialect.ErrorCondition {
    /// What a check says of the answer that the condition holds for: the rule, and what is there. Never the value itself,
    /// unless the file has it too.
    ///
    /// - Returns: `nil` where the answer explains itself and no mere difference of types made it an error.
    fileprivate func finding(in root: JSONValue, isUnexplained: Bool) -> (expected: String, actual: String)? {
        let expected = "no error by error_when: \(words)"
        let value = paths.lazy.compactMap { $0.value(in: root) }.first
        if case .notEquals(let other) = test, let value, let text = value.scalarText, text == other.scalarText
        {
            let written = value.serialize()
            return (expected, "\(value.kind), \(written): write not_equals: \(written) for that")
        }
        return isUnexplained ? (expected, value?.kind ?? "nothing there") : nil
    }
}

extension JSONValue {
    /// Null and empty text, which some servers send for "no value".
    var isBlank: Bool {
        switch self {
        case .null: true
        case .string(let text): text.isEmpty
        case .bool, .int, .bigInteger, .number, .array, .object: false
        }
    }

    /// A text, number or truth value as text.
    var scalarText: String? {
        switch self {
        case .string(let text): text
        case .int(let value): "\(value)"
        case .bigInteger(let digits): digits
        case .number(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .null, .array, .object: nil
        }
    }

    fileprivate func isOne(_ other: JSONValue, _ isText: Bool) -> Bool {
        isText ? isMeant(by: other) : isSame(as: other)
    }

    /// Equal, a number as text too: what writes a lifetime as text also writes none so.
    fileprivate func isMeant(by other: JSONValue) -> Bool {
        guard case .string(let text) = self, other.stringValue == nil else { return isSame(as: other) }
        return text == other.scalarText
    }

    /// Equal, `1` and `1.0` too.
    fileprivate func isSame(as other: JSONValue) -> Bool {
        self == other || (numberValue != nil && numberValue == other.numberValue)
    }
}
