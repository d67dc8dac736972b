package import JOSE

/// A client that is registered nowhere: its identifier is the address of a document that says what it is.
///
/// - SeeAlso: draft-ietf-oauth-client-id-metadata-document
package enum ClientMetadataDocument {
    /// The member of a server's metadata that says that it reads such documents (§5).
    package static let serverMember = "client_id_metadata_document_supported"

    /// Why no document can be there; `nil` for an address that will do (§3).
    ///
    /// - Returns: Lower case, to go on after the address.
    package static func problem(of address: String) -> String? {
        let url: EndpointURL
        do throws(EndpointURLProblem) {
            url = try EndpointURL(address)
        } catch {
            return error.rawValue
        }
        let segments = url.path.split(separator: "/", omittingEmptySubsequences: false)
        if url.path.isEmpty || url.path == "/" { return "has no path" }
        if segments.contains(where: { $0 == "." || $0 == ".." }) {
            return "has a path with dots for segments"
        }
        return url.query == nil ? nil : "has a query"
    }

    /// What is wrong with what is published at the address; `nil` where a server finds the client there (§4).
    ///
    /// - Parameter redirectURIs: Those that the client uses.
    /// - Returns: Lower case, to go on after the address.
    package static func problem(
        with response: HTTPResponse, at address: String, redirectURIs: [String]
    ) -> String? {
        guard response.status == 200 else { return "answers \(response.status)" }
        guard let document = response.json?.objectValue else { return "holds no JSON object" }
        guard document["client_id"] == .string(address) else {
            return "does not say its own address as client_id"
        }
        let published = document["redirect_uris"]?.arrayValue ?? []
        let missing = redirectURIs.filter { !published.contains(.string($0)) }
        return missing.isEmpty ? nil : "lacks the redirect URI \(missing.joined(separator: ", "))"
    }

    /// Whether a client may prove itself so: nobody can share a secret by a document that everybody reads (§4.1).
    package static func allows(_ method: ClientAuthenticationMethod) -> Bool {
        switch method {
        case .none, .privateKeyJWT, .tlsClientAuth, .selfSignedTLSClientAuth: true
        case .clientSecretBasic, .clientSecretPost, .clientSecretJWT: false
        }
    }

    /// What is to be published at the address, as `application/json`.
    package static func text(_ metadata: ClientMetadata, at address: String) -> JSONObject {
        var document: JSONObject = ["client_id": .string(address)]
        for (name, value) in metadata.members where name != "client_id" { document[name] = value }
        return document
    }
}
