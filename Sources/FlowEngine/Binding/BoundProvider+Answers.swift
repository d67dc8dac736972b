internal import FlowLanguage
package import OAuthProtocol

/// What the descriptor says of answers.
extension BoundProvider {
    /// What `classify` takes an answer for, the first rule that holds first.
    func classification(of response: HTTPResponse) -> [String] {
        let rules = descriptor.classification
        guard !rules.isEmpty else { return [] }
        var inputs = DescriptorInputs(clientID: registration.clientID)
        inputs[.status] = .int(Int64(response.status))
        // A body that is no JSON is none to a condition.
        inputs[.answer] = response.json.map { .json($0) } ?? .null
        return rules.filter { bound.holds($0.condition, inputs) }.map(\.outcome)
    }

    /// Whether the descriptor takes the answer of a resource for one to a token that is good no longer.
    ///
    /// Says nothing of what every resource tells in the same way, such as 401.
    package func takesForDeadToken(_ response: HTTPResponse) -> Bool {
        // A success may be long, and what it calls an error is the resource's business.
        let error = response.status < 400 ? nil : ResourceRefusal.error(in: response)
        let advice = descriptor.advice(code: error?.code, description: error?.description)?.outcome
        let words = classification(of: response) + [advice].compactMap(\.self)
        return words.first.flatMap { StepScope.outcome(called: $0, of: .http) } == .unauthorized
    }
}
