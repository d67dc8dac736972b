package import FlowEngine
internal import FlowLanguage
internal import OAuthProtocol

/// Waits that nobody would know the reason of.
extension LiveEffects {
    /// Performs an effect, and tells what is waited for if that takes a while.
    package func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        guard let patience = configuration.tellsWaitsAfter, let wait = slowWait(request) else {
            return await answer(request, events)
        }
        let left = wait.until - now()
        if case .sleep = request.effect {
            if left >= patience { Self.tell(wait, events) }
            return await answer(request, events)
        }
        // One that is over by then is told by its end.
        guard left > patience else { return await answer(request, events) }
        return await SlowWork.run(tellingAfter: patience, { Self.tell(wait, events) }) {
            await answer(request, events)
        }
    }

    private static func tell(_ wait: SlowWait, _ events: any EffectEvents) {
        events.report(.waiting(forWhat: wait.what, until: wait.until))
    }

    /// What may take long and tells nothing by itself; `nil` also where a person is waited for meanwhile.
    private func slowWait(_ request: EffectRequest) -> SlowWait? {
        guard request.kind != .devicePoll else { return nil }
        switch request.effect {
        case .http(let exchange):
            return SlowWait(
                what: "\(exchange.request.hostWords) to answer the \(exchange.purpose.words)",
                until: now() + Int64(timeout(of: exchange)))
        case .hook(let call): return SlowWait(what: "hook \(call.hook)", until: now() + call.timeout)
        case .call(let call):
            return SlowWait(what: "the answer of port \(call.port)", until: now() + call.timeout)
        case .sleep(let until):
            let what =
                request.kind == .wait
                ? "the pause of step \(request.step) to end" : "the next attempt of step \(request.step)"
            return SlowWait(what: what, until: until)
        case .randomness, .newKey, .openRedirect, .present, .awaitCallback, .conclude, .recallMetadata,
            .keepMetadata, .recallKeys, .keepKeys, .loadSession, .saveSession, .deleteSession, .lock, .unlock,
            .awaitDecision, .presentCode, .awaitEvent:
            return nil
        }
    }
}

extension HTTPRequest {
    /// Where it goes, for a sentence.
    var hostWords: String {
        (try? EndpointURL(url, allowLoopbackHTTP: true))?.hostName ?? "the server"
    }
}

extension HTTPExchange.Purpose {
    /// What is asked for, for a sentence.
    var words: String {
        switch self {
        case .http: "request"
        case .discovery, .jwks, .token, .refresh, .userinfo, .revocation, .introspection,
            .deviceAuthorization, .deviceToken, .clientCredentials, .tokenExchange, .jwtBearer, .registration,
            .pushedAuthorization:
            "\(rawValue.replacing("_", with: " ")) request"
        }
    }
}
