extension FailureTexts {
    /// The person or the provider said no.
    static let denials: [String: FailureText] = [
        "denied": FailureText(
            "the sign-in was refused", why: ["the person, a policy or a hook said no"], fix: ["{again}"]),
        "access_denied": FailureText(
            "the sign-in was refused",
            why: ["the person pressed cancel, or a policy of the provider forbids it"],
            fix: ["{again}   to try again; ask the provider's administrator about policies"]),
        "interaction_required": FailureText(
            "the provider wants to talk to the person",
            why: ["prompt=none was asked for and there is no session, consent or chosen account"],
            fix: ["run the flow without prompt=none"]),
        "cancelled": FailureText(
            "the run was cancelled", why: ["it was interrupted, at the terminal or by the host program"],
            fix: ["{again}"], isRetryable: true),
    ]
}
