internal import FlowSandbox
internal import OAuthProtocol
internal import Synchronization

/// Follows the redirects of a page, and forms that send themselves, until nothing leads on any more, the loopback listener
/// of the run included.
final class PagelessBrowser: BrowserPresenter {
    /// Of all pages that are open at once: a test may have thousands of runs, and the system few descriptors.
    private let loop = Mutex(SharedLoop())

    var redirectURI: String? { nil }

    private func enter() throws(CurlUnavailable) -> CurlLoop {
        try loop.withLock { loop throws(CurlUnavailable) in
            try loop.enter { () throws(CurlUnavailable) in try CurlLoop() }
        }
    }

    private func leave() {
        let abandoned = loop.withLock { $0.leave() }
        abandoned?.shutDown()
    }

    func present(_ page: BrowserPage) async -> BrowserPresentation {
        let loop: CurlLoop
        do throws(CurlUnavailable) {
            loop = try enter()
        } catch {
            return .unavailable(reason: error.description)
        }
        let transport = CurlTransport(loop: loop)
        let next: HTTPRequest?
        do throws(Unanswered) {
            next = try await Self.redirect(
                of: HTTPRequest(method: .get, url: page.url, fields: []), transport)
        } catch {
            leave()
            return .unavailable(reason: "the sandbox \(error.reason)")
        }
        // What is under way is shown; the answer comes to the listener, which ends the wait.
        Task {
            await Self.follow(next, transport)
            leave()
        }
        return .shown(by: "the sandbox")
    }

    func dismiss() async {}

    /// Why an address leads nowhere.
    private struct Unanswered: Error {
        /// Behind whoever was asked.
        let reason: String
    }

    /// What a request leads to; `nil` for a page.
    private static func redirect(
        of request: HTTPRequest, _ transport: CurlTransport
    ) async throws(Unanswered) -> HTTPRequest? {
        switch await transport.send(request) {
        case .failure(let failure): throw Unanswered(reason: "does not answer: \(failure.message)")
        case .success(let answer) where answer.status >= 400:
            throw Unanswered(
                reason: "refuses the request: "
                    + (ErrorPage.reason(of: answer) ?? "status \(answer.status)"))
        case .success(let answer):
            if let form = FormPostPage(answer) {
                return HTTPRequest(
                    method: .post, url: form.redirectURI,
                    fields: [HTTPField("Content-Type", FormBody.contentType)],
                    body: FormBody.encode(form.parameters))
            }
            let origin = request.url.split(separator: "/", omittingEmptySubsequences: false).prefix(3)
            return answer.field("Location").map {
                let place = $0.hasPrefix("/") ? origin.joined(separator: "/") + $0 : $0
                return HTTPRequest(method: .get, url: place, fields: [])
            }
        }
    }

    private static func follow(_ start: HTTPRequest?, _ transport: CurlTransport) async {
        var request = start
        // A browser gives up after 20 (Fetch §4.4).
        for _ in 0..<20 {
            // What cannot be had ends it; the run waits for its answer as for any person's.
            guard let step = request, let next = try? await redirect(of: step, transport) else { return }
            request = next
        }
    }
}
