internal import JOSE

extension ResponseDialect {
    /// The body as a JSON value; a form becomes an object of texts.
    ///
    /// With `auto` the content type decides, and the first byte where it says neither JSON nor form: servers
    /// send JSON as text/html, text/plain and text/javascript.
    func decode(
        _ response: HTTPResponse, _ subject: ResponseSubject, log: inout CheckLog
    ) throws(ProtocolError) -> JSONValue {
        switch format {
        case .xml: return try decodeXML(response, subject, log: &log)
        case .jwt: throw log.malformed(subject.body, subject.name, detail: "it is to be a signed JWT")
        case .jsonp:
            return try decodeJSON(response, JSONPadding.content(of: response.body), subject, log: &log)
        case .auto, .json, .form: break
        }
        if looksLikeForm(response) {
            let type = response.mediaType
            note(isExpected: format == .form || type == FormBody.contentType, type, subject, log: &log)
            return try decodeForm(response, subject, log: &log)
        }
        return try decodeJSON(response, response.body[...], subject, log: &log)
    }

    private func decodeJSON(
        _ response: HTTPResponse, _ body: ArraySlice<UInt8>, _ subject: ResponseSubject, log: inout CheckLog
    ) throws(ProtocolError) -> JSONValue {
        let type = response.mediaType
        let isExpected = type == "application/json" || type.map { $0.hasSuffix("+json") } == true
        do throws(JSONError) {
            let value = try JSON.parse(Array(body))
            note(isExpected: isExpected || format == .jsonp, type, subject, log: &log)
            return value
        } catch {
            let detail = BodyDescription.notJSON(response, error.summary)
            throw log.malformed(isExpected ? subject.body : subject.contentType, subject.name, detail: detail)
        }
    }

    private func decodeXML(
        _ response: HTTPResponse, _ subject: ResponseSubject, log: inout CheckLog
    ) throws(ProtocolError) -> JSONValue {
        do throws(XMLError) {
            let object = try XMLText.parse(response.body)
            log.pass(subject.contentType)
            return .object(object)
        } catch {
            throw log.malformed(
                subject.body, subject.name,
                detail: "\(BodyDescription.shown(response.mediaType)), not XML: \(error.reason)")
        }
    }

    /// The error in the body of a failure, when the body can be read at all.
    package func error(inFailure response: HTTPResponse) -> OAuthError? {
        if looksLikeForm(response) {
            return Self.object(ofForm: response.body).flatMap { error(in: .object($0)) }
        }
        if format == .xml {
            // What is no XML says nothing more than its status.
            return (try? XMLText.parse(response.body)).flatMap { error(in: .object($0)) }
        }
        do throws(JSONError) {
            let body = format == .jsonp ? Array(JSONPadding.content(of: response.body)) : response.body
            return error(in: try JSON.parse(body))
        } catch {
            return nil
        }
    }

    private func looksLikeForm(_ response: HTTPResponse) -> Bool {
        switch format {
        case .json, .xml, .jsonp, .jwt: return false
        case .form: return true
        case .auto:
            let type = response.mediaType
            if type == FormBody.contentType { return true }
            guard type == nil || type == "text/plain" || type == "text/html" else { return false }
            // A name and an equals sign: no JSON text begins so.
            let name = response.body.prefix { isTokenCharacter($0) }
            return !name.isEmpty && response.body.dropFirst(name.count).first == UInt8(ascii: "=")
        }
    }

    private func decodeForm(
        _ response: HTTPResponse, _ subject: ResponseSubject, log: inout CheckLog
    ) throws(ProtocolError) -> JSONValue {
        guard let object = Self.object(ofForm: response.body) else {
            throw log.malformed(
                subject.body, subject.name,
                detail: "\(BodyDescription.shown(response.mediaType)), not a form with every name once")
        }
        return .object(object)
    }

    /// Far more than any token response has; finding a duplicate takes time with the square of the number.
    private static let formMemberLimit = 1000

    private static func object(ofForm body: [UInt8]) -> JSONObject? {
        guard let items = FormBody.parse(body), (1...formMemberLimit).contains(items.count) else {
            return nil
        }
        let object = JSONObject(items.map { (key: $0.name, value: .string($0.value)) })
        return object.count == items.count ? object : nil
    }

    private func note(
        isExpected: Bool, _ type: String?, _ subject: ResponseSubject, log: inout CheckLog
    ) {
        if isExpected {
            log.pass(subject.contentType)
        } else {
            log.skip(
                subject.contentType,
                because: "sent as \(BodyDescription.shown(type)), but the body can be read")
        }
    }
}

/// JSON in a call of a function, such as `callback( {...} );`.
enum JSONPadding {
    /// What is between the parentheses; the whole body where there are none.
    static func content(of body: [UInt8]) -> ArraySlice<UInt8> {
        let name = body.drop { $0 <= 0x20 }.prefix { isTokenCharacter($0) }
        guard !name.isEmpty, name.endIndex < body.endIndex, body[name.endIndex] == UInt8(ascii: "("),
            let close = body.lastIndex(of: UInt8(ascii: ")")), close > name.endIndex
        else { return body[...] }
        return body[(name.endIndex + 1)..<close]
    }
}
