internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Makes the request of an `http` step from its arguments.
enum HTTPCallRequest {
    /// - Throws: Why nothing may be sent; nothing has been then.
    static func plan(_ registers: inout Registers, _ scope: StepScope) throws(HTTPCallRefusal) -> RequestPlan
    {
        let method =
            scope.value("method", &registers).text.flatMap { HTTPMethod(rawValue: $0) } ?? .get
        let hasBody = scope.argument("json") != nil || scope.argument("form") != nil
        guard !hasBody || (method != .get && method != .head) else {
            throw HTTPCallRefusal(
                code: "no_body", reason: "\(method.rawValue) has no body: its members would be in the URL")
        }
        var plan = RequestPlan(method: method, endpoint: try url(&registers, scope))
        plan.fields.append(
            RequestParameter("Accept", .text("application/json"), .specification, "RFC 9110 §12.5.1"))
        plan.query = try query(&registers, scope)
        setFields(&plan, &registers, scope)
        setBody(&plan, &registers, scope)
        try checkPlaceholders(plan)
        try authenticate(&plan, &registers, scope)
        return plan
    }

    /// Sent on, the placeholder would be taken for the secret.
    private static func checkPlaceholders(_ plan: RequestPlan) throws(HTTPCallRefusal) {
        let parts = plan.query + plan.fields + plan.body
        let bearer = parts.first { $0.value.holdsPlaceholder }.map { "\"\($0.name)\"" }
        guard let bearer = bearer ?? (plan.document?.holdsPlaceholder == true ? "the body" : nil) else {
            return
        }
        throw HTTPCallRefusal(code: "placeholder", reason: SecretPlaceholder.refusal(bearer))
    }

    /// The linter has seen to it that only trusted values decide the place; here it must be one of the web.
    private static func url(
        _ registers: inout Registers, _ scope: StepScope
    ) throws(HTTPCallRefusal) -> String {
        guard let text = scope.value("url", &registers).text else {
            throw HTTPCallRefusal(code: "no_url", reason: "the URL is none that the flow may call")
        }
        var log = CheckLog()
        defer { registers.note(log) }
        do throws(EndpointURLProblem) {
            let url = try EndpointURL(text, allowLoopbackHTTP: true)
            let known = scope.provider.origins(registers.metadata[scope.providerIndex])
            if known.contains(url.origin) {
                log.pass(Checks.resourceURL)
            } else {
                log.skip(
                    Checks.resourceURL,
                    because: "\(url.origin) is no origin of the provider; the flow allowed it")
            }
            return text
        } catch {
            _ = log.failure(
                Checks.resourceURL, expected: "an https URL",
                actual: "\(RemoteText.sanitize(text, limit: 200)) \(error.rawValue)")
            throw HTTPCallRefusal(code: Checks.resourceURL.name, reason: "the URL \(error.rawValue)")
        }
    }

    // MARK: Parts

    private static func entries(
        _ name: String, _ registers: inout Registers, _ scope: StepScope
    ) -> [(name: String, value: Value)] {
        guard case .templates(let templates)? = scope.argument(name) else { return [] }
        return templates.map { ($0.name, registers.evaluate($0.code, scope.plan)) }.filter {
            !$0.value.isNull
        }
    }

    /// A list becomes as many parameters of the name.
    private static func query(
        _ registers: inout Registers, _ scope: StepScope
    ) throws(HTTPCallRefusal) -> [RequestParameter] {
        var parameters: [RequestParameter] = []
        for (name, value) in entries("query", &registers, scope) {
            guard !PortValue.holdsSecret(value) else {
                throw HTTPCallRefusal(
                    code: "secret_in_url", reason: "\"\(name)\" is secret and a URL is not (RFC 6750 §5.3)")
            }
            for item in items(value) {
                parameters.append(
                    RequestParameter(name, .text(TextForm.text(of: item)), .flow(scope.name)))
            }
        }
        return parameters
    }

    private static func items(_ value: Value) -> [Value] {
        switch value {
        case .list(let items): return items
        case .json(.array(let items)): return items.map { .json($0) }
        case .null, .bool, .int, .number, .time, .duration, .string, .json, .map, .secret: return [value]
        }
    }

    private static func setFields(
        _ plan: inout RequestPlan, _ registers: inout Registers, _ scope: StepScope
    ) {
        for (name, value) in entries("headers", &registers, scope) {
            guard name.lowercased() != "authorization", !FieldName.belongsToTransport(name) else {
                registers.notes.add(.warning("field \"\(name)\" was left out: the engine writes it itself"))
                continue
            }
            guard let text = value.text else { continue }
            plan.fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
            plan.fields.append(RequestParameter(name, .text(text), .flow(scope.name)))
        }
    }

