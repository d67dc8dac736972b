internal import JOSE

/// Which of a descriptor's rules made of an answer with a status of success what it was taken for.
package enum DecidingRule: Sendable, Hashable {
    /// The rule of `error_when` of this index: the answer is an error.
    case errorWhen(Int)
    /// What `unwrap` leads to is no object.
    case unwrap
    /// The paths of this member lead nowhere.
    case map(String)
    /// This member is not written so.
    case types(String)
}

extension ResponseDialect {
    /// The first rule of `error_when` that an answer meets; `nil` where none is met or the answer cannot be read.
    package func errorRule(of response: HTTPResponse) -> DecidingRule? {
        guard successStatus.contains(response.status), !errorWhen.isEmpty, let root = root(of: response)
        else {
            return nil
        }
        let isText = isText(response)
        return errorWhen.firstIndex { $0.holds(in: root, isText: isText) }.map { .errorWhen($0) }
    }

    /// The rule that explains why an answer is malformed; `nil` where it is none of one member or place.
    ///
    /// - Parameter member: What was absent or not written as it should be; `nil` where it is not known to be one.
    package func malformedRule(of response: HTTPResponse, _ member: String?) -> DecidingRule? {
        guard successStatus.contains(response.status), let root = root(of: response) else { return nil }
        var value: JSONValue? = root
        if !unwrap.isEmpty { value = unwrap.value(in: root) }
        guard let object = value?.objectValue else { return unwrap.isEmpty ? nil : .unwrap }
        guard let member else { return nil }
        if let paths = map[member], paths.value(in: .object(object)) == nil { return .map(member) }
        return types[member] == nil ? nil : .types(member)
    }

    private func root(of response: HTTPResponse) -> JSONValue? {
        var log = CheckLog()
        // What cannot be read no rule has decided on.
        return try? decode(response, .operation, log: &log)
    }
}
