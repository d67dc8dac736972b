import Glibc
import Synchronization
import Testing

@testable import FlowLive

/// A new private directory that goes away with this object.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        let template = Array("/tmp/flowlive-XXXXXX".utf8CString)
        path = template.withUnsafeBufferPointer { buffer in
            var bytes = Array(buffer)
            return mkdtemp(&bytes).map { String(cString: $0) } ?? ""
        }
        precondition(!path.isEmpty, "no temporary directory")
    }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        for name in directoryNames(path) where unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
        rmdir(path)
    }

    func write(_ name: String, _ text: String, mode: mode_t = 0o600) -> String {
        let file = "\(path)/\(name)"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, mode)
        _ = Glibc.write(descriptor, text, text.utf8.count)
        fchmod(descriptor, mode)
        close(descriptor)
        return file
    }
}

/// What a directory holds; nothing where there is none.
func directoryNames(_ path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        names.append(name)
    }
    return names.filter { $0 != "." && $0 != ".." }
}

func fileMode(_ path: String) -> mode_t {
    var details = stat()
    return lstat(path, &details) == 0 ? details.st_mode & 0o777 : 0
}

func fileBytes(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return bytes }
        bytes += buffer.prefix(count)
    }
}

/// Runs blocking work on a thread of its own.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        let isStarted = WorkerThread.start { continuation.resume(returning: body()) }
        precondition(isStarted, "no thread is left")
    }
}

/// Runs a shell script to its successful end and gives its output.
@discardableResult
func shell(_ script: String, in directory: String) async throws -> String {
    let result = try await ProcessRunner.run(
        ProcessRequest(
            arguments: ["/bin/sh", "-euc", script], environment: [("PATH", "/usr/local/bin:/usr/bin:/bin")],
            directory: directory, timeoutMilliseconds: 600_000))
    #expect(result.end == .exited(0), "\(String(decoding: result.errors.bytes, as: UTF8.self))")
    return String(decoding: result.output.bytes, as: UTF8.self)
}
