import FlowTesting
import Glibc
import Testing

@testable import FlowCLI

/// A folder of a test's own, with files in it, in which commands run in this process.
final class Workplace: Sendable {
    struct Result: Sendable {
        let status: Int32
        let output: String
        let error: String
    }

    let path: String

    /// - Parameter files: Texts by path below the folder.
    init(_ files: [String: String] = [:]) throws {
        var template = Array("/tmp/flowrun-cli-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for (name, text) in files { try write(name, text) }
    }

    deinit { Self.remove(path) }

    func write(_ name: String, _ text: String, permissions: mode_t = 0o600) throws {
        var folder = path
        for part in name.split(separator: "/").dropLast() {
            folder += "/\(part)"
            mkdir(folder, 0o700)
        }
        if permissions & 0o100 != 0 {
            return try #require(ProgramFile.write("\(path)/\(name)", text, mode: permissions))
        }
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, permissions)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        fchmod(descriptor, permissions)
        try #require(text.withCString { Glibc.write(descriptor, $0, strlen($0)) } == text.utf8.count)
    }

    func read(_ name: String) throws -> String {
        let file = try #require(fopen("\(path)/\(name)", "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var byte = fgetc(file)
        while byte != EOF {
            bytes.append(UInt8(byte))
            byte = fgetc(file)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func permissions(of name: String) -> mode_t? {
        var status = stat()
        return stat("\(path)/\(name)", &status) == 0 ? status.st_mode & 0o777 : nil
    }

    /// What the command sees here: an environment with nothing but a home of its own.
    func surroundings(
        _ environment: [String: String] = [:], folder: String = "", input: String = "",
        output: TextStream = TextStream(), error: TextStream = TextStream(), interruption: Interruption? = nil
    ) -> Surroundings {
        let home = ["HOME": "\(path)/home", "LANG": "C.UTF-8"]
        return Surroundings(
            environment: home.merging(environment) { $1 },
            directory: folder.isEmpty ? path : "\(path)/\(folder)",
            executable: "\(Self.packageFolder)/.build/debug/flowrun", input: .memory(input), output: output,
            error: error, interruption: interruption)
    }

    /// Runs one command line, split at spaces.
    func run(
        _ line: String, environment: [String: String] = [:], folder: String = "", input: String = ""
    ) async -> Result {
        let surroundings = surroundings(environment, folder: folder, input: input)
        return await Self.run(line, surroundings)
    }

    static func run(_ line: String, _ surroundings: Surroundings) async -> Result {
        await run(line.split(separator: " ").map(String.init), surroundings)
    }

    static func run(_ words: [String], _ surroundings: Surroundings) async -> Result {
        let status = await FlowCLI.main(words, surroundings)
        return Result(status: status, output: surroundings.output.text, error: surroundings.error.text)
    }

    /// The text of a file that comes with the program.
    static func shipped(_ name: String) -> String? {
        (try? FileAccess.read("\(packageFolder)/\(name)")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The package, whose flows and providers come with the program.
    static let packageFolder = String(
        #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" })

    /// A provider `p` whose server is at that address, as the files of a folder.
    static func provider(at address: String) -> [String: String] {
        [
            "p.provider.yaml": """
            provider: p
            protocol: oauth2
            authorization_endpoint: \(address)/authorize
            token_endpoint: \(address)/token

            """
        ]
    }

    private static func remove(_ path: String) {
        guard let handle = opendir(path) else {
            unlink(path)
            return
        }
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { remove("\(path)/\(name)") }
        }
        closedir(handle)
        rmdir(path)
    }
}
