import FlowTesting
import Glibc

@testable import FlowLive

/// A new private folder that goes away with this object.
final class ScratchFolder: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/flowrun-tests-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, mkdtemp(base) != nil else { return "" }
            return String(cString: base)
        }
        precondition(!path.isEmpty, "no temporary folder")
    }

    deinit { Self.remove(path) }

    /// Every file below `folder`, as absolute paths.
    func files(below folder: String? = nil) -> [String] {
        let folder = folder ?? path
        return Self.entries(folder).flatMap { name in
            Self.isFolder("\(folder)/\(name)") ? files(below: "\(folder)/\(name)") : ["\(folder)/\(name)"]
        }
    }

    /// Writes a file that only its owner may read, or run.
    func write(_ name: String, _ text: String, mode: mode_t = 0o600) -> String {
        let file = "\(path)/\(name)"
        guard mode & 0o100 == 0 else {
            precondition(ProgramFile.write(file, text, mode: mode))
            return file
        }
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, mode)
        _ = text.withCString { Glibc.write(descriptor, $0, strlen($0)) }
        fchmod(descriptor, mode)
        close(descriptor)
        return file
    }

    /// The whole file; empty when there is none.
    static func read(_ file: String) -> String {
        let descriptor = open(file, O_RDONLY)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            // Not UTF-8: every byte stays a character of its own, so that texts are found in databases too.
            guard count > 0 else { return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })) }
            bytes += buffer.prefix(count)
        }
    }

    private static func entries(_ folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    private static func isFolder(_ path: String) -> Bool {
        var details = stat()
        return lstat(path, &details) == 0 && details.st_mode & S_IFMT == S_IFDIR
    }

    private static func remove(_ folder: String) {
        for name in entries(folder) {
            let path = "\(folder)/\(name)"
            if isFolder(path) { remove(path) } else { unlink(path) }
        }
        rmdir(folder)
    }
}

/// The files of the project that the tests run.
enum Project {
    /// Absolute path of a file of the repository.
    static func path(_ relative: String) -> String {
        let parts = #filePath.split(separator: "/").dropLast(5)
        return "/" + parts.joined(separator: "/") + "/" + relative
    }
}
