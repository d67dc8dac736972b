internal import OAuthProtocol

/// What tells a person's browser from whatever else calls a port of the loopback address.
extension ServerRequest {
    /// Whether it was sent to the loopback address by one of that address's own names.
    ///
    /// Another name in Host means that a page of the Internet has its name resolved to this address.
    func isLoopback(port: UInt16) -> Bool {
        let host = field("Host")?.lowercased() ?? ""
        return ["127.0.0.1", "[::1]", "localhost"].contains { name in
            // Browsers leave out the scheme's own port (RFC 9110 §7.2).
            host == "\(name):\(port)" || (port == 80 && host == name)
        }
    }

    /// Whether the browser loads a page that nobody has asked for yet.
    var isPrefetch: Bool {
        ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"].contains { name in
            let value = field(name)?.lowercased() ?? ""
            return value.contains("prefetch") || value.contains("prerender") || value == "preview"
        }
    }
}
