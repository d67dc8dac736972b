import OAuthProtocol
import Testing

@testable import FlowLive

/// The browser of a visitor, as far as a redirect.
enum VisitorBrowser {
    /// Where the provider sends the browser.
    static func followed(_ url: String) async throws -> String {
        let loop = try CurlLoop()
        defer { loop.shutDown() }
        let answer = try await CurlTransport(loop: loop)
            .send(HTTPRequest(method: .get, url: url, fields: [])).get()
        return try #require(answer.field("Location"))
    }
}

struct TestFailure: Error {
    let words: String
    init(_ words: String) { self.words = words }
}
