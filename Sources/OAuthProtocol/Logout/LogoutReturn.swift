internal import JOSE

/// The browser's way back after a logout (OpenID RP-Initiated Logout §3).
package enum LogoutReturn {
    /// Whether the return belongs to our request.
    ///
    /// One that does not is no failure: the provider's session is over either way, and nothing is taken from the
    /// return. It only must not be believed to be the end of this run's logout.
    ///
    /// - Parameter sent: The `state` of the request; `nil` when none was sent.
    package static func isOurs(
        _ parameters: [(name: String, value: String)], sent: Secret?, log: inout CheckLog
    ) -> Bool {
        guard let sent else {
            log.skip(Checks.logoutState, because: "no state was sent")
            return true
        }
        let states = parameters.filter { $0.name.isExactly("state") }.map(\.value)
        guard states.count == 1, ConstantTime.equal(states[0], sent.reveal()) else {
            _ = log.failure(
                Checks.logoutState, expected: "the state of this run",
                actual: states.isEmpty ? "no state" : "another state, or several")
            return false
        }
        log.pass(Checks.logoutState)
        return true
    }
}
