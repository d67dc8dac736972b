internal import CCurl

/// Why the installed libcurl cannot be used.
package enum CurlUnavailable: Error, Sendable, Hashable, CustomStringConvertible {
    /// The library was built on another TLS library, which has no verification hooks and is 25 times slower.
    case notOpenSSL(found: String)
    case initialization(String)
    case noThread

    package var description: String {
        switch self {
        case .notOpenSSL(let found):
            """
            libcurl uses \(found.isEmpty ? "no TLS library" : found), but flowrun needs the OpenSSL flavour; \
            install the package libcurl4 (for building: libcurl4-openssl-dev)
            """
        case .initialization(let reason): "libcurl cannot start: \(reason)"
        case .noThread: "the system has no thread left for the network"
        }
    }
}

/// The loaded libcurl.
enum CurlLibrary {
    /// Initialized once for the process; libcurl asks for that before its first use.
    private static let initialized = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Initializes libcurl and refuses one that is not built on OpenSSL.
    static func prepare() throws(CurlUnavailable) {
        guard initialized == CURLE_OK else {
            throw .initialization(String(cString: curl_easy_strerror(initialized)))
        }
        guard let version = curl_version_info(CURLVERSION_TENTH) else {
            throw .initialization("it does not tell its version")
        }
        try check(tlsLibrary: version.pointee.ssl_version.map { String(cString: $0) } ?? "")
    }

    static func check(tlsLibrary: String) throws(CurlUnavailable) {
        guard tlsLibrary.hasPrefix("OpenSSL/") else { throw .notOpenSSL(found: tlsLibrary) }
    }
}
