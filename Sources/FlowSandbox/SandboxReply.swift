package import OAuthProtocol

/// What the server that carries the sandbox does with one request.
///
/// All but `send` are faults that an HTTP answer alone cannot express.
package enum SandboxReply: Sendable, Hashable {
    case send(HTTPResponse)
    /// Waits, then sends.
    case delay(milliseconds: Int, HTTPResponse)
    /// Closes the connection without a byte.
    case closeWithoutAnswer
    /// Announces the whole body in `Content-Length`, sends this many bytes of it and closes the connection.
    case truncate(HTTPResponse, afterBytes: Int)

    /// The same fault of another answer.
    package func map(_ change: (HTTPResponse) -> HTTPResponse) -> SandboxReply {
        switch self {
        case .send(let response): .send(change(response))
        case .delay(let milliseconds, let response): .delay(milliseconds: milliseconds, change(response))
        case .closeWithoutAnswer: .closeWithoutAnswer
        case .truncate(let response, let bytes): .truncate(change(response), afterBytes: bytes)
        }
    }

    /// The answer, as far as there is one; a truncated one is whole here.
    package var response: HTTPResponse? {
        switch self {
        case .send(let response), .delay(_, let response), .truncate(let response, _): response
        case .closeWithoutAnswer: nil
        }
    }
}
