internal import JOSE

/// How a body is written, as far as it has to be known to read it.
private enum WrittenForm {
    case json, form, xml, jsonp

    /// Types under which servers send whatever they have: what the body begins with says what it is.
    private static let loose: Set<String?> = [
        nil, "text/plain", "text/html", "text/javascript", "application/javascript",
        "application/x-javascript", "application/octet-stream",
    ]

    /// By the content type where that is of use, else by the first bytes that are no space.
    ///
    /// What no other form begins with is JSON: reading it tells what is wrong with it.
    init(sniffing body: ArraySlice<UInt8>, _ type: String?) {
        let body = body.drop { $0 <= 0x20 }
        let isOpening = body.first == UInt8(ascii: "{") || body.first == UInt8(ascii: "[")
        if type == FormBody.contentType {
            self = isOpening ? .json : .form
        } else if type == "application/xml" || type == "text/xml" || type?.hasSuffix("+xml") == true {
            self = body.first == UInt8(ascii: "<") ? .xml : .json
        } else if Self.loose.contains(type) {
            // A name and a sign: no JSON text begins so.
            let name = body.prefix { isTokenCharacter($0) }
            switch name.isEmpty ? nil : body.dropFirst(name.count).first {
            case UInt8(ascii: "="): self = .form
            case UInt8(ascii: "("): self = .jsonp
            default: self = .json
            }
        } else {
            self = .json
        }
    }
}

extension ResponseDialect {
    /// The body as a JSON value; a form becomes an object of texts.
    ///
    /// With `auto` the content type decides, and the first bytes where it does not: servers send JSON and forms as
    /// text/html, text/plain and text/javascript, and JSON as a form. Any other format is the only one that is read.
    func decode(
        _ response: HTTPResponse, _ subject: ResponseSubject, log: inout CheckLog
    ) throws(ProtocolError) -> JSONValue {
        if format == .jwt {
            throw log.malformed(subject.body, subject.name, detail: "it is to be a signed JWT")
        }
        let body = content(of: response)
        switch writtenForm(of: response) {
        case .xml: return try decodeXML(response, Array(body), subject, log: &log)
        case .jsonp: return try decodeJSON(response, JSONPadding.content(of: body), subject, log: &log)
        case .json: return try decodeJSON(response, body, subject, log: &log)
        case .form:
            let type = response.mediaType
            note(isExpected: format == .form || type == FormBody.contentType, type, subject, log: &log)
            return try decodeForm(response, Array(body), subject, log: &log)
        }
    }

    private func writtenForm(of response: HTTPResponse) -> WrittenForm {
        switch format {
        case .json, .jwt: .json
        case .form: .form
        case .xml: .xml
        case .jsonp: .jsonp
        case .auto: WrittenForm(sniffing: content(of: response), response.mediaType)
        }
    }

    /// Whether the body has no values but texts: a form or XML.
    func isText(_ response: HTTPResponse) -> Bool {
        switch writtenForm(of: response) {
        case .form, .xml: true
        case .json, .jsonp: false
        }
    }

    /// The body without what stands before it in this dialect; only with `auto` may a mark stand there.
    private func content(of response: HTTPResponse) -> ArraySlice<UInt8> {
        let body = format == .auto ? response.unmarkedBody : response.body[...]
        return body.starts(with: prefix.utf8) ? body.dropFirst(prefix.utf8.count) : body
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
        _ response: HTTPResponse, _ body: [UInt8], _ subject: ResponseSubject, log: inout CheckLog
    ) throws(ProtocolError) -> JSONValue {
        do throws(XMLError) {
            let object = try Self.object(ofXML: body, response)
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
        let body = content(of: response)
        // What cannot be read says nothing more than its status.
        let root: JSONValue? =
            switch writtenForm(of: response) {
            case .form: Self.object(ofForm: Array(body), response).map { .object($0) }
            case .xml: (try? Self.object(ofXML: Array(body), response)).map { .object($0) }
            case .jsonp: try? JSON.parse(Array(JSONPadding.content(of: body)))
            case .json: try? JSON.parse(Array(body))
            }
        return root.flatMap { error(in: $0) }
    }

    private func decodeForm(
        _ response: HTTPResponse, _ body: [UInt8], _ subject: ResponseSubject, log: inout CheckLog
    ) throws(ProtocolError) -> JSONValue {
        guard let object = Self.object(ofForm: body, response) else {
            throw log.malformed(
                subject.body, subject.name,
                detail: "\(BodyDescription.shown(response.mediaType)), not a form with every name once")
        }
        return .object(object)
    }

    /// Far more than any token response has; finding a duplicate takes time with the square of the number.
    private static let formMemberLimit = 1000

    private static func object(ofXML body: [UInt8], _ response: HTTPResponse) throws(XMLError) -> JSONObject {
        try XMLText.parse(Charset(ofXML: response.body, named: response.charset).utf8(body))
    }

    /// Escapes are UTF-8 wherever they can be: many servers write them so whatever the character set of the body.
    private static func object(ofForm body: [UInt8], _ response: HTTPResponse) -> JSONObject? {
        let charset = Charset(label: response.charset)
        let text = charset.utf8(body)
        guard let items = FormBody.parse(text) ?? FormBody.parse(charset.utf8(escapes: text)),
            (1...formMemberLimit).contains(items.count)
        else {
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
    static func content(of body: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let name = body.drop { $0 <= 0x20 }.prefix { isTokenCharacter($0) }
        guard !name.isEmpty, name.endIndex < body.endIndex, body[name.endIndex] == UInt8(ascii: "("),
            let close = body.lastIndex(of: UInt8(ascii: ")"))
        else { return body }
        return body[(name.endIndex + 1)..<close]
    }
}
