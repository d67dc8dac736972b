internal import OAuthProtocol

/// What the texts of a failure tell of the last request of its step.
package struct SentRequest: Sendable, Hashable {
    /// Such as `api.example.com`, with its port unless that is the scheme's own; `nil` where it went to no URL.
    package let host: String?
    /// The same with its scheme.
    package let origin: String?
    /// How it proved who the client is; `nil` where no text is about that.
    package let proof: SentProof?

    /// - Parameter provider: To which it went, with the client.
    init(_ plan: RequestPlan, to provider: BoundProvider) {
        let url = try? EndpointURL(plan.endpoint, allowLoopbackHTTP: true)
        origin = url?.origin
        host = url.map { String($0.origin.dropFirst($0.scheme.count + "://".count)) }
        proof = SentProof(
            body: plan.body.map(\.name), fields: plan.fields.map(\.name),
            isIssued: provider.registration.assertion != nil, references: plan.body.map(\.reference),
            isOwn: plan.bearsOwnProof)
    }
}

extension RequestPlan {
    /// Whether it bears the client's secret by another name, or what the provider file makes of a secret.
    fileprivate var bearsOwnProof: Bool {
        (body + query + fields).contains { parameter in
            switch parameter.value {
            case .secret(let secret), .scheme(_, let secret): SentProof.isOwn(secret.kind.rawValue)
            case .text, .basic, .json: false
            }
        }
    }
}

extension Registers {
    /// The redirect URI of the sign-in that is under way, or that the last request was about; `nil` without one.
    var redirectURI: String? {
        // Of several always the same, that of the first step.
        let pending = transactions.min { $0.key < $1.key }?.value
        let answered = responses.min { $0.key < $1.key }?.value.transaction
        if let transaction = pending ?? answered { return transaction.redirectURI }
        guard case .text(let uri)? = sent?.body.first(where: { $0.name == "redirect_uri" })?.value else {
            return nil
        }
        return uri
    }
}
