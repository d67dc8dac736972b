internal import JOSE

/// What a server registered, beside what was asked for: it may replace anything, and the client judges whether it can
/// use the result (RFC 7591 §3.2.1).
struct RegistrationComparison {
    /// `client_secret_basic` where nobody says anything (RFC 7591 §2).
    let method: ClientAuthenticationMethod
    /// A clause for each difference that matters to the client.
    private(set) var differences: [String] = []

    /// - Parameter asked: `nil` where nothing was asked for.
    init(_ object: JSONObject, _ asked: ClientMetadata?) {
        let wanted = asked?.authenticationMethod
        let name = object["token_endpoint_auth_method"]?.present?.stringValue
        let named = name.flatMap(ClientAuthenticationMethod.init)
        method = named ?? wanted ?? .clientSecretBasic
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
    }

    private mutating func compare(_ name: String, _ asked: [String], _ object: JSONObject) {
        guard let found = object[name]?.arrayValue?.compactMap(\.stringValue) else { return }
        let missing = asked.filter { one in !found.contains { $0.isExactly(one) } }
        guard !missing.isEmpty else { return }
        differences.append("\(name) lacks \(missing.joined(separator: " "))")
    }
}
