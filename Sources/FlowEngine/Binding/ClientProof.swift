internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Makes what proves the client in one request: a secret that is a signed JWT, or an assertion (RFC 7523 §2.2).
struct ClientProof: Sendable {
    let provider: BoundProvider
    /// Unique to the request.
    let serial: String
    /// Seconds since 1970.
    let now: Int64

    /// The shared secret: the registered one, or one that the descriptor says how to make.
    func secret(_ inputs: DescriptorInputs) throws(RunFailure) -> Secret? {
        guard let made = provider.descriptor.client.madeSecret else { return provider.registration.secret }
        let algorithm = made.algorithm ?? .es256
        var claims: JSONObject = ["iat": .int(now), "exp": .int(now + Int64(made.lifetime))]
        fill(&claims, made.claims, inputs)
        let key = made.key.flatMap { provider.bound.text($0, inputs) }
        return try sign(made, claims, algorithm, key.map { Secret($0, kind: .other) }, inputs)
    }

    /// The registration with its credentials for a request to the token endpoint.
    ///
    /// - Parameter issuer: The audience of an assertion: one text, and never an address that an answer named
    ///   (RFC 7523bis §3).
    func registration(
        _ registration: ClientRegistration, _ inputs: DescriptorInputs, issuer: String?
    ) throws(RunFailure) -> ClientRegistration {
        var registration = registration
        let client = provider.descriptor.client
        registration.secret = try secret(inputs)
        registration.basicEncoding = client.basicEncoding
        registration.basicUser = credential(client.basicUser, inputs)
        registration.basicPassword = credential(client.basicPassword, inputs)
        switch registration.authenticationMethod {
        case .privateKeyJWT, .clientSecretJWT:
            let assertion: Secret
            if let issued = registration.assertion {
                try check(issued)
                registration.hasIssuedAssertion = true
                assertion = issued
            } else {
                assertion = try self.assertion(registration, inputs, issuer)
            }
            registration.assertion = Secret(assertion.reveal(), kind: .clientAssertion)
        case .tlsClientAuth, .selfSignedTLSClientAuth:
            guard registration.clientCertificate != nil else {
                throw RunFailure(
                    .clientKey,
                    "the client has no certificate: give certificate and certificate_key in its registration")
            }
        case .clientSecretBasic, .clientSecretPost, .none: break
        }
        return registration
    }

    /// What signs the client's own messages, such as request objects; in a rehearsal a key that nobody trusts.
    ///
    /// - Parameter algorithm: `nil` for the one that the key itself suggests.
    func signer(_ algorithm: SignatureAlgorithm?) throws(RunFailure) -> MessageSigner {
        if let algorithm, algorithm.keyType == nil {
            guard let secret = provider.registration.secret, !secret.isEmpty else {
                throw RunFailure(.clientKey, "the client has no secret to sign with \(algorithm.rawValue)")
            }
            if !provider.isRehearsal {
                return .secret(SharedSecret(Array(secret.reveal().utf8)), algorithm)
            }
        }
        let rehearsed = provider.isRehearsal ? RehearsalKey.proofKey : nil
        guard let text = rehearsed ?? provider.registration.privateKey, !text.isEmpty else {
            throw RunFailure(
                .clientKey, "the client has no private key: give private_key in its registration")
        }
        do throws(KeyError) {
            let (key, kid) = try SigningKeyText.read(text)
            let usual = key.type.usualAlgorithm
            return .key(key, rehearsed == nil ? algorithm ?? usual : usual, kid: kid)
        } catch {
            throw RunFailure(.clientKey, "the client's private key cannot be read: \(error.summary)")
        }
    }

    /// Refuses what somebody else issued where no server can take it.
    private func check(_ issued: Secret) throws(RunFailure) {
        guard !provider.isRehearsal else { return }
        guard let assertion = IssuedAssertion(issued) else {
            throw RunFailure(.clientKey, "the client's assertion is no JWT")
        }
        guard let expiry = assertion.expiry, assertion.isExpired(at: now * 1000) else { return }
        throw RunFailure(
            .clientKey, "the client's assertion expired at \(TimeText.format(expiry)): get a new one")
    }

    private func credential(_ text: DescriptorText?, _ inputs: DescriptorInputs) -> Secret? {
        text.flatMap { provider.bound.text($0, inputs) }.map { Secret($0, kind: .clientSecret) }
    }

    private func assertion(
        _ registration: ClientRegistration, _ inputs: DescriptorInputs, _ issuer: String?
    ) throws(RunFailure) -> Secret {
        let facts = provider.descriptor.client.assertion
        let isPrivate = registration.authenticationMethod == .privateKeyJWT
        let id = JSONValue.string(registration.clientID)
        var claims: JSONObject = [
            "iss": id, "sub": id, "jti": .string(serial), "iat": .int(now),
            "exp": .int(now + Int64(min(facts.lifetime, 300))),
        ]
        claims["aud"] = issuer.map { .string($0) }
        fill(&claims, facts.claims, inputs)
        guard claims["aud"] != nil else {
            throw RunFailure(
                .clientKey,
                "the client's assertion has no audience: the provider's file needs issuer, or client.assertion.claims.aud"
            )
        }
        let named = provider.descriptor.client.signingAlgorithm
        guard isPrivate else {
            guard !provider.isRehearsal else { return Secret("rehearsed assertion", kind: .clientSecret) }
            let secret = registration.secret.map { SharedSecret(Array($0.reveal().utf8)) }
            let token = secret.flatMap { secret in
                try? JWS.sign(
                    header: ["typ": "JWT"], payload: claims.serializedBytes,
                    secret: secret, algorithm: named ?? .hs256)
            }
            guard let token else {
                throw RunFailure(
                    .clientKey, "the client's secret is missing, or shorter than its algorithm needs")
            }
            return Secret(token, kind: .other)
        }
        return try sign(facts, claims, named, registration.privateKey, inputs)
    }

    /// - Parameter algorithm: `nil` for the one that the key itself suggests.
    private func sign(
        _ token: ClientFacts.SignedToken, _ claims: JSONObject, _ algorithm: SignatureAlgorithm?,
        _ key: Secret?, _ inputs: DescriptorInputs
    ) throws(RunFailure) -> Secret {
        guard let key, !key.isEmpty else {
            throw RunFailure(
                .clientKey, "the client has no private key: give private_key in its registration")
        }
        // A rehearsal reads no key, and nobody sees what it would sign.
        guard !provider.isRehearsal else { return Secret("rehearsed signed token", kind: .clientSecret) }
        var header: JSONObject = ["typ": "JWT"]

        do throws(KeyError) {
            let (signer, kid) = try SigningKeyText.read(key)
            header["kid"] = kid.map { .string($0) }
            fill(&header, token.header, inputs)
            let compact = try JWS.sign(
                header: header, payload: claims.serializedBytes, key: signer,
                algorithm: algorithm ?? signer.type.usualAlgorithm)
            return Secret(compact, kind: .clientSecret)
        } catch .algorithmMismatch(let algorithm) {
            throw RunFailure(
                .clientKey, "the client's private key cannot sign with \(algorithm.rawValue)")
        } catch {
            throw RunFailure(.clientKey, "the client's private key cannot be used: \(error.summary)")
        }
    }

    private func fill(
        _ object: inout JSONObject, _ texts: [(name: String, text: DescriptorText)],
        _ inputs: DescriptorInputs
    ) {
        for (name, text) in texts {
            object[name] = provider.bound.text(text, inputs).map { .string($0) }
        }
    }
}
