internal import FlowEngine
internal import OAuthProtocol

extension RequestPlan {
    /// Whether the URL that a browser is to open is worth something to whoever reads it off the list of processes.
    ///
    /// What an authorization request bears beside is of use to this run only: `state` and `nonce` are compared, not
    /// presented, and a request object or the `request_uri` of one is for the client that made it.
    var hasSecretURL: Bool {
        query.contains { parameter in
            switch parameter.value {
            case .secret(let secret), .basic(_, let secret), .scheme(_, let secret): secret.kind.isLasting
            case .text, .json: false
            }
        }
    }
}

extension Secret.Kind {
    /// Whether it can be used by others, or after the request that it was made for.
    fileprivate var isLasting: Bool {
        switch self {
        case .state, .nonce, .dpopProof, .requestObject, .requestURI: false
        case .accessToken, .refreshToken, .idToken, .code, .codeVerifier, .clientSecret, .clientAssertion,
            .deviceCode, .authorization, .assertion, .registrationAccessToken, .other:
            true
        }
    }
}

/// Opening the system's browser at a URL that no list of processes may show.
extension LiveEffects {
    /// How long a browser may take to ask for the page it was opened with, in milliseconds; a cold start takes seconds.
    private static let arrivalMilliseconds = 15_000

    /// Opens the browser at a page of this machine that sends it on, and waits until it has.
    ///
    /// - Parameter deadline: Milliseconds since 1970.
    func handOver(
        _ url: String, until deadline: Int64, environment: [(String, String)], _ events: any EffectEvents
    ) async -> BrowserShowing {
        let page: BrowserHandOver
        do throws(ServerError) {
            page = try BrowserHandOver.open(to: url)
        } catch {
            let words = "the browser was not opened, its program would show the address to others: \(error)"
            events.report(.warning(words))
            return BrowserShowing(trouble: words)
        }
        defer { page.close() }
        let outcome = await SystemBrowser.open(
            page.url, command: configuration.browserCommand, environment: environment,
            whenSeen: page.whenTaken)
        let showing = showing(of: outcome, events)
        guard showing.program != nil else { return showing }
        let patience = min(Int64(Self.arrivalMilliseconds), max(0, deadline - now()))
        if await page.isTaken(withinMilliseconds: Int(patience)) { return showing }
        let words = "the browser has not asked for the page that sends it on"
        events.report(.warning(words))
        return BrowserShowing(trouble: words)
    }
}
