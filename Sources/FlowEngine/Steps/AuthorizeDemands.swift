internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// What an authorization request asks for beyond scopes: the flow's word, or the descriptor's.
enum AuthorizeDemands {
    /// Why a flow's arguments ask for nothing that can be asked for.
    struct Refusal: Error {
        let reason: String
    }

    static func read(
        _ registers: inout Registers, _ scope: StepScope
    ) throws(Refusal) -> AuthorizationDemands {
        let facts = scope.provider.descriptor.authorization
        return AuthorizationDemands(
            authorizationDetails: try details(&registers, scope) ?? facts.details,
            claims: try claims(&registers, scope) ?? facts.claims,
            dpopThumbprint: try thumbprint(registers, scope))
    }

    private static func claims(
        _ registers: inout Registers, _ scope: StepScope
    ) throws(Refusal) -> ClaimsRequest? {
        let value = scope.value("claims", &registers)
        guard !value.isNull else { return nil }
        do throws(ClaimsRequestError) {
            return try ClaimsRequest.parse(JSONForm.json(of: value))
        } catch {
            throw Refusal(reason: "\"\(error.place)\" is no request for claims (OIDC Core §5.5)")
        }
    }

    private static func details(
        _ registers: inout Registers, _ scope: StepScope
    ) throws(Refusal) -> AuthorizationDetails? {
        let value = scope.value("authorization_details", &registers)
        guard !value.isNull else { return nil }
        do throws(AuthorizationDetailsError) {
            return try AuthorizationDetails.parse(JSONForm.json(of: value))
        } catch {
            throw Refusal(reason: "authorization details are a list of objects with a type (RFC 9396 §2)")
        }
    }

    /// Binds the code to the key that will redeem it (RFC 9449 §10).
    private static func thumbprint(_ registers: Registers, _ scope: StepScope) throws(Refusal) -> String? {
        guard scope.provider.bindsTokens, let text = registers.proofKeys[scope.providerIndex] else {
            return nil
        }
        do throws(KeyError) {
            return try DPoPKey(SigningKeyText.read(text).key).thumbprint
        } catch {
            throw Refusal(reason: "the key of the proofs cannot be read")
        }
    }
}

extension BoundProvider {
    /// Whether requests are signed: the client registered that, or the server takes no others (RFC 9101 §10.5).
    func signsRequests(_ known: KnownMetadata) -> Bool {
        descriptor.client.security.requiresSignedRequests || known.fields.requireSignedRequestObject == true
    }

    /// Whether requests must be pushed (RFC 9126 §5 and §6).
    func mustPush(_ known: KnownMetadata) -> Bool {
        descriptor.client.security.requiresPushedRequests
            || known.fields.requirePushedAuthorizationRequests == true
    }

    /// What may sign an authorization response: the registered algorithm, else those that the server names and this
    /// client trusts, else RS256 (JARM §3).
    func allowedResponseAlgorithms(_ metadata: KnownMetadata?) -> [SignatureAlgorithm] {
        if let registered = descriptor.client.security.authorizationSignedResponseAlgorithm {
            return [registered]
        }
        let offered = metadata?.fields.authorizationSigningAlgValuesSupported ?? []
        let usable = offered.compactMap { SignatureAlgorithm(name: $0) }.filter { $0.keyType != nil }
        return usable.isEmpty ? [.rs256] : usable
    }
}

extension StepScope {
    /// The request with its parameters in an object that the client signs (RFC 9101).
    ///
    /// - Parameter recipient: The provider's key, where the object is encrypted as well.
    func signed(
        _ plan: RequestPlan, _ transaction: AuthorizationTransaction, _ known: KnownMetadata,
        to recipient: JWK?, _ registers: inout Registers
    ) throws(RunFailure) -> RequestPlan {
        guard let issuer = known.fields.issuer else {
            throw RunFailure(.clientKey, "a request object has no audience: the provider names no issuer")
        }
        let bytes = Array(Digest.sha256(registers.serial().utf8).prefix(RequestObject.randomByteCount))
        let proof = ClientProof(provider: provider, serial: "", now: registers.now / 1000)
        let signer = try proof.signer(provider.descriptor.client.security.requestObjectAlgorithm)
        do throws(KeyError) {
            var object = try RequestObject.sign(
                plan, clientID: transaction.clientID, issuer: issuer, signer: signer, randomBytes: bytes,
                now: registers.now)
            if let recipient, let encryption = provider.descriptor.client.security.requestEncryption {
                object = try RequestObject.encrypt(object, to: recipient, by: encryption)
                registers.notes.add(.note("the request is \(RecipientKeyFetch.words(encryption))"))
            }
            return RequestObject.plan(
                object, in: plan, clientID: transaction.clientID, repeatsRequired: true, step: name)
        } catch {
            throw RunFailure(.clientKey, "the client's key cannot sign a request object with its algorithm")
        }
    }
}
