/// A body of type application/x-www-form-urlencoded, both ways.
package enum FormBody {
    package static let contentType = "application/x-www-form-urlencoded"

    /// Writes the pairs in order; a space becomes `+`.
    package static func encode(_ items: [(name: String, value: String)]) -> [UInt8] {
        let pairs = items.map {
            "\(PercentEncoding.encodeForm($0.name))=\(PercentEncoding.encodeForm($0.value))"
        }
        return Array(pairs.joined(separator: "&").utf8)
    }

    /// Reads the pairs, duplicates kept; `nil` when the bytes are not UTF-8 or an escape is invalid.
    package static func parse(_ bytes: [UInt8]) -> [(name: String, value: String)]? {
        String(validating: bytes, as: UTF8.self).flatMap { QueryItems.parse($0) }
    }
}
