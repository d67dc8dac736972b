internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// FL104: a profile in which nobody is named, where the file itself shows that.
extension DescriptorReader {
    /// - Parameter issuesIDTokens: Whether an ID token may name somebody.
    mutating func warnOfNobody(_ claims: ClaimsFacts, _ userinfo: UserInfoFacts, issuesIDTokens: Bool) {
        guard layers.isComplete, userinfo.isSupported, !issuesIDTokens else { return }
        // One that cannot be read is told of where it stands.
        guard root["claims"]?["sub"] == nil else { return }
        if let node = root["claims"], !claims.rules.isEmpty {
            return warn(
                "FL104", node, "nobody is named: the claims have no \"sub\"",
                hint: "say which member tells one person from another, as sub: id")
        }
        let operation = userinfo.operation
        guard claims.source == .merge || claims.source == .userinfo, let example = operation.example,
            example["sub"] == nil, operation.response.map["sub"] == nil,
            operation.response.defaults["sub"] == nil,
            let node = root["userinfo"]?["example"]
        else { return }
        warn(
            "FL104", node, "nobody is named: the answer has no \"sub\", and no claims say what stands for it",
            hint: "say which member tells one person from another, as claims: {sub: id}")
    }
}
