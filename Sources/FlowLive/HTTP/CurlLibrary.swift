internal import CCurl

/// Why the installed libcurl cannot be used.
package enum CurlUnavailable: Error, Sendable, Hashable, CustomStringConvertible {
    /// It cannot be loaded, for this reason.
    case missing(String)
    /// The library was built on another TLS library, which has no verification hooks and is 25 times slower.
    case notOpenSSL(found: String)
    case initialization(String)
    case noThread
    case noDescriptor

    package var description: String {
        switch self {
        case .missing(let reason): "libcurl cannot be loaded (\(reason)); install the package libcurl4"
        case .notOpenSSL(let found):
            """
            libcurl uses \(found.isEmpty ? "no TLS library" : found), but flowrun needs the OpenSSL flavour; \
            install the package libcurl4 (for building: libcurl4-openssl-dev)
            """
        case .initialization(let reason): "libcurl cannot start: \(reason)"
        case .noThread: "the system has no thread left for the network"
        case .noDescriptor: "this process has no descriptor left for the network: see ulimit -n"
        }
    }
}

/// The loaded libcurl.
enum CurlLibrary {
    /// Initialized once for the process; libcurl asks for that before its first use.
    private static let initialized = fr_global_init()

    /// Initializes libcurl and refuses one that is not built on OpenSSL.
    static func prepare() throws(CurlUnavailable) {
        guard fr_curl_library() != nil else {
            throw .missing(dlerror().map { String(cString: $0) } ?? "it cannot be loaded")
        }
        guard initialized == CURLE_OK else {
            throw .initialization(String(cString: fr_easy_strerror(initialized)))
        }
        guard let version = fr_version_info() else {
            throw .initialization("it does not tell its version")
        }
        try check(tlsLibrary: version.pointee.ssl_version.map { String(cString: $0) } ?? "")
        guard fr_has_tls() != 0 else { throw .notOpenSSL(found: "an OpenSSL that it keeps to itself") }
    }

    static func check(tlsLibrary: String) throws(CurlUnavailable) {
        guard tlsLibrary.hasPrefix("OpenSSL/") else { throw .notOpenSSL(found: tlsLibrary) }
    }
}
