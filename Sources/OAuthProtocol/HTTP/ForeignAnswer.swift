package import JOSE

/// An answer that is not in the words of OAuth, as far as it can be told of.
package enum ForeignAnswer {
    /// Where interfaces write a sentence for people: RFC 9457 and the habits of the large ones.
    private static let members = [
        "detail", "message", "error_message", "errorMessage", "error_description", "msg", "title",
        "description",
        "reason",
    ]

    /// What went wrong, as a JSON body says; made fit to show; `nil` where there is none.
    package static func words(in response: HTTPResponse) -> String? {
        // A body that is no JSON holds a page.
        guard let root = response.json else { return nil }
        return words(in: root)
    }

    /// The members that a JSON body has in place of those that should be there, by name; nothing of their values.
    package static func members(of response: HTTPResponse) -> String? {
        // A form or a page could be a secret as a whole.
        guard let object = response.json?.objectValue, !object.isEmpty else { return nil }
        return RemoteText.sanitize(object.keys.prefix(8).joined(separator: ", "), limit: 200)
    }

    package static func words(in root: JSONValue) -> String? {
        let lists = ["errors", "detail"].map { root[$0]?.arrayValue?.first }
        let places = ([root, root["error"]] + lists + [root["fault"]]).compactMap(\.self)
        let texts = places.lazy.compactMap { place in
            members.lazy.compactMap { place[$0]?.stringValue }.first { !$0.isEmpty }
                .map { location(in: place) + $0 }
        }
        return texts.first.map { RemoteText.sanitize($0) }
    }

    /// The member of the request that is meant, as servers name it that check requests against a schema.
    private static func location(in place: JSONValue) -> String {
        let names = place["loc"]?.arrayValue?.compactMap(\.stringValue) ?? []
        return names.isEmpty ? "" : names.joined(separator: ".") + ": "
    }
}
