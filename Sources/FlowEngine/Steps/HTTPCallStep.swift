internal import FlowLanguage

/// Calls an endpoint that no other kind knows (flow/1 §8).
struct HTTPCallStep: Sendable {
    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        do throws(HTTPCallRefusal) {
            let plan = try HTTPCallRequest.plan(&registers, scope)
            return HTTPStep.send(plan, .http, &registers, scope, sample: HTTPCallAnswer(scope).sample)
        } catch {
            return .finish(.failed(.rejected, error.code, error.reason))
        }
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        .finish(HTTPCallAnswer(scope).read(event, &registers))
    }
}

/// Why a request is not sent.
struct HTTPCallRefusal: Error, Sendable, Hashable {
    let code: String
    let reason: String
}
