/// Bytes that are appended to: no count of references is asked for, as an array's is at every piece.
///
/// Inlined into other modules too: what writes a text does so in pieces of a few bytes.
package struct ByteBuffer: ~Copyable {
    @usableFromInline var bytes: UnsafeMutableBufferPointer<UInt8>
    @usableFromInline var count = 0

    /// - Parameter capacity: Bytes that fit at first; those of a stored session unless the caller knows better.
    @inlinable
    package init(capacity: Int = 4096) {
        bytes = .allocate(capacity: capacity)
    }

    @inlinable
    deinit { bytes.deallocate() }

    package borrowing func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        body(UnsafeBufferPointer(rebasing: bytes[..<count]))
    }

    // MARK: Appending

    @inlinable @inline(__always)
    package mutating func append(_ byte: UInt8) {
        reserve(1)
        put(byte)
    }

    @inlinable
    package mutating func append(_ more: UnsafeBufferPointer<UInt8>) {
        reserve(more.count)
        put(more)
    }

    package mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append($0) }
    }

    package mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// Decimal digits, without a text in between.
    package mutating func append(digitsOf number: Int64) {
        if 0..<10 ~= number { return append(UInt8(ascii: "0") + UInt8(number)) }
        if number < 0 { append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        var length = 1
        var bound: UInt64 = 10
        // The greatest number has 19 digits.
        while rest >= bound {
            length += 1
            bound &*= 10
        }
        reserve(length)
        for place in (count..<(count + length)).reversed() {
            bytes[place] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        count += length
    }

    // MARK: Room

    /// Makes room for so many bytes more.
    @inlinable @inline(__always)
    package mutating func reserve(_ more: Int) {
        if more > bytes.count &- count { grow(by: more) }
    }

    @usableFromInline
    mutating func grow(by more: Int) {
        let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(2 * bytes.count, count + more))
        _ = larger.initialize(fromContentsOf: bytes[..<count])
        bytes.deallocate()
        bytes = larger
    }

    /// Where there is room.
    @inlinable @inline(__always)
    package mutating func put(_ byte: UInt8) {
        bytes[count] = byte
        count &+= 1
    }

    /// Where there is room.
    @inlinable
    package mutating func put(_ more: UnsafeBufferPointer<UInt8>) {
        guard let source = more.baseAddress, let target = bytes.baseAddress else { return }
        (target + count).initialize(from: source, count: more.count)
        count &+= more.count
    }
}
