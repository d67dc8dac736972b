/// How a provider writes its authorization response, where that differs from RFC 6749 §4.1.2.
package struct CallbackDialect: Sendable, Hashable {
    /// The provider's names, with those that are meant.
    package var rename: [String: String] = [:]
    /// Parameters whose value is percent-encoded once more.
    package var decoded: Set<String> = []
    /// The parameters that tell an error, where they are not `error` and `error_description`; the first that is there
    /// counts.
    package var errorCode: [String] = []
    package var errorDescription: [String] = []
    /// Whether the answer is a JWT, which holds the parameters (JARM §2.3).
    package var isSecured = false

    package init() {}

    /// The `state` that an answer names, before anything of it was checked: only to find the run that waits for it.
    ///
    /// - Parameter seal: What opens an answer that is encrypted.
    package func states(
        in parameters: [(name: String, value: String)], seal: SealedResponses? = nil
    ) -> [String] {
        guard isSecured else { return standard(parameters).filter { $0.name == "state" }.map(\.value) }
        return parameters.filter { $0.name == SecuredAuthorizationResponse.parameter }.compactMap {
            let sent = Secret($0.value, kind: .code)
            guard let seal else { return SecuredAuthorizationResponse.unverifiedState(of: sent) }
            var log = CheckLog()
            // What cannot be opened names no state; the checks of the answer itself come later.
            let opened = try? seal.opened(sent, log: &log)
            return opened.flatMap { SecuredAuthorizationResponse.unverifiedState(of: $0) }
        }
    }

    /// The parameters under their standard names.
    package func standard(_ parameters: [(name: String, value: String)]) -> [(name: String, value: String)] {
        var names = rename
        for (known, standard) in [(errorCode, "error"), (errorDescription, "error_description")] {
            let found = known.first { name in parameters.contains { $0.name.isExactly(name) } }
            if let found { names[found] = standard }
        }
        let replaced = Set(names.values)
        return parameters.compactMap { parameter in
            guard names[parameter.name] != nil || !replaced.contains(parameter.name) else {
                // What the provider's own name stands for is not taken from elsewhere as well.
                return parameters.contains { names[$0.name] == parameter.name } ? nil : parameter
            }
            let name = names[parameter.name] ?? parameter.name
            guard decoded.contains(name) || decoded.contains(parameter.name) else {
                return (name, parameter.value)
            }
            // A value that is no such text is what it is.
            return (name, PercentEncoding.decodeForm(parameter.value) ?? parameter.value)
        }
    }
}