    private static func setBody(
        _ plan: inout RequestPlan, _ registers: inout Registers, _ scope: StepScope
    ) {
        let source = ParameterSource.flow(scope.name)
        if scope.argument("json") != nil {
            plan.bodyFormat = .json
            let payload = payload(scope.value("json", &registers))
            registers.conceal(payload.secrets)
            guard case .object(let members) = payload else {
                plan.document = payload
                return
            }
            plan.body = members.map { RequestParameter($0.name, parameter($0.value), source) }
        } else if scope.argument("form") != nil {
            plan.bodyFormat = .form
            for (name, value) in entries("form", &registers, scope) {
                for item in items(value) {
                    if case .secret(let secret) = item {
                        plan.body.append(RequestParameter(name, .secret(secret), source))
                    } else {
                        plan.body.append(RequestParameter(name, .text(TextForm.text(of: item)), source))
                    }
                }
            }
        }
    }

    /// A member that is null is left out: the value was not there.
    private static func payload(_ value: Value) -> JSONPayload {
        switch value {
        case .secret(let secret): .secret(secret)
        case .list(let items): .array(items.map(payload))
        case .map(let members):
            .object(
                members.sorted { $0.key < $1.key }.filter { !$0.value.isNull }
                    .map { (name: $0.key, value: payload($0.value)) })
        case .json(.object(let object)): .object(object.map { (name: $0.key, value: .value($0.value)) })
        case .null, .bool, .int, .number, .time, .duration, .string, .json:
            .value(JSONForm.json(of: value))
        }
    }

    private static func parameter(_ payload: JSONPayload) -> ParameterValue {
        switch payload {
        case .secret(let secret): .secret(secret)
        case .value(.string(let text)): .text(text)
        case .value, .concealed, .array, .object: .json(payload)
        }
    }

    // MARK: Credentials

    private static func authenticate(
        _ plan: inout RequestPlan, _ registers: inout Registers, _ scope: StepScope
    ) throws(HTTPCallRefusal) {
        if let bearer = try bearer(&registers, scope) { plan.fields.append(bearer) }
        switch scope.value("auth", &registers).text ?? "none" {
        case "client":
            var registration = try client(&registers, scope)
            // Where there is no form to put them into, credentials go into the header.
            if plan.bodyFormat != .form, registration.authenticationMethod == .clientSecretPost {
                registration.authenticationMethod = .clientSecretBasic
            }
            ClientAuthentication.apply(registration, to: &plan)
        case "basic":
            var registration = try client(&registers, scope)
            guard registration.secret != nil else {
                throw HTTPCallRefusal(code: "no_secret", reason: "the client has no secret for auth: basic")
            }
            registration.authenticationMethod = .clientSecretBasic
            ClientAuthentication.apply(registration, to: &plan)
        case "api_key": try addKey(&plan, scope)
        default: break
        }
    }

    private static func client(
        _ registers: inout Registers, _ scope: StepScope
    ) throws(HTTPCallRefusal) -> ClientRegistration {
        do throws(RunFailure) {
            return try scope.client(&registers)
        } catch {
            throw HTTPCallRefusal(code: error.code.rawValue, reason: error.message)
        }
    }

    /// - Returns: The access token as a header field; `nil` where the step does not ask for it.
    static func bearer(
        _ registers: inout Registers, _ scope: StepScope
    ) throws(HTTPCallRefusal) -> RequestParameter? {
        guard scope.value("auth", &registers).text == "bearer" else { return nil }
        guard let set = scope.usedTokens(registers) else {
            preconditionFailure("the linter lets no step use a token set that is not set")
        }
        guard set.isPresentable else {
            throw HTTPCallRefusal(
                code: "no_bearer", reason: "the token is no access token (\(set.tokenType))")
        }
        return RequestParameter(
            "Authorization", .scheme("Bearer", set.accessToken), .step(scope.name), "RFC 6750 §2.1")
    }

    private static func addKey(_ plan: inout RequestPlan, _ scope: StepScope) throws(HTTPCallRefusal) {
        guard let key = scope.provider.extras.apiKey, !key.value.isEmpty else {
            throw HTTPCallRefusal(
                code: "no_api_key", reason: "the provider's descriptor has no api_key for auth: api_key")
        }
        let source = ParameterSource.descriptor(scope.provider.descriptor.id)
        switch key.placement {
        case .field(let name, _): plan.fields.append(RequestParameter(name, .secret(key.value), source))
        case .query(let name): plan.query.append(RequestParameter(name, .secret(key.value), source))
        case .body(let name): plan.body.append(RequestParameter(name, .secret(key.value), source))
        case .authorization(let scheme):
            plan.fields.append(RequestParameter("Authorization", .scheme(scheme, key.value), source))
        }
    }
}
