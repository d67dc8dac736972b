package import JOSE

/// Why a value is no request for claims: the place of what is wrong, such as `id_token.acr.values`.
package struct ClaimsRequestError: Error, Sendable, Hashable {
    package let place: String

    package init(place: String) { self.place = place }
}

/// Single claims that a client asks for, about the user or the sign-in (OIDC Core §5.5).
package struct ClaimsRequest: Sendable, Hashable {
    /// As it is sent.
    package let document: JSONObject

    private init(document: JSONObject) { self.document = document }

    /// Reads an object with `userinfo`, `id_token` or both; members that are not known are sent too.
    ///
    /// - Throws: The place of the first value that OIDC Core §5.5.1 does not allow.
    package static func parse(_ value: JSONValue) throws(ClaimsRequestError) -> ClaimsRequest {
        guard let document = value.objectValue else { throw ClaimsRequestError(place: "claims") }
        for destination in ["userinfo", "id_token"] {
            guard let claims = document[destination] else { continue }
            guard let claims = claims.objectValue else { throw ClaimsRequestError(place: destination) }
            for (name, request) in claims.members {
                try check(request, "\(destination).\(name)")
            }
        }
        return ClaimsRequest(document: document)
    }

    private static func check(_ request: JSONValue, _ place: String) throws(ClaimsRequestError) {
        guard !request.isNull else { return }
        guard let members = request.objectValue else { throw ClaimsRequestError(place: place) }
        if let essential = members["essential"], essential.boolValue == nil {
            throw ClaimsRequestError(place: "\(place).essential")
        }
        if let values = members["values"], values.arrayValue?.isEmpty != false {
            throw ClaimsRequestError(place: "\(place).values")
        }
    }

    /// The text of the parameter `claims`.
    package var text: String { document.serialize() }

    /// The levels of authentication one of which the ID token must name; empty when none is essential.
    ///
    /// "If this is an Essential Claim and the requirement cannot be met, then the Authorization Server MUST
    /// treat that outcome as a failed authentication attempt" (OIDC Core §5.5.1.1): for `acrValues` of the
    /// expectations.
    package var essentialACRValues: [String] {
        guard let acr = document["id_token"]?["acr"], acr["essential"]?.boolValue == true else { return [] }
        let one = acr["value"]?.stringValue.map { [$0] }
        return one ?? acr["values"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
}
