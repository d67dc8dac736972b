import OAuthProtocol

@testable import FlowLive

/// What a person sees in the end.
struct SeenPage: Sendable, Hashable {
    /// 0 when no answer came.
    let status: Int
    let text: String

    /// The heading.
    var title: String { between("<h1>", "</h1>") }
    /// The error code that the page names.
    var code: String { between("<code>", "</code>") }

    private func between(_ opening: String, _ closing: String) -> String {
        guard let start = text.firstRange(of: opening) else { return "" }
        let rest = text[start.upperBound...]
        guard let end = rest.firstRange(of: closing) else { return "" }
        return String(rest[..<end.lowerBound])
    }
}

/// A browser that follows redirects and nothing else.
struct ScriptedBrowser: Sendable {
    private let transport: CurlTransport

    init() throws {
        transport = CurlTransport(loop: try CurlLoop())
    }

    /// Follows every URL to its last page.
    func visit(_ urls: AsyncStream<String>) async -> [SeenPage] {
        var pages: [SeenPage] = []
        for await url in urls { pages.append(await follow(url)) }
        transport.loop.shutDown()
        return pages
    }

    private func follow(_ start: String) async -> SeenPage {
        var url = start
        var redirects = 0
        while redirects < 10 {
            switch await transport.send(HTTPRequest(method: .get, url: url, fields: [])) {
            case .failure(let failure): return SeenPage(status: 0, text: failure.message)
            case .success(let response):
                guard (300..<400).contains(response.status), let location = response.field("Location") else {
                    let text = String(decoding: response.body, as: UTF8.self)
                    // A page that says "not yet" asks again by itself.
                    if text.contains("http-equiv=\"refresh\"") { continue }
                    return SeenPage(status: response.status, text: text)
                }
                redirects += 1
                url = location.hasPrefix("/") ? Self.origin(of: url) + location : location
            }
        }
        return SeenPage(status: 0, text: "too many redirects")
    }

    private static func origin(of url: String) -> String {
        url.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
    }
}
