internal import JOSE
internal import OAuthProtocol
internal import Synchronization

extension SandboxProvider {
    /// Ends a session: there is no cookie to forget, so all that is left is to send the browser on.
    ///
    /// - SeeAlso: OpenID RP-Initiated Logout §2 and §3
    func logOut(_ request: ServerRequest) -> HTTPResponse {
        let given = request.method == "POST" ? Parameters(form: request) : Parameters(query: request.query)
        guard let parameters = given, parameters.repeated.isEmpty else {
            return ErrorPage.refused(
                signOut: "The logout request cannot be read, or names a parameter twice.")
        }
        let (keys, directory) = state.withLock { ($0.keys, ClientDirectory(configuration, $0.ledger)) }
        var audience: String?
        if let hint = parameters["id_token_hint"] {
            guard let claims = claims(of: hint, keys), let name = claims["aud"]?.stringValue else {
                return ErrorPage.refused(signOut: "The id_token_hint is no ID token of this sandbox.")
            }
            audience = name
        }
        if let id = parameters["client_id"], let audience, !id.hasBytes(of: audience) {
            return ErrorPage.refused(
                signOut: "The client_id is not the one that the id_token_hint was issued to.")
        }
        guard let place = parameters["post_logout_redirect_uri"] else { return Self.signedOut }
        guard let id = parameters["client_id"] ?? audience, let client = directory.client(id),
            client.accepts(farewell: place)
        else {
            return ErrorPage.refused(
                signOut: "The post_logout_redirect_uri is none that the client registered.")
        }
        guard let returned = returned(parameters["state"]) else { return Answer.seeOther(place) }
        let mark = place.contains("?") ? "&" : "?"
        return Answer.seeOther(place + mark + QueryItems.encode([("state", returned)]))
    }

    /// The client's `state`, unless it is to be wrong.
    private func returned(_ given: String?) -> String? {
        state.withLock { $0.faults.hit(.logout) }.reduce(given) { value, action in
            switch action {
            case .logout(.wrongState): Wrong.state
            case .logout(.missingState): nil
            default: value
            }
        }
    }

    /// An ID token counts as a hint after its end too (OpenID RP-Initiated Logout §4).
    func claims(of token: String, _ keys: SandboxKeys) -> JSONObject? {
        // Whatever is wrong with it: it is no token of ours.
        guard let jws = try? JWS.split(token), let set = try? JWKSet.parse(.object(keys.publicSet)),
            let verified = try? JWS.verify(
                jws, keys: set, allowed: SigningAlgorithm.allCases.map(\.signature)),
            let claims = (try? JSON.parse(verified.payload))?.objectValue,
            claims["iss"]?.stringValue == configuration.issuer
        else { return nil }
        return claims
    }

    private static var signedOut: HTTPResponse {
        let main: HTML = """
            <h1>You are signed out</h1>
            <p>You may close this page.</p>
            """
        return Page(title: "Signed out", main: main).answer(status: 200)
    }
}
