internal import JOSE

/// What a server registered, beside what was asked for: it may replace anything, and the client judges whether it can
/// use the result (RFC 7591 §3.2.1).
struct RegistrationComparison {
    /// `client_secret_basic` where nobody says anything (RFC 7591 §2), and nothing was known before.
    let method: ClientAuthenticationMethod
    /// A clause for each difference that matters to the client.
    private(set) var differences: [String] = []

    /// - Parameters:
    ///   - asked: `nil` where nothing was asked for.
    ///   - known: How a client that was made before proves itself.
    init(_ object: JSONObject, _ asked: ClientMetadata?, known: ClientAuthenticationMethod?) {
        let wanted = asked?.authenticationMethod
        let name = object["token_endpoint_auth_method"]?.present?.stringValue
        let named = name.flatMap(ClientAuthenticationMethod.init)
        method = named ?? wanted ?? known ?? .clientSecretBasic
        if let name, named == nil {
            differences.append(
                "token_endpoint_auth_method is \(RemoteText.sanitize(name, limit: 60)), which is not known here"
            )
        } else if let named, let wanted, named != wanted {
            differences.append("token_endpoint_auth_method is \(named.rawValue), not \(wanted.rawValue)")
        }
        guard let asked else { return }
        compare("redirect_uris", asked.redirectURIs, object)
        compare("grant_types", asked.grantTypes, object)
        compare("scope", asked.scopes, object["scope"].flatMap { TokenScope.names($0, .space) })
        if let places = asked.further["post_logout_redirect_uris"]?.arrayValue {
            compare("post_logout_redirect_uris", places.compactMap(\.stringValue), object)
        }
        for (name, value) in asked.further where Self.isDemand(name, value) {
            compare(name, value, object[name]?.present)
        }
    }

    /// Whether the client relies on it in later answers.
    private static func isDemand(_ name: String, _ value: JSONValue) -> Bool {
        if case .bool = value { return true }
        return value.stringValue != nil && (isAlgorithm(name) || name == "application_type")
    }

    private static func isAlgorithm(_ name: String) -> Bool {
        name.hasSuffix("_alg") || name.hasSuffix("_enc")
    }

    /// "The authorization server MUST return all registered metadata" (RFC 7591 §3.2.1): what is not said is not so.
    private mutating func compare(_ name: String, _ asked: JSONValue, _ found: JSONValue?) {
        if let found {
            guard found != asked else { return }
            let words = RemoteText.sanitize(found.stringValue ?? found.serialize(), limit: 60)
            differences.append("\(name) is \(words), not \(asked.stringValue ?? asked.serialize())")
        } else if let word = asked.stringValue, Self.isResponse(name), !Self.isStandard(name, word) {
            differences.append("nothing says that \(name) is \(word)")
        }
    }

    private static func isResponse(_ name: String) -> Bool {
        name.hasSuffix("_response_alg") || name.hasSuffix("_response_enc")
    }

    /// Whether it holds of a client that says nothing of it (OpenID Connect Registration §2).
    private static func isStandard(_ name: String, _ word: String) -> Bool {
        name == "id_token_signed_response_alg"
            ? word == "RS256" : name.hasSuffix("_enc") && word == "A128CBC-HS256"
    }

    private mutating func compare(_ name: String, _ asked: [String], _ object: JSONObject) {
        compare(name, asked, object[name]?.arrayValue?.compactMap(\.stringValue))
    }

    private mutating func compare(_ name: String, _ asked: [String], _ found: [String]?) {
        guard let found else { return }
        let missing = asked.filter { one in !found.contains { $0.isExactly(one) } }
        guard !missing.isEmpty else { return }
        differences.append("\(name) lacks \(missing.joined(separator: " "))")
    }
}
