package import FlowEngine
internal import FlowLanguage
package import FlowSandbox
internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// The sandbox in the places of a rehearsal's providers, with a person who agrees to everything.
///
/// Nothing is sent: requests are handed over as they would arrive, under the providers' own addresses.
package final class SandboxCounterpart: RehearsalCounterpart {
    /// Where the browser is, and what is awaited of it.
    private struct Visit {
        let expectation: CallbackExpectation?
        let place: BrowserPlace
    }

    private enum BrowserPlace {
        case returned([(name: String, value: String)])
        /// A page that leads nowhere, and why.
        case refused(String)
        /// A page on which a person would go on.
        case page
    }

    private let players: [(provider: BoundProvider, standIn: StandIn)]
    private let visit = Mutex<Visit?>(nil)

    /// - Parameters:
    ///   - redirectURI: The registered one, for requests that name none.
    ///   - faults: What goes wrong on purpose, at each of them.
    ///   - seed: The same one makes the same tokens.
    /// - Throws: When the cryptographic library fails.
    package convenience init(
        _ providers: [BoundProvider], redirectURI: String?, faults: [Fault] = [], seed: UInt64 = 1
    ) throws(SandboxError) {
        let keys = try SandboxKeys(RehearsalKey.pair)
        let source = SeededBytes(seed)
        // A rehearsal opens no port.
        let redirectURI = redirectURI ?? "http://127.0.0.1:PORT/callback"
        let configuration = SandboxConfiguration(issuer: "", mode: .automatic, faults: faults)
        self.init(
            providers.map { provider in
                let standIn = StandIn(
                    provider, at: nil, redirectURI: redirectURI, client: provider.registration.clientID,
                    configuration, keys: keys, random: { source.next($0) })
                return (provider, standIn)
            })
    }

    /// - Parameter players: Who plays whom.
    package init(_ players: [(provider: BoundProvider, standIn: StandIn)]) {
        self.players = players
    }

    /// A run may bind a client anew that it has registered.
    private func standIn(_ provider: BoundProvider) -> StandIn? {
        let player =
            players.first { $0.provider === provider }
            ?? players.first { $0.provider.descriptor.id == provider.descriptor.id }
        return player?.standIn
    }

    package func answer(
        _ exchange: HTTPExchange, _ provider: BoundProvider, now: inout Int64
    ) -> CounterpartReply {
        guard let standIn = standIn(provider) else { return CounterpartReply(nil) }
        // Addresses of metadata that nobody spoils stay visibly made up.
        guard exchange.purpose != .discovery || standIn.spoilsMetadata else { return CounterpartReply(nil) }
        let request = exchange.request
        let asked = Self.received(
            request.url, request.method.rawValue, request.fields, request.body ?? [], standIn)
        guard let reply = standIn.reply(to: asked, now: now) else {
            return CounterpartReply(nil, remark: "the sandbox is not asked there: the answer is made up")
        }
        return CounterpartReply(Self.event(reply, exchange, now: &now))
    }

    private static func event(
        _ reply: SandboxReply, _ exchange: HTTPExchange, now: inout Int64
    ) -> InputEvent {
        let lost = { (cause: String, message: String) in
            InputEvent.unanswered(
                TransportTrouble(delivery: .perhapsDelivered, cause: cause, message: message))
        }
        if let response = reply.response, response.body.count > exchange.maximumBytes {
            return lost("too_large", "the response is larger than allowed")
        }
        switch reply {
        case .send(let response): return .answered(response, nil)
        case .delay(let milliseconds, let response):
            now += min(Int64(milliseconds), exchange.timeout)
            if milliseconds >= exchange.timeout { return lost("timeout", "no answer came in time") }
            return .answered(response, ExchangeTiming(total: Int64(milliseconds)))
        case .closeWithoutAnswer: return lost("reset", "the connection ended before a response began")
        case .truncate: return lost("truncated", "the response ended before its announced length")
        }
    }

    package func open(_ presentation: Presentation, _ provider: BoundProvider, now: Int64) {
        guard let standIn = standIn(provider) else { return }
        let asked = Self.received(presentation.url, "GET", [], [], standIn)
        let response = standIn.reply(to: asked, now: now)?.response
        let expectation = presentation.state.map {
            CallbackExpectation(
                state: $0.reveal(), dialect: presentation.dialect, seal: presentation.seal,
                demand: presentation.demand)
        }
        let place = response.map(Self.place) ?? .page
        visit.withLock { $0 = Visit(expectation: expectation, place: place) }
    }

    /// Where an answer takes the browser.
    private static func place(_ answer: HTTPResponse) -> BrowserPlace {
        if let location = answer.field("Location") {
            let rest = location.firstIndex { $0 == "?" || $0 == "#" }.map {
                location[location.index(after: $0)...]
            }
            return .returned(QueryItems.received(rest ?? ""))
        }
        if let form = FormPostPage(answer) { return .returned(form.parameters) }
        if let reason = ErrorPage.reason(of: answer) { return .refused(reason) }
        return answer.status < 400 ? .page : .refused("status \(answer.status)")
    }

    package func callback(
        _ wait: CallbackWait, _ provider: BoundProvider, now: inout Int64
    ) -> CounterpartReply {
        let visit = visit.withLock { visit in
            defer { visit = nil }
            return visit
        }
        switch visit?.place {
        case .returned(let parameters):
            if let fault = visit?.expectation?.fault(in: parameters) {
                now = wait.until
                return CounterpartReply(
                    .callbackTimedOut(refused: 1),
                    remark: "what the browser brought is no answer: \(fault.words)")
            }
            return CounterpartReply(.callback(parameters, channel: wait.channels.first ?? "loopback"))
        case .refused(let reason):
            now = wait.until
            return CounterpartReply(
                .callbackTimedOut(refused: 0), remark: "the sandbox refuses the request on a page: \(reason)")
        case .page, nil: return CounterpartReply(nil)
        }
    }

    package func adopt(_ tokens: TokenSet, _ provider: BoundProvider, now: Int64) {
        standIn(provider)?.adopt(tokens, now: now)
    }

    /// A request as it would arrive at the stand-in.
    private static func received(
        _ url: String, _ method: String, _ fields: [HTTPField], _ body: [UInt8], _ standIn: StandIn
    ) -> ServerRequest {
        var url = url
        // The page behind it hands its fragment on by a script.
        if let fragment = standIn.descriptor.authorization.fragment {
            url = url.replacing("#\(fragment)", with: "")
        }
        let parts = url.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1).map(String.init)
        var path = standIn.path(of: parts[0])
        // The place of an address that a rehearsal makes up, as `(token_endpoint)`.
        if let name = path.split(separator: "/").last,
            let route = Route.ofProviders.first(where: { "(\($0.member))" == name })
        {
            path = String(path.dropLast(name.count + 1)) + route.rawValue
        }
        return ServerRequest(
            method: method, path: path, query: parts.count > 1 ? parts[1] : nil, fields: fields, body: body)
    }
}

/// Unpredictable to nobody, and different each time.
private final class SeededBytes: Sendable {
    private let generator: Mutex<SplitMix64>

    init(_ seed: UInt64) {
        generator = Mutex(SplitMix64(seed: seed))
    }

    func next(_ count: Int) -> [UInt8] {
        generator.withLock { generator in (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        }
    }
}
