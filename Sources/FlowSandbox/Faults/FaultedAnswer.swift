internal import JOSE
internal import OAuthProtocol

/// An endpoint's answer with the faults that are due at this hit.
///
/// Of several faults that replace the answer, the first does. A delay goes with every answer.
struct FaultedAnswer {
    private let actions: [Fault.Action]
    private let protocolError: (String) -> HTTPResponse

    /// - Parameter protocolError: How this endpoint says an error code; as an OAuth error unless given.
    init(
        _ actions: [Fault.Action],
        protocolError: @escaping (String) -> HTTPResponse = { Answer.oauthError($0, deliberate) }
    ) {
        self.actions = actions
        self.protocolError = protocolError
    }

    /// - Parameter answer: Serves the request; not called when a fault replaces the answer.
    func reply(_ answer: () -> HTTPResponse) -> SandboxReply {
        let response = actions.lazy.compactMap(replacement).first ?? actions.reduce(answer(), Self.spoiled)
        if actions.contains(.close) { return .closeWithoutAnswer }
        if actions.contains(.truncate) { return .truncate(response, afterBytes: response.body.count / 2) }
        let delay = actions.reduce(0) { sum, action in
            if case .slow(let milliseconds) = action { sum + milliseconds } else { sum }
        }
        return delay > 0 ? .delay(milliseconds: delay, response) : .send(response)
    }

    private func replacement(_ action: Fault.Action) -> HTTPResponse? {
        switch action {
        case .status(let status, let retryAfter):
            let fields = retryAfter.map { [HTTPField("Retry-After", String($0))] } ?? []
            return Answer.text(status, deliberate, fields: fields)
        case .protocolError(let code):
            return protocolError(code)
        case .errorInside200:
            return Answer.json(["error": "bad_verification_code", "error_description": .string(deliberate)])
        case .html:
            return Answer.body(
                "text/html; charset=utf-8", "<!doctype html><title>Gateway</title><p>Try later.")
        case .notJSON:
            return Answer.body("application/json", "this is not JSON")
        case .huge:
            return Answer.json(["padding": .string(String(repeating: "x", count: (1 << 20) + 1))])
        case .redirect:
            return HTTPResponse(status: 302, fields: [HTTPField("Location", Wrong.issuer + "/elsewhere")])
        case .slow, .truncate, .close, .member, .invertedCase, .success, .noKeys, .rotateKeys, .singleKey,
            .keysWithoutID, .otherSubject, .noRefreshToken, .accessLifetime, .idToken, .jarm, .introspection,
            .plainIntrospection,
            .callback, .logout, .demandNonce, .challengeCase:
            return nil
        }
    }

    /// A good answer with the member or status that is to be wrong; an error stays as it is.
    private static func spoiled(_ response: HTTPResponse, _ action: Fault.Action) -> HTTPResponse {
        guard (200...299).contains(response.status) else { return response }
        if case .success(let status) = action {
            return HTTPResponse(status: status, fields: response.fields, body: response.body)
        }
        // What is no JSON object has no members.
        guard var object = response.json?.objectValue else { return response }
        switch action {
        case .member(let name, let value): object[name] = value
        case .invertedCase(let name):
            object[name] = object[name]?.stringValue.map { .string(invertedCase($0)) }
        default: return response
        }
        return HTTPResponse(
            status: response.status, fields: response.fields, body: object.serializedBytes)
    }

    private static func invertedCase(_ text: String) -> String {
        String(text.map { $0.isUppercase ? Character($0.lowercased()) : Character($0.uppercased()) })
    }
}

/// What an answer says when it is wrong on purpose.
let deliberate = "the sandbox was asked for this fault"
