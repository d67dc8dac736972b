internal import JOSE

extension ResponseDialect {
    /// The body as a JSON value; a form becomes an object of texts.
    ///
    /// With `auto` the content type decides, and the first byte where it says neither JSON nor form: servers
    /// send JSON as text/html, text/plain and text/javascript.
    func decode(
        _ response: HTTPResponse, _ subject: ResponseSubject, log: inout CheckLog
    ) throws(ProtocolError) -> JSONValue {
        let type = response.mediaType
        let isExpected = type == "application/json" || type.map { $0.hasSuffix("+json") } == true
        if looksLikeForm(response) {
            note(isExpected: format == .form || type == FormBody.contentType, type, subject, log: &log)
            return try decodeForm(response, subject, log: &log)
        }
        do throws(JSONError) {
            let value = try JSON.parse(response.body)
            note(isExpected: isExpected, type, subject, log: &log)
            return value
        } catch {
            let detail = BodyDescription.notJSON(response, error.summary)
            throw log.malformed(isExpected ? subject.body : subject.contentType, subject.name, detail: detail)
        }
    }

    /// The error in the body of a failure, when the body can be read at all.
    package func error(inFailure response: HTTPResponse) -> OAuthError? {
        if looksLikeForm(response) {
            return Self.object(ofForm: response.body).flatMap { error(in: .object($0)) }
        }
        do throws(JSONError) {
            return error(in: try JSON.parse(response.body))
        } catch {
            return nil
        }
    }

    private func looksLikeForm(_ response: HTTPResponse) -> Bool {
        switch format {
        case .json: return false
        case .form: return true
        case .auto:
            let type = response.mediaType
            if type == FormBody.contentType { return true }
            guard type == nil || type == "text/plain" else { return false }
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
