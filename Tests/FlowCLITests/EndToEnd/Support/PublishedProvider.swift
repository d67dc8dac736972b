import Glibc
import JOSE
import Testing

@testable import FlowLive

/// `Tests/Servers/published/server.py` in a child process: metadata and keys over TLS. Ends with this object.
final class PublishedProvider {
    let issuer: String
    let folder = ScratchFolder()
    private let child: SpawnedProcess

    var authority: String { folder.path + "/ca.pem" }

    init() throws {
        let pipe = try #require(FileDescriptor.pipe())
        let null = try #require(FileDescriptor.nullDevice())
        child = try SpawnedProcess.start(
            SpawnPlan(
                program: "/usr/bin/env",
                arguments: [
                    "env", "python3", Project.path("Tests/Servers/published/server.py"), folder.path,
                ],
                environment: [("PATH", "/usr/local/bin:/usr/bin:/bin")], input: null.number,
                output: pipe.writing.number, errors: null.number))
        var line = [UInt8](repeating: 0, count: 64)
        let count = read(pipe.reading.number, &line, line.count)
        issuer = String(decoding: line.prefix(max(0, count)).prefix { $0 != 10 }, as: UTF8.self)
        try #require(issuer.hasPrefix("https://"))
    }

    deinit {
        child.signalGroup(SIGKILL)
        _ = child.reap()
    }

    /// Members of the metadata from now on; null removes one.
    func change(_ members: JSONObject) { _ = folder.write("changes.json", members.serialize()) }

    func answerWith(status: Int) { _ = folder.write("status", "\(status)") }

    func addFields(_ fields: JSONObject) { _ = folder.write("headers.json", fields.serialize()) }

    /// `GET /keys 200` for each request so far.
    var requests: [String] {
        ScratchFolder.read(folder.path + "/requests").split(separator: "\n").map(String.init)
    }

    static let document = "/.well-known/openid-configuration"
}
