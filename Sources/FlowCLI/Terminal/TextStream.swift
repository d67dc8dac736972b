internal import Glibc
internal import Synchronization

/// Where text goes: a file descriptor, or memory.
///
/// Writes appear whole and in order, whichever threads they come from.
package final class TextStream: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var hasText = false
        var hasFailed = false
    }

    private enum Destination {
        case descriptor(Int32, isOwned: Bool)
        case memory(onWrite: @Sendable (String) -> Void)
    }

    private let destination: Destination
    private let state = Mutex(State())

    /// Whether a person reads it as it is written.
    package let isTerminal: Bool

    /// A stream into a descriptor that belongs to somebody else.
    package init(descriptor: Int32) {
        destination = .descriptor(descriptor, isOwned: false)
        isTerminal = isatty(descriptor) == 1
    }

    /// A stream into memory.
    ///
    /// - Parameter onWrite: Called with each text after it is kept.
    package init(isTerminal: Bool = false, onWrite: @escaping @Sendable (String) -> Void = { _ in }) {
        destination = .memory(onWrite: onWrite)
        self.isTerminal = isTerminal
    }

    /// A stream into a new or emptied file that only its owner may read.
    package init(file path: String) throws(FileProblem) {
        destination = .descriptor(try PrivateFile.open(path), isOwned: true)
        isTerminal = false
    }

    deinit {
        if case .descriptor(let descriptor, isOwned: true) = destination { close(descriptor) }
    }

    /// Bytes as they are, whatever they mean.
    package func write(_ bytes: [UInt8]) {
        // The lock keeps texts of different threads apart.
        state.withLock { state in
            state.hasText = state.hasText || !bytes.isEmpty
            switch destination {
            case .memory: state.bytes += bytes
            case .descriptor(let descriptor, _):
                if !Self.write(bytes, to: descriptor) { state.hasFailed = true }
            }
        }
        if case .memory(let onWrite) = destination { onWrite(String(decoding: bytes, as: UTF8.self)) }
    }

    package func write(_ text: String) { write(Array(text.utf8)) }

    /// The descriptor behind the stream; `nil` in memory.
    var descriptor: Int32? {
        switch destination {
        case .descriptor(let descriptor, _): descriptor
        case .memory: nil
        }
    }

    /// The descriptor of a file that this stream has opened itself; `nil` for any other.
    var ownDescriptor: Int32? {
        if case .descriptor(let descriptor, isOwned: true) = destination { descriptor } else { nil }
    }

    /// Whether what is written stays on a disk.
    var isFile: Bool {
        guard let descriptor else { return false }
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether what is written goes into that very file.
    func isFile(at path: String) -> Bool {
        guard isFile, let descriptor else { return false }
        var (own, other) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && stat(path, &other) == 0 && own.st_dev == other.st_dev
            && own.st_ino == other.st_ino
    }

    /// Whether anything was written.
    var hasText: Bool { state.withLock(\.hasText) }

    /// What was written so far, of a stream into memory.
    package var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

    /// Whether something could not be written; a reader that went away does not count.
    package var hasFailed: Bool { state.withLock(\.hasFailed) }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0 && errno == EINTR { continue }
                if count < 0 { return errno == EPIPE }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }
}
