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
        proof = Self.proof(plan, isIssued: provider.registration.assertion != nil)
    }

    private static func proof(_ plan: RequestPlan, isIssued: Bool) -> SentProof? {
        let has = { (name: String) in plan.body.contains { $0.name == name } }
        if has("client_assertion") { return isIssued ? .issuedAssertion : .assertion }
        if has("client_secret") { return .postedSecret }
        return has("client_id") && !plan.fields.contains { $0.name == "Authorization" } ? .nothing : nil
    }
}

extension Registers {
    /// The redirect URI of the sign-in that is under way, or that the last request was about; `nil` without one.
    var redirectURI: String? {
        if let transaction = transactions.values.first ?? responses.values.first?.transaction {
            return transaction.redirectURI
        }
        guard case .text(let uri)? = sent?.body.first(where: { $0.name == "redirect_uri" })?.value else {
            return nil
        }
        return uri
    }
}
