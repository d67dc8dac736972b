internal import JOSE
internal import OAuthProtocol

/// Writes a standard answer the way a provider's dialect would, so that reading it exercises the dialect.
enum RehearsedDialect {
    static func write(_ standard: JSONObject, _ dialect: ResponseDialect) -> JSONObject {
        var answer: JSONObject = [:]
        for (name, value) in standard {
            let written = write(value, dialect.types[name])
            if let path = dialect.map[name]?.first {
                place(written, at: path.segments[...], in: &answer)
            } else {
                answer[name] = written
            }
        }
        guard let wrapper = dialect.unwrap else { return answer }
        var outer: JSONObject = [:]
        place(.object(answer), at: wrapper.segments[...], in: &outer)
        return outer
    }

    private static func write(_ value: JSONValue, _ type: ResponseDialect.MemberType?) -> JSONValue {
        switch (type, value) {
        case (.comma, .string(let text)): .string(text.replacing(" ", with: ","))
        case (.list, .string(let text)): .array(text.split(separator: " ").map { .string(String($0)) })
        case (.milliseconds, .int(let seconds)): .int(seconds * 1000)
        case (.comma, _), (.list, _), (.milliseconds, _), (.seconds, _), (.epoch, _), (.epochMilliseconds, _),
            (.iso8601, _), (.space, _), (nil, _):
            value
        }
    }

    private static func place(
        _ value: JSONValue, at path: ArraySlice<ValuePath.Segment>, in object: inout JSONObject
    ) {
        guard case .member(let name)? = path.first else { return }
        let rest = path.dropFirst()
        if rest.isEmpty {
            object[name] = value
        } else {
            var inner = object[name]?.objectValue ?? [:]
            place(value, at: rest, in: &inner)
            object[name] = .object(inner)
        }
    }
}
