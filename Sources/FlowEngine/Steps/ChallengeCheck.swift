internal import FlowLanguage
internal import OAuthProtocol

/// Whether the provider takes the method of PKCE that is going to be used.
///
/// S256, or what the descriptor says instead: metadata that leaves it out is no reason for less (RFC 7636 §7.2).
enum ChallengeCheck {
    static func refusal(
        _ method: PKCE.Method, _ known: KnownMetadata, _ registers: inout Registers
    ) -> StepResult? {
        var log = CheckLog()
        defer { registers.note(log) }
        guard let methods = known.fields.codeChallengeMethodsSupported, !methods.contains(method.name) else {
            if method == .plain {
                log.relax(Checks.pkceMethod, because: "the descriptor says that the provider knows no S256")
            }
            return nil
        }
        let found = methods.isEmpty ? "no method" : RemoteText.sanitize(methods.joined(separator: " "))
        _ = log.failure(Checks.pkceMethod, expected: method.name, actual: found)
        return .failed(
            .metadataUntrusted, Checks.pkceMethod.name,
            "code_challenge_methods_supported does not list \(method.name), which is always used")
    }
}
