internal import JOSE

/// The browser's way back after a logout (OpenID RP-Initiated Logout §3).
package enum LogoutReturn {
    /// Whether the return bears the `state` of our request, once.
    ///
    /// The provider's session is over either way, and nothing is taken from the return: one of another request only
    /// must not be believed to be the end of this run's logout.
    package static func isOurs(_ parameters: [(name: String, value: String)], sent: Secret) -> Bool {
        let states = parameters.filter { $0.name.isExactly("state") }.map(\.value)
        return states.count == 1 && ConstantTime.equal(states[0], sent.reveal())
    }
}
