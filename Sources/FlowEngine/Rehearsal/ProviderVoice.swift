package import FlowLanguage
package import JOSE
package import OAuthProtocol

/// How a provider speaks, as its descriptor has it: for whatever answers in its place.
package struct ProviderVoice: Sendable {
    private let provider: BoundProvider

    package init(_ provider: BoundProvider) { self.provider = provider }

    /// The person of the descriptor's example.
    package var subject: String { RehearsedProvider().subject(provider) }

    /// The issuer that its ID tokens and answers name; `nil` for a provider without one.
    package var issuer: String? {
        provider.bound.expectedIssuers(claims: provider.descriptor.userinfoExample ?? [:]).first
    }

    /// What its ID tokens are signed with.
    package var idTokenAlgorithms: [SignatureAlgorithm] { provider.allowedAlgorithms(provider.known) }

    /// The keys of what it signs itself.
    package var keys: [JSONValue] {
        RehearsalKey.published(for: idTokenAlgorithms).arrayValue ?? []
    }

    /// An ID token that is authenticated with the client's secret; `nil` where it is not.
    package func idToken(_ claims: JSONObject) -> String? {
        guard provider.macKey != nil else { return nil }
        return RehearsalKey.sign(claims, idTokenAlgorithms, provider.registration.secret)
    }

    /// A good answer of the operation.
    ///
    /// - Parameters:
    ///   - standard: Its members by the names of the RFCs.
    ///   - now: Milliseconds since 1970.
    package func answer(_ standard: JSONObject, of operation: OperationFacts, now: Int64) -> HTTPResponse {
        RehearsedDialect.response(standard, operation, now: now)
    }

    /// What is said of the person at an address of the descriptor: the main answer, or one that joins it.
    ///
    /// - Parameters:
    ///   - issuer: Who signs it, where it is a JWT.
    ///   - client: For whom.
    package func userinfo(at endpoint: String, issuer: String, client: String, now: Int64) -> HTTPResponse {
        let exchange = HTTPExchange(
            purpose: .userinfo, plan: RequestPlan(method: .get, endpoint: endpoint),
            request: HTTPRequest(method: .get, url: endpoint, fields: []), timeout: 1, maximumBytes: 1)
        var person = RehearsedProvider()
        let answer = person.answer(exchange, provider, now: now, renewsIDTokens: false)
        guard let jws = try? JWS.split(String(decoding: answer.body, as: UTF8.self)),
            var claims = (try? JSON.parse(jws.payload))?.objectValue
        else { return answer }
        claims["iss"] = .string(issuer)
        claims["aud"] = .string(client)
        let registered = provider.descriptor.client.userinfoSignedResponseAlgorithm
        let signed = RehearsalKey.sign(
            claims, registered.map { [$0] } ?? idTokenAlgorithms, provider.registration.secret)
        return HTTPResponse(
            status: answer.status, fields: answer.fields, body: Array((signed ?? "").utf8))
    }

    /// The parameters of an authorization response, by the names of the RFCs, as the browser brings them.
    package func callback(
        _ parameters: [(name: String, value: String)], now: Int64
    ) -> [(name: String, value: String)] {
        RehearsedDialect.write(parameters, provider, now: now)
    }

    /// An error where the provider puts it, with the status that it gives to errors.
    ///
    /// - Parameter error: The members `error` and `error_description` of RFC 6749 §5.2.
    package func refusal(
        _ error: JSONObject, status: Int, fields: [HTTPField], _ dialect: ResponseDialect
    ) -> HTTPResponse {
        var dialect = dialect
        // Errors are told before anything is unwrapped.
        dialect.unwrap = []
        var answer: JSONObject = [:]
        for condition in dialect.errorWhen {
            if let value = Self.value(thatMeets: condition.test) {
                condition.paths.first?.place(value, in: &answer)
            }
        }
        for (paths, name) in [(dialect.errorCode, "error"), (dialect.errorDescription, "error_description")] {
            guard let value = error[name] else { continue }
            if let path = paths.first { path.place(value, in: &answer) } else { answer[name] = value }
        }
        let written = RehearsedDialect.response(.object(answer), dialect)
        return HTTPResponse(
            status: dialect.errorWhen.isEmpty ? status : dialect.successStatus.lowerBound,
            fields: fields.filter { !$0.name.equalsIgnoringASCIICase("Content-Type") } + written.fields,
            body: written.body)
    }

    private static func value(thatMeets test: ResponseDialect.ErrorCondition.Test) -> JSONValue? {
        switch test {
        case .equals(let value): value
        case .exists(true): true
        case .exists(false): nil
        case .notEquals(.bool(let value)): .bool(!value)
        case .notEquals(.int(let value)): .int(value + 1)
        case .notEquals: "error"
        }
    }
}
