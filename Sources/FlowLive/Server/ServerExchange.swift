internal import OAuthProtocol

/// One request while it arrives; used on the server's thread only.
final class ServerExchange {
    /// The request target as sent, not decoded.
    let target: String
    private(set) var body: [UInt8] = []
    /// Set once the request is complete and handed over.
    var reply: ServerReply?
    var hasBegun = false

    init(target: String) {
        self.target = target
    }

    /// - Returns: `false` when the body is larger than allowed.
    func receive(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Bool {
        guard bytes.count <= limit - body.count else { return false }
        body.append(contentsOf: bytes)
        return true
    }

    func request(method: String, fields: [HTTPField]) -> ServerRequest {
        let question = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        return ServerRequest(
            method: method, path: String(target[..<(question ?? target.endIndex)]),
            query: question.map { String(target[target.utf8.index(after: $0)...]) }, fields: fields,
            body: body)
    }
}

/// The rules for a request's framing and Host that libmicrohttpd does not enforce itself.
enum RequestRules {
    /// The status to refuse with; `nil` when the request may go on.
    static func refusal(_ fields: [HTTPField], limits: ServerLimits) -> Int? {
        let hosts = values("Host", fields)
        guard hosts.count == 1, isHost(hosts[0]) else { return 400 }
        let lengths = values("Content-Length", fields)
        let codings = values("Transfer-Encoding", fields)
        // Two statements of the length are how requests are smuggled (RFC 9112 §6.3).
        guard lengths.count + codings.count <= 1 else { return 400 }
        if let length = lengths.first {
            guard let count = Int(length), count >= 0 else { return 400 }
            if count > limits.maxBodyBytes { return 413 }
        }
        return nil
    }

    private static func values(_ name: String, _ fields: [HTTPField]) -> [String] {
        fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    private static func isHost(_ value: String) -> Bool {
        !value.isEmpty
            && value.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: ":"),
                    UInt8(ascii: "["), UInt8(ascii: "]"):
                    true
                default: false
                }
            }
    }
}
