internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Writes standard answers the way a provider's dialect would, so that reading them exercises the dialect.
enum RehearsedDialect {
    /// A good answer of the operation; what the descriptor gives as example joins it.
    ///
    /// - Parameter now: Milliseconds since 1970.
    static func response(
        _ standard: JSONObject, _ operation: OperationFacts, now: Int64
    ) -> HTTPResponse {
        var answer = write(standard, operation.response, now: now)
        for (name, value) in operation.example ?? [:] { answer[name] = value }
        for paths in operation.response.keep
        where !paths.contains(where: { $0.value(in: .object(answer)) != nil }) {
            paths.first?.place(.string("rehearsed-\(paths[0].text)"), in: &answer)
        }
        return response(.object(answer), operation.response)
    }

    /// An answer to an operation of the provider's own, of which a step takes what it needs.
    static func response(
        _ standard: JSONValue, _ sample: AnswerSample, _ dialect: ResponseDialect, now: Int64
    ) -> HTTPResponse {
        var answer = standard
        if let object = standard.objectValue {
            var written = write(object, dialect, now: now)
            for (name, value) in sample.example ?? [:] { written[name] = value }
            answer = .object(written)
        }
        let good = response(answer, dialect)
        let isGood = dialect.successStatus.contains(sample.status)
        return HTTPResponse(
            status: isGood ? sample.status : good.status, fields: good.fields, body: good.body)
    }

    /// A body in the provider's format, wrapped as the provider wraps it.
    static func response(_ value: JSONValue, _ dialect: ResponseDialect) -> HTTPResponse {
        let value = dialect.unwrap.first?.wrapping(value) ?? value
        let (type, text): (String, String) =
            switch dialect.format {
            case .auto, .json, .jwt: ("application/json", value.serialize())
            case .jsonp: ("text/javascript", "callback( \(value.serialize()) );")
            case .xml: ("application/xml", document(value))
            case .form: (FormBody.contentType, form(value))
            }
        return HTTPResponse(
            status: dialect.successStatus.lowerBound, fields: [HTTPField("Content-Type", type)],
            body: Array((dialect.prefix + text).utf8))
    }

    private static func form(_ value: JSONValue) -> String {
        let items = (value.objectValue ?? [:]).map { ($0.key, $0.value.stringValue ?? $0.value.serialize()) }
        return String(decoding: FormBody.encode(items), as: UTF8.self)
    }

    /// A document has one root: the first member that is an object, where there is one.
    private static func document(_ value: JSONValue) -> String {
        let members = value.objectValue ?? [:]
        guard let root = members.first(where: { $0.value.objectValue != nil }) else {
            return xml(.object(["Response": value]))
        }
        let attributes = members.filter { $0.key.hasPrefix("\(root.key)@") }
        return xml(.object(JSONObject([(root.key, root.value)] + attributes.map { ($0.key, $0.value) })))
    }

    /// Names and texts of a rehearsal need no escaping; `a@b` is an attribute of `a`.
    private static func xml(_ value: JSONValue) -> String {
        guard let object = value.objectValue else { return value.stringValue ?? value.serialize() }
        let names = object.map { String($0.key.prefix { $0 != "@" }) }.uniqued
        return names.map { name in
            let attributes = object.filter { $0.key.hasPrefix("\(name)@") }.map {
                " \($0.key.dropFirst(name.count + 1))=\"\(xml($0.value))\""
            }
            return "<\(name)\(attributes.joined())>\(object[name].map(xml) ?? "")</\(name)>"
        }.joined()
    }

    /// A callback under the provider's names, with what the descriptor captures of it and signed where it is signed.
    static func write(
        _ parameters: [(name: String, value: String)], _ provider: BoundProvider, now: Int64
    ) -> [(name: String, value: String)] {
        let facts = provider.descriptor.callback
        var names: [String: String] = [:]
        for (theirs, ours) in facts.dialect.rename { names[ours] = theirs }
        var written = parameters.map { (name: names[$0.name] ?? $0.name, value: $0.value) }
        for capture in facts.captures where !written.contains(where: { $0.name == capture.parameter }) {
            guard capture.example != nil || !(capture.isOptional && capture.isJSON) else { continue }
            written.append(
                (capture.parameter, capture.example ?? (capture.isJSON ? "{}" : "rehearsed-\(capture.name)")))
        }
        guard let signature = facts.signature else { return written }
        if let name = signature.timestamp { written.append((name, String(now / 1000))) }
        let expected = CallbackSignature(facts: signature, provider: provider).signature(written)
        return written + (expected.map { [(signature.parameter, $0)] } ?? [])
    }

    static func write(_ standard: JSONObject, _ dialect: ResponseDialect, now: Int64) -> JSONObject {
        var answer: JSONObject = [:]
        for (name, value) in ending(standard, dialect, now: now) {
            let isLength = name.hasSuffix("expires_in")
            let written = write(value, dialect.types[name], since: isLength ? now / 1000 : 0)
            if let path = dialect.map[name]?.first {
                path.place(written, in: &answer)
            } else {
                answer[name] = written
            }
        }
        return answer
    }

    /// The same with the access token's lifetime in the token itself, where the dialect looks for it there.
    private static func ending(
        _ standard: JSONObject, _ dialect: ResponseDialect, now: Int64
    ) -> JSONObject {
        guard dialect.types["expires_in"] == .jwt, let token = standard["access_token"]?.stringValue,
            let seconds = standard["expires_in"]?.intValue
        else { return standard }
        var answer = standard
        answer["expires_in"] = nil
        // What plays the provider may have written it so already.
        if (try? JWS.split(token)) == nil {
            answer["access_token"] = .string(TokenClaims.sample(id: token, end: now / 1000 + seconds))
        }
        return answer
    }

    /// - Parameter start: What a length of time is added to where its end is written, in seconds since 1970.
    private static func write(
        _ value: JSONValue, _ type: ResponseDialect.MemberType?, since start: Int64
    ) -> JSONValue {
        switch (type, value) {
        case (.comma, .string(let text)): .string(text.replacing(" ", with: ","))
        case (.list, .string(let text)): .array(text.split(separator: " ").map { .string(String($0)) })
        case (.minutes, .int(let seconds)): .int(seconds / 60)
        case (.milliseconds, .int(let seconds)): .int(seconds * 1000)
        case (.duration, .int(let seconds)):
            .string("0:\(seconds / 3600):\(seconds / 60 % 60):\(seconds % 60)")
        case (.epoch, .int(let seconds)): .int(start + seconds)
        case (.epochMilliseconds, .int(let seconds)): .int((start + seconds) * 1000)
        case (.iso8601, .int(let seconds)): .string(CalendarText.utc((start + seconds) * 1000))
        case (.comma, _), (.list, _), (.minutes, _), (.milliseconds, _), (.duration, _), (.seconds, _),
            (.epoch, _),
            (.epochMilliseconds, _), (.iso8601, _), (.jwt, _), (.space, _), (nil, _):
            value
        }
    }
}
