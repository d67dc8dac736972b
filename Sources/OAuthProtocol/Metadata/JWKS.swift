package import JOSE

/// The request for a server's keys.
package enum JWKSRequest {
    package static func plan(_ url: String) -> RequestPlan {
        let types = "application/jwk-set+json, application/json"
        return RequestPlan(
            method: .get, endpoint: url,
            fields: [RequestParameter("Accept", .text(types), .specification, "RFC 7517 §8.5")])
    }
}

/// The answer with a server's keys.
package enum JWKSResponse {
    /// Reads the key set; keys that cannot be used are skipped (RFC 7517 §5).
    ///
    /// - Throws: `status` for any status but 200, `malformed` for a body that is not a key set.
    package static func read(
        _ response: HTTPResponse, log: inout CheckLog
    ) throws(ProtocolError) -> JWKSet {
        let object = try JSONDocument.object(of: response, .keySet, log: &log)
        do throws(JWKSetError) {
            return try JWKSet.parse(.object(object))
        } catch {
            throw log.malformed(Checks.keySet, "key set", detail: error.summary)
        }
    }
}

extension JWKSetError {
    fileprivate var summary: String {
        switch self {
        case .notAnObject: "not a JSON object"
        case .missingKeys: "keys is not an array"
        case .tooManyKeys(let found, let limit): "\(found) keys, more than \(limit)"
        }
    }
}
