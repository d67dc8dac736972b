package import JOSE

/// Why a value is no list of authorization details.
package enum AuthorizationDetailsError: Error, Sendable, Hashable {
    case notAnArray
    /// The element at this place is no object with a `type` that is a text.
    case element(Int)
}

/// Fine-grained authorization: what exactly is asked for or granted (RFC 9396 §2).
package struct AuthorizationDetails: Sendable, Hashable {
    /// Each has a `type`; the other members belong to the API that defines the type.
    package let items: [JSONObject]

    private init(items: [JSONObject]) { self.items = items }

    /// - Throws: What keeps the value from being a list of details; an empty list is one.
    package static func parse(_ value: JSONValue) throws(AuthorizationDetailsError) -> AuthorizationDetails {
        guard let elements = value.arrayValue else { throw .notAnArray }
        var items: [JSONObject] = []
        for (index, element) in elements.enumerated() {
            guard let item = element.objectValue, item["type"]?.stringValue?.isEmpty == false else {
                throw .element(index)
            }
            items.append(item)
        }
        return AuthorizationDetails(items: items)
    }

    /// The types that occur, each once, in their order.
    package var types: [String] {
        items.compactMap { $0["type"]?.stringValue }.reduce(into: []) { types, type in
            if !types.contains(type) { types.append(type) }
        }
    }

    /// The text of the parameter `authorization_details`.
    package var text: String { JSONValue.array(items.map(JSONValue.object)).serialize() }

    /// The parameter for a request, at the authorization and at the token endpoint (RFC 9396 §3 and §6).
    func parameter(_ step: String, _ reference: String) -> RequestParameter {
        RequestParameter("authorization_details", .text(text), .step(step), reference)
    }

    /// Reads what a token response says was granted (RFC 9396 §7).
    ///
    /// The server may have enriched what was asked for or left parts of it out; a type that nobody asked for is
    /// refused.
    ///
    /// - Returns: `nil` when the server did not say.
    /// - Throws: `failed` for a value that is no list of details, or a further type.
    package static func granted(
        in response: TokenResponse, asked: AuthorizationDetails?, log: inout CheckLog
    ) throws(ProtocolError) -> AuthorizationDetails? {
        guard let value = response.members["authorization_details"]?.present else {
            log.skip(
                Checks.authorizationDetails,
                because: asked == nil ? "none were asked for" : "the server does not say what it granted")
            return nil
        }
        let granted: AuthorizationDetails
        do throws(AuthorizationDetailsError) { granted = try parse(value) } catch {
            throw log.failure(
                Checks.authorizationDetails, expected: "a list of objects with a type",
                actual: "another value", of: "authorization_details")
        }
        let types = asked?.types ?? []
        try log.require(
            granted.types.allSatisfy { type in types.contains { $0.isExactly(type) } },
            Checks.authorizationDetails, expected: types.isEmpty ? "none" : types.joined(separator: " or "),
            actual: RemoteText.sanitize(granted.types.joined(separator: " "), limit: 200))
        return granted
    }
}
