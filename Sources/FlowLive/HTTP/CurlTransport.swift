package import OAuthProtocol

/// Sends requests through one loop and its trust policy.
///
/// Never follows a redirect, keeps no cookie, asks for no compressed body, speaks HTTP/1.1 and TLS 1.2 or later,
/// http only to loopback addresses, and reaches no address of a link or of a cloud's metadata service. A POST of
/// which a byte has gone out is never sent a second time.
package struct CurlTransport: Sendable {
    package let loop: CurlLoop

    package init(loop: CurlLoop) {
        self.loop = loop
    }

    /// Sends a request and waits for the whole response, of whatever status.
    ///
    /// Free of thread changes when the task prefers `loop` as its executor. Cancelling the task aborts the
    /// transfer.
    package func send(
        _ request: HTTPRequest, _ limits: TransferLimits = .standard
    ) async -> Result<HTTPResponse, TransportFailure> {
        await exchange(request, limits).result
    }

    /// The same with what there is to say of the connection.
    package func exchange(
        _ request: HTTPRequest, _ limits: TransferLimits = .standard
    ) async -> TransportReport {
        if loop.isCurrent { return await loop.perform(request, limits) }
        do throws(CurlUnavailable) { try loop.start() } catch {
            return TransportReport(.unprepared, error.description)
        }
        return await withTaskExecutorPreference(loop) { await loop.perform(request, limits) }
    }
}
