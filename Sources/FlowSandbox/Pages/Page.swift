internal import JOSE
internal import OAuthProtocol

/// The frame of every page: self-contained, not to be framed or stored; without scripts unless it sends itself.
struct Page {
    let title: String
    let main: HTML
    var isWide = false
    /// Where a form of the page may lead in the end, besides to the sandbox itself.
    ///
    /// Browsers apply `form-action` to the redirect that follows a form too, so the client's own place must
    /// be named (CSP Level 3 §6.3.1).
    var destination: String?
    /// Source of the one script that may run, at the end of the page.
    var script: StaticString?

    func answer(status: Int) -> HTTPResponse {
        let fields = [
            HTTPField("Content-Type", "text/html; charset=utf-8"),
            HTTPField("Content-Security-Policy", policy),
            HTTPField("X-Content-Type-Options", "nosniff"),
            HTTPField("X-Frame-Options", "DENY"),
            // Keeps the request out of what the client sees, and lets the browser say where a form came from.
            HTTPField("Referrer-Policy", "same-origin"),
        ]
        return HTTPResponse(
            status: status, fields: fields + Answer.noStore, body: Array(document.source.utf8))
    }

    private var policy: String {
        let action = (["'self'"] + (destination.map { [$0] } ?? [])).joined(separator: " ")
        let scripts = script.map { "script-src \(Self.hash(of: $0)); " } ?? ""
        return "default-src 'none'; \(scripts)style-src \(PageStyle.source); form-action \(action); "
            + "base-uri 'none'; frame-ancestors 'none'"
    }

    /// CSP Level 3 §2.3.1, hash-source.
    private static func hash(of script: StaticString) -> String {
        "'sha256-\(Base64.encode(Digest.sha256("\(script)".utf8)))'"
    }

    /// The source is our own and has nothing to escape.
    private var scriptElement: HTML {
        script.map { "<script>\(HTML(stringLiteral: "\($0)"))</script>" } ?? .empty
    }

    private var document: HTML {
        let width: HTML = isWide ? " class=\"wide\"" : ""
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <title>\(title) · flowrun sandbox</title>
            <style>\(PageStyle.sheet)</style>
            </head>
            <body\(width)>
            <header><a href="/">flowrun sandbox</a> <span class="badge">for tests only</span></header>
            <main>
            \(main)
            </main>
            <footer><p>This is flowrun’s sandbox, an OpenID provider for trying things out. It runs on this
            computer, its users are invented, and it is no real account of yours.</p></footer>\(scriptElement)
            </body>
            </html>

            """
    }
}

extension Page {
    /// The origin of a redirect URI, or the scheme of one that has no origin, as a CSP source.
    ///
    /// Only for a registered URI; `nil` when it could not stand in a policy.
    static func source(of redirectURI: String) -> String? {
        do throws(EndpointURLProblem) {
            let url = try EndpointURL(redirectURI, allowLoopbackHTTP: true)
            // The grammar of a policy has no IPv6 addresses (CSP Level 3 §2.3.1).
            return url.host.hasPrefix("[") ? "\(url.scheme):" : url.origin
        } catch {
            // Not http: an app's own scheme (RFC 8252 §7.1).
            let scheme = redirectURI.prefix { $0 != ":" }
            let isScheme = scheme.utf8.allSatisfy { byte in
                PercentEncoding.encodeQuery(String(UnicodeScalar(byte))).utf8.count == 1
                    || byte == UInt8(ascii: "+")
            }
            return isScheme && !scheme.isEmpty && scheme != "http" ? "\(scheme):" : nil
        }
    }
}
