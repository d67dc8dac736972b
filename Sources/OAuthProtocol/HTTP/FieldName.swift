/// Names of header fields (RFC 9110 §5.1).
package enum FieldName {
    /// What the transport writes itself: two writers would let a server and a proxy read two requests where one was
    /// sent (RFC 9112 §6.3 and §11.2).
    private static let ofTransport: Set<String> = [
        "accept-encoding", "connection", "content-length", "expect", "host", "keep-alive",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    package static func isWellFormed(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(isTokenCharacter)
    }

    package static func belongsToTransport(_ name: String) -> Bool { ofTransport.contains(name.lowercased()) }

    /// Whether a text may be the value of a field that we send: printable ASCII in one line (RFC 9110 §5.5).
    package static func mayHold(_ value: String) -> Bool {
        value.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
    }
}
