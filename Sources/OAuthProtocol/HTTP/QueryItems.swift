/// The decoded pairs of a query, in order, duplicates kept.
package enum QueryItems {
    /// Reads `a=1&b=2` as application/x-www-form-urlencoded; empty pairs are skipped, a missing `=` is an
    /// empty value.
    ///
    /// - Returns: `nil` when an escape is invalid or a decoded text is not UTF-8.
    package static func parse(_ query: some StringProtocol) -> [(name: String, value: String)]? {
        var items: [(name: String, value: String)] = []
        // Bytes, because a combining mark after `&` would hide it among characters.
        for pair in Array(query.utf8).split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "="))
            guard let name = PercentEncoding.decodeForm(pair[..<(equals ?? pair.endIndex)]),
                let value = PercentEncoding.decodeForm(equals.map { pair[$0...].dropFirst() } ?? [])
            else { return nil }
            items.append((name, value))
        }
        return items
    }

    /// The same for what a stranger wrote: an escape that is none stays as it is, and bytes that are no UTF-8 become
    /// U+FFFD. One broken text is no reason not to look for `state` and `error`.
    package static func received(_ query: some StringProtocol) -> [(name: String, value: String)] {
        Array(query.utf8).split(separator: UInt8(ascii: "&")).map { pair in
            let equals = pair.firstIndex(of: UInt8(ascii: "="))
            return (
                PercentEncoding.decodeLoosely(pair[..<(equals ?? pair.endIndex)]),
                PercentEncoding.decodeLoosely(equals.map { pair[$0...].dropFirst() } ?? [])
            )
        }
    }

    /// Writes pairs as a query (RFC 3986): a space becomes `%20`.
    package static func encode(_ items: [(name: String, value: String)]) -> String {
        items.map { "\(PercentEncoding.encodeQuery($0.name))=\(PercentEncoding.encodeQuery($0.value))" }
            .joined(separator: "&")
    }
}
