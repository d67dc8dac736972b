internal import JOSE

/// Answers that must be one JSON object with status 200: metadata and key sets.
enum JSONDocument {
    /// What the document is called in messages, and the checks that its reading records.
    struct Subject {
        let name: String
        let status: Check
        let contentType: Check?
        let body: Check

        static let metadata = Subject(
            name: "metadata", status: Checks.metadataStatus, contentType: Checks.metadataContentType,
            body: Checks.metadataJSON)
        static let keySet = Subject(
            name: "key set", status: Checks.keySetStatus, contentType: nil, body: Checks.keySet)
    }

    static func object(
        of response: HTTPResponse, _ subject: Subject, log: inout CheckLog
    ) throws(ProtocolError) -> JSONObject {
        guard response.status == 200 else {
            throw log.status(subject.status, expected: "200", response.status)
        }
        log.pass(subject.status)
        if let check = subject.contentType { note(response.mediaType, check, log: &log) }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSON.parse(response.unmarkedBody)
        } catch {
            throw log.malformed(
                subject.body, subject.name, detail: BodyDescription.notJSON(response, error.summary))
        }
        guard let object = value.objectValue else {
            throw log.malformed(subject.body, subject.name, detail: "the body is not a JSON object")
        }
        log.pass(subject.body)
        return object
    }

    /// A body that is valid JSON is used whatever its type says; some servers send text/plain.
    private static func note(_ mediaType: String?, _ check: Check, log: inout CheckLog) {
        if mediaType == "application/json" {
            log.pass(check)
        } else {
            log.skip(check, because: "sent as \(BodyDescription.shown(mediaType)), read as JSON all the same")
        }
    }
}

/// Words for a body that could not be read.
enum BodyDescription {
    /// Names the content type and, for a page, its title: usually the words of a proxy or a login form.
    static func notJSON(_ response: HTTPResponse, _ reason: String) -> String {
        let type = shown(response.mediaType)
        guard let title = title(of: response.body) else { return "\(type), not JSON: \(reason)" }
        return "\(type), not JSON: a page with the title '\(title)'"
    }

    static func shown(_ mediaType: String?) -> String {
        mediaType.map { RemoteText.sanitize($0, limit: 100) } ?? "no content type"
    }

    /// The text between `<title>` and the next `<`, from the first 64 KiB.
    static func title(of body: [UInt8]) -> String? {
        let head = body.prefix(65_536).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard let tag = position(of: Array("<title".utf8), in: head, from: 0),
            let start = head[tag...].firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        let text = body[(start + 1)..<head.count].prefix { $0 != UInt8(ascii: "<") }
        let words = RemoteText.sanitize(text.prefix(400), limit: 100).split(separator: " ")
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    private static func position(of needle: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count >= needle.count else { return nil }
        return (start...(bytes.count - needle.count)).first { bytes[$0...].starts(with: needle) }
    }
}

extension JSONError {
    /// The mistake in words, without text of the document.
    package var summary: String {
        let what =
            switch kind {
            case .syntax: "syntax error"
            case .unexpectedEnd: "the text ends early"
            case .trailingData: "something follows the value"
            case .duplicateMember(let name): "member \(RemoteText.sanitize(name, limit: 60)) is there twice"
            case .tooDeep(let limit): "deeper than \(limit) levels"
            case .tooLarge(let limit): "larger than \(limit) bytes"
            case .notUTF8: "not UTF-8"
            case .byteOrderMark: "begins with a byte order mark"
            case .controlCharacter: "a control character in a string"
            case .loneSurrogate: "half of a surrogate pair"
            case .numberOutOfRange: "a number out of range"
            }
        return "\(what) at byte \(offset)"
    }
}
