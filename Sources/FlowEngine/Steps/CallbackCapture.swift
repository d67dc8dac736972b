internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// What a descriptor keeps of a callback beyond the protocol: nobody vouches for it.
enum CallbackCapture {
    static func read(
        _ captures: [CallbackFacts.Capture], _ parameters: [(name: String, value: String)],
        log: inout CheckLog
    ) throws(ProtocolError) -> JSONObject {
        var captured: JSONObject = [:]
        for capture in captures {
            let text = parameters.first { $0.name == capture.parameter }?.value
            guard let text, !text.isEmpty else {
                guard capture.isOptional else {
                    throw log.failure(
                        Checks.callbackCapture, expected: "the parameter \(capture.parameter)",
                        actual: "none")
                }
                continue
            }
            guard capture.isJSON else {
                captured[capture.name] = .string(text)
                continue
            }
            do throws(JSONError) {
                captured[capture.name] = try JSON.parse(Array(text.utf8))
            } catch {
                throw log.failure(
                    Checks.callbackCapture, expected: "\(capture.parameter), a JSON text",
                    actual: "something else")
            }
        }
        return captured
    }
}

/// The signature over a callback that some providers make with the client's secret.
struct CallbackSignature {
    let facts: CallbackFacts.Signature
    let provider: BoundProvider

    /// - Parameters:
    ///   - parameters: As they came, under the provider's own names.
    ///   - now: Seconds since 1970.
    func check(
        _ parameters: [(name: String, value: String)], now: Int64, log: inout CheckLog
    ) throws(ProtocolError) {
        guard let found = parameters.first(where: { $0.name == facts.parameter })?.value else {
            throw log.failure(
                Checks.callbackSignature, expected: "the parameter \(facts.parameter)", actual: "none")
        }
        let expected = signature(parameters)
        try log.require(
            expected.map { ConstantTime.equal(found, $0) } ?? false, Checks.callbackSignature,
            expected: "the signature that the provider makes of the parameters",
            actual: expected == nil ? "nothing to compare with" : "another signature")
        guard let name = facts.timestamp else { return }
        let time = parameters.first { $0.name == name }.flatMap { Int64($0.value) }
        try log.require(
            time.map { isRecent($0, now) } ?? false, Checks.callbackSignature,
            expected: "\(name) of the last \(facts.maxAge) s", actual: "another time, or none")
    }

    /// The provider's clock may be ahead; its number may be any.
    private func isRecent(_ time: Int64, _ now: Int64) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(time)
        return !overflow && age.magnitude <= UInt64(facts.maxAge)
    }

    /// Why no answer can be verified; `nil` where nothing is missing.
    var obstacle: String? {
        let name = provider.descriptor.displayName
        if facts.expected.reads(.clientSecret), provider.registration.secret?.isEmpty ?? true {
            return
                "the client has no secret, and the answers that the browser brings from \(name) are verified with it"
        }
        guard !provider.bound.hasVariables(of: facts.expected) else { return nil }
        return
            "\(facts.expected.source): what verifies the answers that the browser brings from \(name) has no value"
    }

    /// What the parameter should be; `nil` where something that it is made of is missing.
    func signature(_ parameters: [(name: String, value: String)]) -> String? {
        let secret = provider.registration.secret
        // A signature that is made with nothing anybody can make.
        guard obstacle == nil else { return nil }
        let covered = parameters.filter { $0.name != facts.parameter }.sorted { $0.name < $1.name }
        let message = covered.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        var inputs = DescriptorInputs(clientID: provider.registration.clientID)
        if let secret { inputs[.clientSecret] = .string(secret.reveal()) }
        inputs[.message] = .string(message)
        let members = JSONObject(covered.map { (key: $0.name, value: .string($0.value)) })
        let text = provider.bound.text(facts.expected, inputs.with(.callback, members))
        return text?.isEmpty == true ? nil : text
    }
}
