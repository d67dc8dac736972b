internal import CMicroHTTPD

/// The libraries that are loaded when they are first needed, and may be missing until then unnoticed.
package enum SystemLibraries {
    /// Why no request can be sent; `nil` where libcurl can be used.
    package static func transportProblem() -> String? {
        do throws(CurlUnavailable) {
            try CurlLibrary.prepare()
            return nil
        } catch {
            return error.description
        }
    }

    /// Why no port can be listened on; `nil` where libmicrohttpd can be used.
    package static func serverProblem() -> String? {
        guard fr_httpd_library() == nil else { return nil }
        let reason = dlerror().map { String(cString: $0) } ?? "it cannot be loaded"
        return "libmicrohttpd cannot be loaded (\(reason)); install the package libmicrohttpd12"
    }
}
