internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import OAuthProtocol

/// A rehearsal whose hooks are run where they stay on this machine: programs, and servers at its loopback address.
///
/// What they are told is the sandbox's. The others are simulated as in any rehearsal.
struct RehearsedHooks: EffectHandler {
    let planned: PlannedEffects
    let live: LiveEffects

    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        guard case .hook(let call) = request.effect, Self.staysHere(call) else {
            return await planned.perform(request, events: events)
        }
        return await live.perform(request, events: events)
    }

    private static func staysHere(_ call: HookCall) -> Bool {
        switch call.action {
        case .exec: true
        case .http(let endpoint):
            (try? EndpointURL(endpoint.url, allowLoopbackHTTP: true))?.isLoopback == true
        case .set, .assert, .map, .emit, .native: false
        }
    }

    func now() -> Int64 { planned.now() }

    func begin() -> RunIdentity { planned.begin() }
}
