internal import OAuthProtocol

/// Collects one response as it arrives, within its limits.
struct ResponseReader {
    /// Why no more of the response is taken: a limit that it went over, or what makes its body no certain one.
    private(set) var refusal: TransportFailure.Kind?
    private var limits = TransferLimits.standard
    private var fields: [HTTPField] = []
    private var body: [UInt8] = []
    private var headerBytes = 0
    private var isPastFields = false
    /// The body is written in a coding that is not taken.
    private(set) var isForeign = false
    private var codings = 0

    mutating func begin(_ limits: TransferLimits) {
        self.limits = limits
        refusal = nil
        fields = []
        fields.reserveCapacity(12)
        body = []
        headerBytes = 0
        isPastFields = false
        (isForeign, codings) = (false, 0)
    }

    mutating func take(status: Int) -> HTTPResponse {
        defer { (fields, body) = ([], []) }
        return HTTPResponse(status: status, fields: fields, body: body)
    }

    /// Takes body bytes, decompressed if they were compressed; a result other than their count ends the transfer.
    mutating func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard !isForeign else {
            refusal = .compressed
            return 0
        }
        guard bytes.count <= limits.maxBodyBytes - body.count else {
            refusal = .bodyTooLarge(limit: limits.maxBodyBytes)
            return 0
        }
        body.append(contentsOf: bytes)
        return bytes.count
    }

    /// Takes one line of the header section or the trailers; another result than its count ends the transfer.
    mutating func receiveLine(_ line: UnsafeRawBufferPointer) -> Int {
        headerBytes += line.count
        guard headerBytes <= limits.maxHeaderBytes else {
            refusal = .headersTooLarge(limit: limits.maxHeaderBytes)
            return 0
        }
        let text = Self.trimmed(line[...])
        if text.isEmpty {
            isPastFields = true
            guard BodyLength.isCertain(fields) else {
                refusal = .protocolError
                return 0
            }
        } else if line.starts(with: "HTTP/".utf8) {
            // A status line: whatever came before it was an interim response (RFC 9110 §15.2).
            isPastFields = false
            (isForeign, codings) = (false, 0)
            fields.removeAll(keepingCapacity: true)
        } else if !isPastFields {
            append(text, isContinuation: Self.isSpace(line[0]))
        }
        // Lines after the body are trailers, which no protocol of ours uses.
        return line.count
    }

    private mutating func append(_ text: Slice<UnsafeRawBufferPointer>, isContinuation: Bool) {
        if isContinuation, let last = fields.popLast() {
            // Line folding, which RFC 9112 §5.2 has a reader replace by a space.
            fields.append(HTTPField(last.name, last.value + " " + String(decoding: text, as: UTF8.self)))
        } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
            let name = String(decoding: text[..<colon], as: UTF8.self)
            let value = String(decoding: Self.trimmed(text[(colon + 1)...]), as: UTF8.self)
            fields.append(HTTPField(name, value))
            if name.equalsIgnoringASCIICase("Content-Encoding") {
                take(coding: value)
            }
        }
    }

    /// RFC 9110 §8.4.1. Compressed twice is nothing that a server of ours has a reason for.
    private mutating func take(coding: String) {
        switch coding.lowercased() {
        case "", "identity": return
        case "gzip", "x-gzip", "deflate":
            codings += 1
            isForeign = isForeign || codings > 1
        default: isForeign = true
        }
    }

    private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var bytes = bytes
        while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return bytes
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }
}
