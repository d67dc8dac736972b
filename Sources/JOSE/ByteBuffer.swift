/// Bytes that are appended to: no count of references is asked for, as an array's is at every piece.
struct ByteBuffer: ~Copyable {
    private var bytes: UnsafeMutableBufferPointer<UInt8>
    private var count = 0

    init() {
        // A stored session fits.
        bytes = .allocate(capacity: 4096)
    }

    deinit { bytes.deallocate() }

    borrowing func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        body(UnsafeBufferPointer(rebasing: bytes[..<count]))
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        bytes[count] = byte
        count &+= 1
    }

    mutating func append(_ more: UnsafeBufferPointer<UInt8>) {
        reserve(more.count)
        guard let source = more.baseAddress, let target = bytes.baseAddress else { return }
        (target + count).initialize(from: source, count: more.count)
        count &+= more.count
    }

    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append($0) }
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// Makes room for so many bytes more.
    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if more > bytes.count &- count { grow(by: more) }
    }

    private mutating func grow(by more: Int) {
        let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(2 * bytes.count, count + more))
        _ = larger.initialize(fromContentsOf: bytes[..<count])
        bytes.deallocate()
        bytes = larger
    }
}
