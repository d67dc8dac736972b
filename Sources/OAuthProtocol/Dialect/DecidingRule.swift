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
    /// - Parameter detail: What was found wrong, which names the member.
    package func malformedRule(of response: HTTPResponse, _ detail: String) -> DecidingRule? {
        guard successStatus.contains(response.status), let root = root(of: response) else { return nil }
        var value: JSONValue? = root
        if !unwrap.isEmpty { value = unwrap.value(in: root) }
        guard let object = value?.objectValue else { return unwrap.isEmpty ? nil : .unwrap }
        let named = Set(detail.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
        let unfound = map.keys.sorted().first { name in
            named.contains(name) && map[name]?.value(in: .object(object)) == nil
        }
        if let unfound { return .map(unfound) }
        return types.keys.sorted().first { named.contains($0) }.map { .types($0) }
    }

    private func root(of response: HTTPResponse) -> JSONValue? {
        var log = CheckLog()
        // What cannot be read no rule has decided on.
        return try? decode(response, .operation, log: &log)
    }
}
