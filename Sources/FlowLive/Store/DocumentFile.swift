internal import JOSE
package import OAuthProtocol

/// A metadata document or key set as it was fetched, with what HTTP said of it.
package struct StoredDocument: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        case metadata, keys
    }

    package let kind: Kind
    package let origin: DocumentOrigin
    /// Of metadata: the issuer that it was checked against.
    package let issuer: String?
    package let body: [UInt8]

    package init(kind: Kind, origin: DocumentOrigin, issuer: String?, body: [UInt8]) {
        self.kind = kind
        self.origin = origin
        self.issuer = issuer
        self.body = body
    }

    /// The answer that it was, to be checked as if it had just come.
    package var response: HTTPResponse {
        HTTPResponse(status: 200, fields: [HTTPField("Content-Type", "application/json")], body: body)
    }
}

/// Why a file of the cache is of no use.
enum DocumentFileError: Error, Hashable {
    case notOurs(reason: String)
}

/// The form of a kept document on disk: one JSON object with the body as a text.
///
/// What it says is believed no more than an answer from the network; the body is checked by whoever uses it.
enum DocumentFile {
    private static let version: Int64 = 1
    /// No lifetime is longer, whatever the file says.
    private static let longestLife: Int64 = 24 * 3_600_000

    /// - Returns: `nil` for a body that is no UTF-8, which no JSON document is.
    static func encode(_ document: StoredDocument) -> [UInt8]? {
        guard let body = String(validating: document.body, as: UTF8.self) else { return nil }
        var object: JSONObject = [
            "version": .int(version), "kind": .string(document.kind.rawValue),
            "url": .string(document.origin.url),
            "fetched_at": .int(document.origin.fetchedAt), "fresh_until": .int(document.origin.freshUntil),
        ]
        object["issuer"] = document.issuer.map { .string($0) }
        object["etag"] = document.origin.entityTag.map { .string($0) }
        object["last_modified"] = document.origin.lastModified.map { .string($0) }
        if document.origin.isForced { object["forced"] = true }
        object["body"] = .string(body)
        return object.serializedBytes + [UInt8(ascii: "\n")]
    }

    /// - Parameters:
    ///   - url: Where the document must be from.
    ///   - now: Milliseconds since 1970; what was fetched later was written by a clock that is wrong.
    static func decode(
        _ bytes: [UInt8], _ kind: StoredDocument.Kind, url: String, now: Int64
    ) throws(DocumentFileError) -> StoredDocument {
        // Nothing else is told of a broken file.
        guard case .object(let object)? = try? JSON.parse(bytes) else {
            throw .notOurs(reason: "it is no JSON object")
        }
        guard case .int(version)? = object["version"] else {
            throw .notOurs(reason: "it holds a document of another version")
        }
        guard object["kind"]?.stringValue == kind.rawValue, object["url"]?.stringValue == url else {
            throw .notOurs(reason: "it holds another document")
        }
        guard case .int(let fetchedAt)? = object["fetched_at"],
            case .int(let freshUntil)? = object["fresh_until"],
            let body = object["body"]?.stringValue
        else { throw .notOurs(reason: "a member is missing") }
        guard (0...now).contains(fetchedAt) else { throw .notOurs(reason: "it is from the future") }
        let origin = DocumentOrigin(
            url: url, fetchedAt: fetchedAt, freshUntil: min(freshUntil, fetchedAt + longestLife),
            entityTag: validator("etag", object), lastModified: validator("last_modified", object),
            isForced: object["forced"] == true)
        return StoredDocument(
            kind: kind, origin: origin, issuer: object["issuer"]?.stringValue, body: Array(body.utf8))
    }

    private static func validator(_ name: String, _ object: JSONObject) -> String? {
        object[name]?.stringValue.flatMap { DocumentOrigin.isValidator($0) ? $0 : nil }
    }
}
