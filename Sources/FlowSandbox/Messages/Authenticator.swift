internal import JOSE
internal import OAuthProtocol

/// Client assertions at the endpoints that clients authenticate at (RFC 7523 §2.2 and §3).
struct Authenticator {
    let configuration: SandboxConfiguration
    let directory: ClientDirectory
    /// Seconds since 1970.
    let now: Int64

    /// - Returns: The client, and what makes the assertion unique.
    /// - Throws: `invalid_client` with the rule that is broken.
    func client(
        assertion: String, _ form: Parameters
    ) throws(TokenRefusal) -> (client: SandboxClient, serial: TokenHash) {
        guard form["client_assertion_type"] == ClientAuthentication.assertionType else {
            throw refused("client_assertion_type is not that of a JWT")
        }
        // Who it claims to be decides only with which keys it is verified.
        guard let jws = try? JWS.split(assertion),
            let name = (try? JSON.parse(jws.payload))?["sub"]?.stringValue,
            let client = directory.client(name), (form["client_id"] ?? name).hasBytes(of: name)
        else { throw refused("the assertion is of no known client") }
        let usesSecret = jws.header.algorithm?.isMAC ?? false
        let method: ClientAuthenticationMethod = usesSecret ? .clientSecretJWT : .privateKeyJWT
        guard client.authenticationMethods.contains(method) else {
            throw refused("the client did not register \(method.rawValue)")
        }
        if usesSecret, let secret = client.secret, let algorithm = jws.header.algorithm,
            let (bytes, needed) = SharedSecret(Array(secret.reveal().utf8)).shortage(for: algorithm)
        {
            throw refused(
                "\(algorithm.rawValue) needs a secret of \(needed) bytes, and the client's has \(bytes)")
        }
        guard let jwt = ClientJWT.verify(assertion, of: client, usesSecret: usesSecret) else {
            throw refused("the client did not sign the assertion")
        }
        return (client, try serial(jwt, client))
    }

    private func serial(_ jwt: ClientJWT, _ client: SandboxClient) throws(TokenRefusal) -> TokenHash {
        guard jwt.claims.iss?.hasBytes(of: client.id) == true, jwt.claims.sub?.hasBytes(of: client.id) == true
        else { throw refused("iss and sub of the assertion are not the client") }
        guard jwt.isFor(configuration.issuer) else {
            throw refused("aud of the assertion is not the issuer as a text")
        }
        guard jwt.isCurrent(now) else { throw refused("the assertion is expired or good for too long") }
        guard let serial = jwt.serial(client) else { throw refused("the assertion has no jti") }
        return serial
    }

    private func refused(_ reason: String) -> TokenRefusal {
        TokenRefusal(flaw: RequestFlaw("invalid_client", reason))
    }
}
