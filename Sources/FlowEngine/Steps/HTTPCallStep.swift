internal import FlowLanguage
internal import OAuthProtocol

/// Calls an endpoint that no other kind knows (flow/1 §8).
struct HTTPCallStep: StepWork {
    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        let answer = HTTPCallAnswer(scope)
        if scope.argument("operation") != nil { return call(&registers, scope) }
        do throws(HTTPCallRefusal) {
            let plan = try HTTPCallRequest.plan(&registers, scope)
            let bound =
                scope.value("auth", &registers).text == "bearer" ? scope.usedTokens(registers)?.proofKey : nil
            return HTTPStep.send(
                plan, .http, &registers, scope, sample: answer.sample,
                proof: bound.map { KeyProof(key: $0, server: .resource) })
        } catch {
            return .finish(.failed(.rejected, error.code, error.reason))
        }
    }

    /// A request that the descriptor describes under `operations`.
    private func call(
        _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        guard let operation = scope.operation(&registers) else {
            return .finish(
                .failed(.rejected, "no_operation", "the descriptor has no operation of that name"))
        }
        var sample = HTTPCallAnswer(scope, readBy: operation).sample
        sample.example = operation.example
        let tokens = scope.usedTokens(registers)
        let bearer: RequestParameter?
        do throws(HTTPCallRefusal) {
            bearer = try HTTPCallRequest.bearer(&registers, scope)
        } catch {
            return .finish(.failed(.rejected, error.code, error.reason))
        }
        return scope.send(
            operation.request, to: nil, .http, tokens: tokens, sample: sample, &registers
        ) { endpoint, client, dialect in
            var plan = RequestPlan(
                method: .get, endpoint: endpoint,
                fields: [
                    RequestParameter("Accept", .text("application/json"), .specification, "RFC 9110 §12.5.1")
                ])
            if let bearer { plan.fields.append(bearer) }
            if let grant = dialect.grantType { plan.body.append(grant) }
            if dialect.method?.hasContent == true { plan.bodyFormat = .form }
            if operation.request.authenticationMethod != nil {
                ClientAuthentication.apply(
                    client, includesClientID: dialect.includesClientID, to: &plan)
            }
            return plan.assembled(with: dialect)
        }
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        let operation = scope.operation(&registers)
        return .finish(HTTPCallAnswer(scope, readBy: operation).read(event, &registers))
    }
}

extension StepScope {
    /// The descriptor's operation that the step names.
    fileprivate func operation(_ registers: inout Registers) -> OperationFacts? {
        guard let name = value("operation", &registers).text else { return nil }
        return provider.descriptor.operations.first { $0.name == name }?.operation
    }

    /// The set that `use` names, or `main`; `nil` when there is none yet.
    func usedTokens(_ registers: Registers) -> TokenSet? {
        let index: Int?
        if case .tokenSet(let given)? = argument("use") {
            index = given
        } else {
            index = plan.program.tokenSets.firstIndex { $0.name == "main" }
        }
        return index.flatMap { registers.tokenSets[$0] }
    }
}

/// Why a request is not sent.
struct HTTPCallRefusal: Error, Sendable, Hashable {
    let code: String
    let reason: String
}
