internal import FlowEngine

/// A request with what came of it.
struct Exchange: Sendable {
    enum Answer: Sendable {
        case response(TracedResponse, at: Int64)
        case failure(cause: String, delivered: Bool, message: String, at: Int64)
    }

    let request: TracedRequest
    /// The number of the request's event.
    let sequence: Int
    /// Milliseconds since 1970.
    let sentAt: Int64
    /// Which attempt of the step it belongs to, from 1.
    let attempt: Int
    /// `nil` for a request that somebody else sends, such as a browser.
    var answer: Answer?
    var tokens: [TracedToken] = []
    var checks: [TracedCheck] = []

    /// Whether a person's browser sends it: nothing is seen of what comes back.
    var isBrowser: Bool { request.purpose == "authorization" }

    var response: TracedResponse? {
        if case .response(let response, _) = answer { response } else { nil }
    }

    /// Whether the answer says that a person has not decided yet (RFC 8628 §3.5).
    var isPending: Bool {
        let error = response?.members.first { $0.name == "error" }?.value.plain
        return error == "authorization_pending" || error == "slow_down"
    }

    /// Milliseconds from the request to the end of the answer, as far as it is known.
    var duration: Int64 {
        switch answer {
        case .response(let response, let time): response.duration ?? time - sentAt
        case .failure(_, _, _, let time): time - sentAt
        case nil: 0
        }
    }

    /// Milliseconds of it that are known to be the network's.
    var networkTime: Int64 {
        switch answer {
        case .response(let response, _): response.duration ?? 0
        case .failure: duration
        case nil: 0
        }
    }

    /// `/oauth2/token`
    var path: String { URLText.path(request.endpoint) }

    var host: String { TracedWords.host(request.endpoint) }
}

extension TraceEvent {
    /// The request of an `http` hook, as far as the trace tells it: neither what it was told nor what it said.
    var hookExchange: Exchange? {
        guard let hook, let url = hook.url, let duration = hook.duration else { return nil }
        let request = TracedRequest(
            purpose: "hook", method: "POST", endpoint: url, query: [], fields: [], body: [],
            bodyFormat: "none")
        var exchange = Exchange(
            request: request, sequence: sequence, sentAt: time - duration, attempt: hook.attempt)
        if let status = hook.status {
            let response = TracedResponse(
                status: status, contentType: nil, bytes: -1, members: [], duration: duration)
            exchange.answer = .response(response, at: time)
        } else {
            exchange.answer = .failure(
                cause: "hook", delivered: true, message: hook.message ?? "no answer", at: time)
        }
        return exchange
    }
}
