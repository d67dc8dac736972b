import FlowLive
import OAuthProtocol

/// Opens the address of a sign-in and follows its redirects, as a browser would.
final class AddressBrowser: Sendable {
    private let loop: CurlLoop

    init() throws {
        loop = try CurlLoop()
    }

    func close() { loop.shutDown() }

    /// Looks for the address in a text of the command.
    func read(_ text: String) {
        guard let match = text.firstMatch(of: /http:[^ "\n]*\/authorize\?[^ "\n]*/) else { return }
        let url = String(match.output)
        Task { await open(url) }
    }

    private func open(_ url: String) async {
        var next: String? = url
        while let url = next {
            let request = HTTPRequest(method: .get, url: url, fields: [])
            guard case .success(let response) = await CurlTransport(loop: loop).send(request) else { return }
            next = response.field("Location").flatMap { $0.hasPrefix("http") ? $0 : nil }
        }
    }
}
