internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Makes a client known to the provider (RFC 7591).
struct RegisterStep: StepWork {
    private var search = EndpointSearch(\.registrationEndpoint, "registration_endpoint")
    /// What was sent, and where.
    private var asked: (metadata: ClientMetadata, endpoint: String)?

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        continued(search.start(&registers, scope), &registers, scope)
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        guard let asked else {
            return continued(search.resume(event, &registers, scope), &registers, scope)
        }
        return .finish(read(event, asked.metadata, asked.endpoint, &registers))
    }

    private mutating func continued(
        _ progress: EndpointSearch.Progress, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .action(let action): return action
        case .found(let endpoint, _):
            do throws(RunFailure) {
                let metadata = try scope.clientMetadata(&registers)
                let token = HookValue.secret(scope.value("initial_access_token", &registers)).map {
                    Secret($0.reveal(), kind: .registrationAccessToken)
                }
                registers.conceal([token].compactMap(\.self))
                asked = (metadata, endpoint)
                return HTTPStep.send(
                    ClientRegistrationRequest.plan(
                        endpoint: endpoint, metadata: metadata, initialAccessToken: token, step: scope.name),
                    .registration, &registers, scope)
            } catch {
                return .fail(error)
            }
        }
    }

    private func read(
        _ event: InputEvent, _ metadata: ClientMetadata, _ endpoint: String, _ registers: inout Registers
    ) -> StepResult {
        let response: HTTPResponse
        switch HTTPStep.reply(event, &registers, burning: true) {
        case .trouble(let result): return result
        case .answer(let answer): response = answer
        }
        var log = CheckLog()
        defer { registers.note(log) }
        do throws(ProtocolError) {
            let client = try RegisteredClient.created(
                response, endpoint: endpoint, asked: metadata, now: registers.now, log: &log)
            for reservation in client.reservations {
                registers.notes.add(.warning("the client is registered, but \(reservation)"))
            }
            registers.conceal([client.secret, client.management?.token].compactMap(\.self))
            return result(client)
        } catch {
            var result = HTTPStep.result(of: error, .token, registers.now, response, burning: true)
            // Nobody authenticates as a client here: what is refused is the initial access token.
            if response.status == 401 || response.status == 403 { result.outcome = .unauthorized }
            if let id = RegisteredClient.identifier(in: response) {
                registers.notes.add(
                    .warning(
                        "the provider has made the client \(id), which is not kept here: delete it there"))
                result.description =
                    "the provider has made the client \(id) and answered with what cannot be used: "
                    + (result.description ?? "")
            }
            return result.withoutGrant()
        }
    }

    /// In the order of the kind table.
    private func result(_ client: RegisteredClient) -> StepResult {
        let expiry = client.secretExpiresAt.flatMap { seconds in
            let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
            return overflow ? nil : milliseconds
        }
        return StepResult(
            .ok,
            fields: [
                .string(client.clientID), client.secret.map(Value.secret) ?? .null,
                expiry.map(Value.time) ?? .null, .string(client.authenticationMethod.rawValue),
                client.management.map { .string($0.uri) } ?? .null,
                client.management.map { .secret($0.token) } ?? .null, .json(.object(client.metadata)),
            ])
    }
}
