package import JOSE

/// What a client says about itself when it registers (RFC 7591 §2).
package struct ClientMetadata: Sendable, Hashable {
    package var redirectURIs: [String]
    /// Empty leaves it to the server: then it is `authorization_code`.
    package var grantTypes: [String]
    package var responseTypes: [String]
    /// `nil` leaves it to the server: then it is `client_secret_basic`. A public client's is written with its type,
    /// `ClientAuthenticationMethod.none`: a bare `.none` is `nil`.
    package var authenticationMethod: ClientAuthenticationMethod?
    package var name: String?
    package var scopes: [String]
    /// Public keys, never private ones.
    package var keySet: JSONObject?
    /// Members without a place of their own, such as `id_token_signed_response_alg`.
    package var further: JSONObject

    package init(
        redirectURIs: [String], grantTypes: [String] = [], responseTypes: [String] = [],
        authenticationMethod: ClientAuthenticationMethod? = nil, name: String? = nil, scopes: [String] = [],
        keySet: JSONObject? = nil, further: JSONObject = [:]
    ) {
        self.redirectURIs = redirectURIs
        self.grantTypes = grantTypes
        self.responseTypes = responseTypes
        self.authenticationMethod = authenticationMethod
        self.name = name
        self.scopes = scopes
        self.keySet = keySet
        self.further = further
    }

    /// The members of the request, in a fixed order; what is not said is not sent.
    package var members: JSONObject {
        var members: JSONObject = [:]
        members["redirect_uris"] = list(redirectURIs)
        members["grant_types"] = list(grantTypes)
        members["response_types"] = list(responseTypes)
        members["token_endpoint_auth_method"] = authenticationMethod.map { .string($0.rawValue) }
        members["client_name"] = name.map(JSONValue.string)
        members["scope"] = scopes.isEmpty ? nil : .string(scopes.joined(separator: " "))
        members["jwks"] = keySet.map(JSONValue.object)
        for (name, value) in further.members where members[name] == nil { members[name] = value }
        return members
    }

    /// A member of a private key among the keys of `further`; it must leave this machine with no metadata.
    package static func privateMember(of further: JSONObject) -> String? {
        let keys = further["jwks"]?["keys"]?.arrayValue ?? []
        return keys.lazy.compactMap { $0.objectValue.flatMap(JWK.privateMember) }.first
    }

    private func list(_ texts: [String]) -> JSONValue? {
        texts.isEmpty ? nil : .array(texts.map(JSONValue.string))
    }
}
