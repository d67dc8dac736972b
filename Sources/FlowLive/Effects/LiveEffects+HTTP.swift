internal import FlowEngine
internal import OAuthProtocol

/// Exchanges: libcurl's answers and failures in the engine's words.
extension LiveEffects {
    func send(
        _ exchange: HTTPExchange, _ provider: BoundProvider?, _ events: any EffectEvents
    ) async -> InputEvent {
        let timeout = timeout(of: exchange)
        let limits = TransferLimits(
            timeoutMilliseconds: timeout, connectTimeoutMilliseconds: max(1, timeout / 3),
            maxBodyBytes: exchange.maximumBytes, policy: provider?.policy(for: exchange.purpose),
            reach: provider?.reach(of: exchange) ?? .declared)
        let begin = MonotonicClock.milliseconds()
        let report = await published.exchange(
            exchange.request, limits, issuerHost: provider?.connections.issuerHost)
        for event in report.events { events.report(.security(event)) }
        switch report.result {
        case .success(let response):
            let total = MonotonicClock.milliseconds() - begin
            return .answered(response, ExchangeTiming(total: total, phases: report.phases))
        case .failure(let failure):
            let delivery: TransportTrouble.Delivery =
                failure.delivery == .notDelivered ? .notDelivered : .perhapsDelivered
            if failure.kind == .cancelled { return .cancelled(delivery: delivery) }
            return .unanswered(
                TransportTrouble(
                    delivery: delivery,
                    cause: Self.cause(failure.kind), message: failure.message,
                    isRefusal: Self.isRefusal(failure.kind, limits.policy)))
        }
    }

    /// In milliseconds.
    func timeout(of exchange: HTTPExchange) -> Int {
        Int(min(exchange.timeout, max(1, configuration.httpTimeout ?? .max)))
    }

    /// How long a run that is to end still waits for what became of a refresh token, in milliseconds.
    private static let patience: Int64 = 5_000

    /// The same, and once the run is cancelled the answer is waited for a little: without it nobody knows whether the
    /// stored session can be renewed.
    func sendPatiently(
        _ exchange: HTTPExchange, _ provider: BoundProvider?, _ events: any EffectEvents
    ) async -> InputEvent {
        let work = Task { await send(exchange, provider, events) }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            let end = now() + Self.patience
            events.report(
                .waiting(forWhat: "the provider's answer: the refresh token has been sent", until: end))
            Task {
                // Nothing cancels the sleep; should it end early, so does the wait.
                try? await Sleep.until(end)
                work.cancel()
            }
        }
    }

    /// Whether a rule of the policy or of the address ended it, and not the usual verification.
    private static func isRefusal(_ kind: TransportFailure.Kind, _ policy: ConnectionPolicy?) -> Bool {
        switch kind {
        case .policy, .address: true
        case .tls(.version): policy?.tls.minimumVersion == .v1_3
        case .tls, .unprepared, .resolve, .connect, .proxy, .proxyCredentials, .timeout, .reset, .truncated,
            .bodyTooLarge, .headersTooLarge, .compressed, .protocolError, .invalidRequest, .cancelled:
            false
        }
    }

    private static func cause(_ kind: TransportFailure.Kind) -> String {
        switch kind {
        case .resolve: "resolve"
        case .connect: "connect"
        case .unprepared: "unprepared"
        case .proxy: "proxy"
        case .proxyCredentials: "proxy_credentials"
        case .tls(let reason): "tls_\(reason.word.replacing("-", with: "_"))"
        case .timeout: "timeout"
        case .reset: "reset"
        case .truncated: "truncated"
        case .bodyTooLarge: "too_large"
        case .headersTooLarge: "headers_too_large"
        case .compressed: "compressed"
        case .policy(let rule): rule.rawValue.replacing("-", with: "_")
        case .address: "address_refused"
        case .protocolError: "not_http"
        case .invalidRequest: "invalid_request"
        case .cancelled: "cancelled"
        }
    }
}

/// The proxy variables that curl users know, taken from what the caller handed in.
enum ProxyVariables {
    static func configuration(_ live: LiveConfiguration) -> TransportConfiguration {
        configuration(live.environment, caFile: live.caFile)
    }

    static func configuration(
        _ environment: [String: String], caFile: String? = nil
    ) -> TransportConfiguration {
        // One that is empty is how some places say that there is none.
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        return TransportConfiguration(
            caFile: caFile ?? variable("SSL_CERT_FILE"),
            caDirectory: variable("SSL_CERT_DIR") ?? "/etc/ssl/certs",
            proxy: names.lazy.compactMap(variable).first,
            noProxy: environment["no_proxy"] ?? environment["NO_PROXY"])
    }
}
