/// Where a document comes from, how long it may be used, and how to ask whether it has changed (RFC 9111, RFC 9110 §13).
package struct DocumentOrigin: Sendable, Hashable {
    package let url: String
    /// Milliseconds since 1970: when the server last said that this is the document.
    package let fetchedAt: Int64
    /// Milliseconds since 1970: from here on the server is asked again.
    package let freshUntil: Int64
    package let entityTag: String?
    package let lastModified: String?
    /// Whether it was asked for because something was not in the one that was kept.
    package var isForced: Bool

    package init(
        url: String, fetchedAt: Int64, freshUntil: Int64 = .max, entityTag: String? = nil,
        lastModified: String? = nil, isForced: Bool = false
    ) {
        self.isForced = isForced
        self.url = url
        self.fetchedAt = fetchedAt
        self.freshUntil = freshUntil
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    /// - Parameter now: Milliseconds since 1970 at which the answer was there.
    package init(of response: HTTPResponse, url: String, now: Int64) {
        self.init(
            url: url, fetchedAt: now, freshUntil: now + CacheLifetime.milliseconds(of: response),
            entityTag: Self.validator("ETag", response),
            lastModified: Self.validator("Last-Modified", response))
    }

    /// After 304: the same document for another while; a validator that is not repeated stays (RFC 9111 §4.3.4).
    package func renewed(by response: HTTPResponse, now: Int64) -> DocumentOrigin {
        DocumentOrigin(
            url: url, fetchedAt: now, freshUntil: now + CacheLifetime.milliseconds(of: response),
            entityTag: Self.validator("ETag", response) ?? entityTag,
            lastModified: Self.validator("Last-Modified", response) ?? lastModified)
    }

    /// The fields that make a request conditional: the entity tag, else the date (RFC 9110 §13.2.2).
    package var conditions: [RequestParameter] {
        if let entityTag {
            return [
                RequestParameter("If-None-Match", .text(entityTag), .specification, "RFC 9110 §13.1.2")
            ]
        }
        guard let lastModified else { return [] }
        return [
            RequestParameter("If-Modified-Since", .text(lastModified), .specification, "RFC 9110 §13.1.3")
        ]
    }

    /// Longer ones are no use and would only fill the cache.
    private static let longestValidator = 256

    private static func validator(_ name: String, _ response: HTTPResponse) -> String? {
        guard let text = response.field(name), isValidator(text) else { return nil }
        return text
    }

    /// Whether a text can be sent back in a header field as it is.
    package static func isValidator(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= longestValidator
            && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}

/// How long a metadata document or key set may be used without asking again.
///
/// Bounded on both sides: servers forbid caching out of habit, and a month would outlive a change of keys.
package enum CacheLifetime {
    private static let shortest: Int64 = 300
    private static let standard: Int64 = 3_600
    private static let longest: Int64 = 86_400

    /// From `max-age`, less the `Age` that a cache on the way reports (RFC 9111 §4.2).
    package static func milliseconds(of response: HTTPResponse) -> Int64 {
        1_000 * min(longest, max(shortest, seconds(of: response)))
    }

    private static func seconds(of response: HTTPResponse) -> Int64 {
        let directives = response.fields("Cache-Control").flatMap { $0.split(separator: ",") }.map {
            $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased()
        }
        if directives.contains("no-store") || directives.contains("no-cache") { return shortest }
        guard let directive = directives.first(where: { $0.hasPrefix("max-age=") }),
            let age = Int64(directive.dropFirst("max-age=".count)), age >= 0
        else { return standard }
        let spent = response.field("Age").flatMap { Int64($0) } ?? 0
        return min(longest, age) - max(0, min(longest, spent))
    }
}
