import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Synchronization

/// A world in which anything may happen: good answers full of marker secrets, refusals, losses, nonsense, silence.
///
/// The same seed gives the same world.
final class RandomWorld: EffectHandler {
    private struct State {
        var dice: Dice
        var now = ManualClock.start
        var sessions: Int64 = 1
    }

    private let state: Mutex<State>

    init(seed: Int) {
        state = Mutex(State(dice: Dice(seed)))
    }

    func now() -> Int64 { state.withLock { $0.now } }

    func begin() -> RunIdentity {
        RunIdentity(runID: "run-1", seed: 1, traceKey: Array("key of the trace".utf8))
    }

    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        state.withLock { state in
            state.now += Int64(state.dice.roll(500))
            return answer(request, &state)
        }
    }

    private func answer(_ request: EffectRequest, _ state: inout State) -> InputEvent {
        switch request.effect {
        case .randomness(let count):
            return .randomness((0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) })
        case .newKey:
            return .key(Secret(TestKey.pem, kind: .other))
        case .http(let exchange): return http(exchange, &state)
        case .openRedirect:
            return state.dice.chance(95)
                ? .redirectOpened(uri: "http://127.0.0.1:5000/callback") : .redirectFailed(reason: "taken")
        case .present, .presentCode:
            return state.dice.chance(90) ? .presented(how: "a browser") : .headless(reason: "no display")
        case .awaitCallback: return callback(&state)
        case .awaitEvent: return state.dice.chance(70) ? .event(["text": "news"]) : .eventTimedOut
        case .recallMetadata: return .nothingKept
        case .recallKeys:
            // A key set that the test could not make is one that is not kept.
            guard state.dice.chance(70), let keys = try? TestKey.keys() else { return .nothingKept }
            return .keys(keys, DocumentOrigin(url: "", fetchedAt: state.now))
        case .loadSession: return session(&state)
        case .saveSession:
            return state.dice.pick([
                .saved(generation: 2), .saved(generation: 3), .conflict, .storeFailed(reason: "full"),
            ])
        case .deleteSession: return state.dice.chance(80) ? .done : .storeFailed(reason: "locked")
        case .lock: return state.dice.chance(85) ? .locked : .lockTimedOut(holder: "another process")
        case .sleep(let until), .awaitDecision(let until, _):
            state.now = max(state.now, until)
            return .woke
        case .hook(let call): return .hook(hook(call, &state))
        case .call(let call):
            let outcome = state.dice.chance(85) ? state.dice.pick(call.row.outcomes) : "port_failed"
            return .port(PortReply(outcome, fields: ["reply": .string("text")]))
        case .keepMetadata, .keepKeys, .unlock, .conclude: return .done
        }
    }

    /// Any answer: what the point allows, what it does not, a failure.
    private func hook(_ call: HookCall, _ state: inout State) -> HookReply {
        var reply = HookReply()
        if state.dice.chance(50) { return reply }
        switch state.dice.roll(12) {
        case 0: return .failed("down")
        case 1: reply.decision = .abort(message: "no more")
        case 2: reply.decision = .goto(state.dice.pick(["failed", "stopped", "done"]))
        case 3: reply.decision = .skip
        case 4: reply.decision = .veto
        case 5: reply.arguments = [state.dice.pick(["prompt", "state", "login_hint"]): "login"]
        case 6: reply.headers = [state.dice.pick(["x-tag", "authorization", "user-agent"]): "tag"]
        case 7: reply.query = [state.dice.pick(["x-tag", "state"]): "tag"]
        case 8:
            reply.outcome = state.dice.pick(["ok", "rejected", "invalid_grant", "state_mismatch", "network"])
        case 9: reply.isPresented = state.dice.chance(50)
        case 10: reply.meta = ["label": "one"]
        default: reply.assignments = [state.dice.pick(["vars.count", "vars.word"]): 3]
        }
        return reply
    }

    private func callback(_ state: inout State) -> InputEvent {
        state.now += Int64(state.dice.roll(20_000))
        return switch state.dice.roll(10) {
        case 0: .callbackTimedOut(refused: state.dice.roll(2))
        case 1: .callbackCancelled
        case 2: Scripts.answer([("state", "another state")])
        case 3: Scripts.answer([("iss", "https://evil.example")])
        case 4:
            Scripts.answer([
                ("code", nil),
                ("error", state.dice.pick(["access_denied", "login_required", "server_error"])),
            ])
        default: Scripts.answer()
        }
    }

    private func session(_ state: inout State) -> InputEvent {
        state.sessions += 1
        return switch state.dice.roll(6) {
        case 0: .noSession
        case 1: .sessionCorrupt(reason: "unreadable")
        case 2: .session(StoredSession(bytes: StoredTokens.expired.bytes, generation: state.sessions))
        case 3: .session(StoredSession(bytes: Array("no session".utf8), generation: state.sessions))
        default: .session(StoredSession(bytes: StoredTokens().bytes, generation: state.sessions))
        }
    }

    private func http(_ exchange: HTTPExchange, _ state: inout State) -> InputEvent {
        state.now += Int64(state.dice.roll(3_000))
        switch state.dice.roll(12) {
        case 0: return Answers.lost(state.dice.chance(50) ? .notDelivered : .perhapsDelivered)
        case 1: return Answers.text(200, "<html>\(Markers.accessToken)</html>")
        case 2:
            let errors = [
                "invalid_grant", "invalid_client", "server_error", "access_denied", "authorization_pending",
            ]
            return Answers.json(state.dice.pick([400, 401]), ["error": .string(state.dice.pick(errors))])
        case 3:
            return Answers.json(
                state.dice.pick([302, 403, 404, 429, 500, 502, 503]), [:], retryAfter(&state))
        default: return good(exchange, &state)
        }
    }

    private func retryAfter(_ state: inout State) -> [HTTPField] {
        state.dice.chance(50) ? [HTTPField("Retry-After", String(state.dice.roll(60)))] : []
    }

    private func good(_ exchange: HTTPExchange, _ state: inout State) -> InputEvent {
        switch exchange.purpose {
        case .discovery:
            return Answers.metadata(state.dice.chance(80) ? [:] : ["issuer": "https://evil.example"])
        case .jwks: return Answers.json(200, (try? TestKey.set())?.objectValue ?? [:])
        case .userinfo:
            return state.dice.chance(85) ? Answers.person : Answers.json(200, ["sub": "somebody else"])
        case .revocation: return Answers.json(200)
        case .pushedAuthorization:
            return Answers.json(201, ["request_uri": "urn:example:request", "expires_in": 60])
        case .introspection:
            return Answers.json(200, ["active": .bool(state.dice.chance(80)), "sub": "person-1"])
        case .deviceAuthorization:
            return Answers.json(
                200,
                [
                    "device_code": "marker/device-code+1", "user_code": "ABCD-EFGH",
                    "verification_uri": "https://p.example/activate", "expires_in": 600, "interval": 1,
                ])
        case .http: return Answers.json(200, ["value": .string("text")])
        case .token, .deviceToken: return signedIn(&state)
        case .refresh:
            return state.dice.chance(50) ? Answers.renewed() : Answers.tokens(["refresh_token": .null])
        case .registration:
            return Answers.json(
                201,
                ["client_id": "new-client", "client_secret": .string(Markers.clientSecret)])
        case .clientCredentials, .tokenExchange, .jwtBearer:
            return Answers.tokens(["issued_token_type": "urn:ietf:params:oauth:token-type:access_token"])
        }
    }

    private func signedIn(_ state: inout State) -> InputEvent {
        let claims: JSONObject =
            switch state.dice.roll(6) {
            case 0: ["aud": "another client"]
            case 1: ["nonce": "another nonce"]
            default: [:]
            }
        // Without an ID token where the test's own key fails.
        return (try? Answers.signedIn(claims)) ?? Answers.tokens()
    }
}
