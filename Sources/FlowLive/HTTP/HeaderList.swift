internal import CCurl
import Glibc
internal import OAuthProtocol

/// The header fields of one request as libcurl's linked list, in memory that is used again.
///
/// libcurl reads the list until the transfer ends, so it must not be filled again before.
struct HeaderList: ~Copyable {
    private var text = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 1024)
    private var nodes = UnsafeMutableBufferPointer<curl_slist>.allocate(capacity: 16)
    private var textCount = 0
    private var nodeCount = 0

    deinit {
        // The bytes may hold credentials.
        text.update(repeating: 0)
        text.deallocate()
        nodes.deallocate()
    }

    /// Writes the fields, and the lines that keep libcurl from adding fields of its own.
    ///
    /// - Returns: `false` when a name is not a token or a value has a control character (RFC 9110 §5.5).
    mutating func fill(_ fields: [HTTPField], hasBody: Bool) -> Bool {
        (textCount, nodeCount) = (0, 0)
        reserve(fields)
        var namesType = false
        for field in fields {
            guard Self.isToken(field.name), Self.isValue(field.value) else { return false }
            namesType = namesType || field.name.equalsIgnoringASCIICase("Content-Type")
            // `Name;` is libcurl's way to write a field without a value.
            if field.value.isEmpty {
                append(field.name, ";", "")
            } else {
                append(field.name, ": ", field.value)
            }
        }
        append("Accept-Encoding", ":", "")
        if hasBody {
            append("Expect", ":", "")
            if !namesType { append("Content-Type", ":", "") }
        }
        return true
    }

    /// The list; `nil` when it is empty. Valid until the next `fill`.
    func withList<Result>(_ body: (UnsafeMutablePointer<curl_slist>?) -> Result) -> Result {
        body(nodeCount == 0 ? nil : nodes.baseAddress)
    }

    private mutating func reserve(_ fields: [HTTPField]) {
        let needed = fields.reduce(64) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 }
        if needed > text.count {
            text.update(repeating: 0)
            text.deallocate()
            text = .allocate(capacity: needed * 2)
        }
        if fields.count + 3 > nodes.count {
            nodes.deallocate()
            nodes = .allocate(capacity: fields.count * 2 + 3)
        }
    }

    private mutating func append(_ name: String, _ separator: StaticString, _ value: String) {
        guard let start = text.baseAddress.map({ $0 + textCount }) else { return }
        copy(name.utf8)
        separator.withUTF8Buffer { copy($0) }
        copy(value.utf8)
        copy(CollectionOfOne(0))
        nodes.initializeElement(at: nodeCount, to: curl_slist(data: start, next: nil))
        if nodeCount > 0 { nodes[nodeCount - 1].next = nodes.baseAddress.map { $0 + nodeCount } }
        nodeCount += 1
    }

    private mutating func copy(_ bytes: some Collection<UInt8>) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable { source in
            let target = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(text)[textCount...])
            target.copyMemory(from: UnsafeRawBufferPointer(source))
        }
        if isDone == nil {
            for (offset, byte) in bytes.enumerated() { text[textCount + offset] = CChar(bitPattern: byte) }
        }
        textCount += bytes.count
    }

    private static func isToken(_ name: String) -> Bool {
        let (low, high) = tokenBytes
        return !name.isEmpty
            && name.utf8.allSatisfy { byte in
                byte < 128 && (byte < 64 ? low : high) & (1 << UInt64(byte & 63)) != 0
            }
    }

    /// A bit for each byte of a token (RFC 9110 §5.6.2): visible ASCII without the delimiters.
    private static let tokenBytes: (low: UInt64, high: UInt64) = {
        var bits: (low: UInt64, high: UInt64) = (0, 0)
        let delimiters = Array("\"(),/:;<=>?@[\\]{}".utf8)
        for byte in UInt8(0x21)...0x7E where !delimiters.contains(byte) {
            if byte < 64 { bits.low |= 1 << UInt64(byte) } else { bits.high |= 1 << UInt64(byte & 63) }
        }
        return bits
    }()

    private static func isValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
