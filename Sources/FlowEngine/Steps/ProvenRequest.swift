internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// What a request is proven with beside the client's credentials: a key that its tokens are bound to (RFC 9449).
struct KeyProof: Sendable {
    /// PEM or JWK; `nil` for the key of this run, which is made when it is needed first.
    let key: Secret?
    let server: DPoPServer
}

/// A request before its proof: a proof is good for one sending, so the request is kept as it is without one.
struct ProvenRequest: Sendable {
    let plan: RequestPlan
    let purpose: HTTPExchange.Purpose
    let timeout: Int64?
    let sample: AnswerSample?
    let proof: KeyProof
    /// Whether the server has asked for a nonce once already.
    var isRepeated = false
}

/// Proof of possession (RFC 9449), between the steps and the world: a step sends a request and reads an answer, and
/// knows nothing of keys that are made and nonces that are asked for.
extension FlowMachine {
    /// Signs a proof and sends the request with it, after making a key where the run has none yet.
    mutating func prove(_ request: ProvenRequest) -> Progress {
        let scope = scope
        guard let text = request.proof.key ?? registers.proofKeys[scope.providerIndex] else {
            phase = .makingKey(request)
            let type = Self.proofKeyType(registers.metadata[scope.providerIndex])
            return .decide(.perform(self.request(.newKey(type), until: attemptDeadline)))
        }
        let serial = registers.serial()
        let bytes = Array(Digest.sha256(serial.utf8).prefix(DPoPProof.randomByteCount))
        do throws(KeyError) {
            let signer = try SigningKeyText.read(text).key
            let algorithm = Self.proofAlgorithms(registers.metadata[scope.providerIndex]).first {
                $0.fits(signer.type)
            }
            let key = try DPoPKey(signer, algorithm: algorithm)
            let plan = try request.plan.proving(
                key, randomBytes: bytes, now: registers.now, nonce: registers.nonces[request.plan.endpoint],
                step: scope.name)
            proving = request
            return .act(
                HTTPStep.send(
                    plan, request.purpose, &registers, scope, timeout: request.timeout, sample: request.sample
                ))
        } catch {
            return fail(RunFailure(.clientKey, "the key of the proofs cannot sign with its algorithm"))
        }
    }

    /// Takes the key that was made; it is kept with the tokens that are bound to it.
    mutating func keyMade(_ event: InputEvent, for request: ProvenRequest) -> Progress {
        guard registers.takeProofKey(event, of: scope.providerIndex) else {
            return fail(RunFailure(.randomness, "the system made no key"))
        }
        phase = .working
        return .act(.prove(request))
    }

    /// Looks at an answer before its step does: what asks for a nonce is answered by the same request with it, once.
    ///
    /// - Returns: `nil` when the answer is for the step.
    mutating func answered(_ event: InputEvent) -> Progress? {
        guard let request = proving else { return nil }
        proving = nil
        guard case .answered(let response, let timing) = event else { return nil }
        registers.nonces.note(response, from: request.plan.endpoint)
        guard !request.isRepeated, DPoPNonces.demanded(by: response, request.proof.server) != nil else {
            return nil
        }
        registers.notes.add(.response(response, timing: timing))
        registers.notes.add(.note("the server asks for a nonce: the request goes out again with it"))
        do throws(RunFailure) {
            return .act(.prove(try repeated(request)))
        } catch {
            return fail(error)
        }
    }
}

extension FlowMachine {
    /// What a new key is of: P-256 for ES256 where the server takes that, or names nothing that is known here.
    static func proofKeyType(_ metadata: KnownMetadata?) -> KeyType {
        let algorithms = proofAlgorithms(metadata)
        return algorithms.contains(.es256) ? .ec(.p256) : algorithms.first?.keyType ?? .ec(.p256)
    }

    /// What the server takes proofs by (RFC 9449 §5.1), as far as it is known here.
    private static func proofAlgorithms(_ metadata: KnownMetadata?) -> [SignatureAlgorithm] {
        let names = metadata?.fields.dpopSigningAlgValuesSupported ?? []
        return names.compactMap { SignatureAlgorithm(name: $0) }.filter { !$0.isMAC }
    }

    /// The same request once more, with fresh assertions in place of those that were made here: each is good for one
    /// use (RFC 7523 §3).
    private mutating func repeated(_ request: ProvenRequest) throws(RunFailure) -> ProvenRequest {
        var plan = request.plan
        for (index, parameter) in plan.body.enumerated() {
            guard case .secret(let secret) = parameter.value,
                let assertion = try fresh(secret.kind)
            else { continue }
            registers.conceal([assertion])
            plan.body[index].value = .secret(assertion)
        }
        return ProvenRequest(
            plan: plan, purpose: request.purpose, timeout: request.timeout, sample: request.sample,
            proof: request.proof, isRepeated: true)
    }

    /// - Returns: `nil` for what is no assertion, or one that the flow brought along.
    private mutating func fresh(_ kind: Secret.Kind) throws(RunFailure) -> Secret? {
        switch kind {
        case .clientAssertion: try scope.client(&registers).assertion
        case .assertion: try scope.ownAssertion(&registers)
        default: nil
        }
    }
}

extension BoundProvider {
    /// Whether the client registered that its tokens are bound to a key (RFC 9449 §5.2).
    var bindsTokens: Bool { descriptor.client.security.bindsAccessTokens }

    var tokenTypes: TokenTypeDemand { bindsTokens ? .dpop : .bearer }
}
