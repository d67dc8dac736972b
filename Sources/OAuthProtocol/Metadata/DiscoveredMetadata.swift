package import JOSE

/// A metadata document whose issuer and endpoints have been checked.
///
/// Boxed, because effects, caches and steps pass it on and it has some thirty members.
package final class DiscoveredMetadata: Sendable, Equatable {
    /// The members that are known; `issuer` is the configured one.
    package let fields: ServerMetadataFields
    /// The issuer as the document writes it: the configured one or an accepted alias.
    package let documentIssuer: String
    /// The whole document, unknown members included.
    package let document: JSONObject
    /// Members that the document has no say in, and that nothing was read of.
    package let amended: Set<String>

    private init(
        fields: ServerMetadataFields, documentIssuer: String, document: JSONObject, amended: Set<String>
    ) {
        self.fields = fields
        self.documentIssuer = documentIssuer
        self.document = document
        self.amended = amended
    }

    package static func == (one: DiscoveredMetadata, other: DiscoveredMetadata) -> Bool {
        one.fields == other.fields && one.documentIssuer == other.documentIssuer
            && one.document == other.document && one.amended == other.amended
    }

    /// Checks the answer to one of the plans of `Discovery`.
    ///
    /// Does not ask for endpoints to be present: a descriptor may supply what the document lacks.
    /// `signed_metadata` is ignored (RFC 8414 §2.1 leaves that to the client).
    ///
    /// - Parameters:
    ///   - issuer: The configured issuer; compared by code points, no slash or case is forgiven.
    ///   - acceptedIssuers: Further texts that the descriptor allows the document to say, such as a template.
    ///   - amended: Members that the descriptor replaces or removes: the document's own are neither read nor checked.
    /// - Throws: `status` for any status but 200, `malformed` for a body that is not one JSON object without
    ///   duplicate members, `failed` for a check.
    package static func validate(
        _ response: HTTPResponse, issuer: String, acceptedIssuers: [String], amended: Set<String> = [],
        log: inout CheckLog
    ) throws(ProtocolError) -> DiscoveredMetadata {
        let document = try JSONDocument.object(of: response, .metadata, log: &log)
        let documentIssuer = try checkIssuer(document, [issuer] + acceptedIssuers, log: &log)
        var fields = try readMembers(of: document, amended, log: &log)
        fields.issuer = issuer
        try checkEndpoints(fields, issuer: issuer, log: &log)
        return DiscoveredMetadata(
            fields: fields, documentIssuer: documentIssuer, document: document, amended: amended)
    }

    private static func checkIssuer(
        _ document: JSONObject, _ accepted: [String], log: inout CheckLog
    ) throws(ProtocolError) -> String {
        let expected = accepted.joined(separator: " or ")
        guard let found = document["issuer"]?.stringValue else {
            throw log.failure(Checks.metadataIssuer, expected: expected, actual: "no issuer")
        }
        try log.require(
            accepted.contains { $0.isExactly(found) }, Checks.metadataIssuer, expected: expected,
            actual: RemoteText.sanitize(found))
        return found
    }

    private static func readMembers(
        of document: JSONObject, _ amended: Set<String>, log: inout CheckLog
    ) throws(ProtocolError) -> ServerMetadataFields {
        var fields = ServerMetadataFields()
        for (name, path) in ServerMetadataFields.urls where !amended.contains(name) {
            guard let value = member(name, of: document) else { continue }
            guard let text = value.stringValue else { throw wrongType(name, "a string", &log) }
            fields[keyPath: path] = text
        }
        for (name, path) in ServerMetadataFields.lists where !amended.contains(name) {
            guard let value = member(name, of: document) else { continue }
            let names = value.arrayValue?.map(\.stringValue)
            guard let names, !names.contains(nil) else { throw wrongType(name, "an array of strings", &log) }
            fields[keyPath: path] = names.compactMap(\.self)
        }
        for (name, path) in ServerMetadataFields.flags where !amended.contains(name) {
            guard let value = member(name, of: document) else { continue }
            guard let flag = value.boolValue else { throw wrongType(name, "true or false", &log) }
            fields[keyPath: path] = flag
        }
        fields.mtlsEndpointAliases = try readAliases(of: document, amended, log: &log)
        log.pass(Checks.metadataMember)
        return fields
    }

    /// Aliases of endpoints that are not known are passed over.
    private static func readAliases(
        of document: JSONObject, _ amended: Set<String>, log: inout CheckLog
    ) throws(ProtocolError) -> [String: String] {
        let name = "mtls_endpoint_aliases"
        guard !amended.contains(name), let value = member(name, of: document) else { return [:] }
        guard let aliases = value.objectValue else { throw wrongType(name, "an object", &log) }
        var found: [String: String] = [:]
        for endpoint in ServerMetadataFields.aliasNames where !amended.contains("\(name).\(endpoint)") {
            guard let value = member(endpoint, of: aliases) else { continue }
            guard let text = value.stringValue else { throw wrongType(endpoint, "a string", &log) }
            found[endpoint] = text
        }
        return found
    }

    /// A null is as good as no member.
    private static func member(_ name: String, of document: JSONObject) -> JSONValue? {
        document[name]?.present
    }

    private static func wrongType(_ name: String, _ type: String, _ log: inout CheckLog) -> ProtocolError {
        log.failure(Checks.metadataMember, expected: "\(name) is \(type)", actual: "another type")
    }

    private static func checkEndpoints(
        _ fields: ServerMetadataFields, issuer: String, log: inout CheckLog
    ) throws(ProtocolError) {
        let allowsHTTP = issuer.hasPrefix("http://")
        let own = ServerMetadataFields.urls.map { (name: $0.name, url: fields[keyPath: $0.path]) }
        let aliases = fields.mtlsEndpointAliases.sorted { $0.key < $1.key }.map {
            (name: "the alias of \($0.key)", url: Optional($0.value))
        }
        for (name, url) in own + aliases {
            guard let url,
                let problem = EndpointURL.check(url, allowLoopbackHTTP: allowsHTTP)
            else { continue }
            let isInsecure = problem == .insecure || problem == .scheme
            throw log.failure(
                isInsecure ? Checks.metadataEndpointSecure : Checks.metadataEndpointURL,
                expected: "\(name) is an https URL", actual: "\(RemoteText.sanitize(url)) \(problem.rawValue)"
            )
        }
        log.pass(Checks.metadataEndpointSecure)
        log.pass(Checks.metadataEndpointURL)
    }
}
