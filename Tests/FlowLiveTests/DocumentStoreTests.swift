import Glibc
import JOSE
import OAuthProtocol
import Testing

@testable import FlowLive

@Suite("Documents on disk")
struct DocumentStoreTests {
    private let directory = TemporaryDirectory()
    private var store: DocumentStore { DocumentStore(directory: directory.path + "/cache/metadata") }

    private static let url = "https://p.example/.well-known/openid-configuration"
    private static let now: Int64 = 1_767_225_600_000

    private func document(
        _ url: String = url, issuer: String = "https://p.example", body: String? = nil,
        fetchedAt: Int64 = now
    ) -> StoredDocument {
        StoredDocument(
            kind: .metadata,
            origin: DocumentOrigin(
                url: url, fetchedAt: fetchedAt, freshUntil: fetchedAt + 3_600_000, entityTag: "\"a\""),
            issuer: issuer, body: Array((body ?? "{\"issuer\":\"\(issuer)\"}").utf8))
    }

    private func file() throws -> String {
        let name = try #require(directoryNames(store.directory).first { $0.hasSuffix(".json") })
        return "\(store.directory)/\(name)"
    }

    private func problems(_ change: (String) throws -> Void) throws -> [String] {
        #expect(store.keep(document()) == nil)
        let file = try file()
        try change(file)
        let (found, problems) = store.metadata(
            issuer: "https://p.example", urls: [Self.url], acceptedIssuers: [], amended: [], now: Self.now)
        #expect(found == nil)
        return problems.map { $0.replacing(file, with: "FILE") }
    }

    private func rewrite(_ file: String, _ change: (String) -> String) {
        let text = change(String(decoding: fileBytes(file), as: UTF8.self))
        let descriptor = open(file, O_WRONLY | O_TRUNC)
        _ = write(descriptor, text, text.utf8.count)
        close(descriptor)
    }

    @Test("what is kept is found again, in files of its own that nobody else can open")
    func kept() throws {
        #expect(store.read(.metadata, url: Self.url, now: Self.now) == .nothing)
        #expect(store.keep(document()) == nil)
        #expect(store.read(.metadata, url: Self.url, now: Self.now) == .document(document()))
        #expect(fileMode(store.directory) == 0o700)
        #expect(fileMode(try file()) == 0o600)
        let found = store.metadata(
            issuer: "https://p.example", urls: ["https://p.example/other", Self.url], acceptedIssuers: [],
            amended: [],
            now: Self.now
        ).found
        #expect(found?.metadata.fields.issuer == "https://p.example")
        #expect(found?.document.origin.entityTag == "\"a\"")
    }

    @Test("all that HTTP has said of a document is kept with it, and no validator that is none")
    func origin() throws {
        let origin = DocumentOrigin(
            url: Self.url, fetchedAt: Self.now, freshUntil: Self.now + 1, entityTag: nil,
            lastModified: "Thu, 01 Jan 2026 00:00:00 GMT", isForced: true)
        let document = StoredDocument(
            kind: .metadata, origin: origin, issuer: nil, body: Array("{}".utf8))
        #expect(store.keep(document) == nil)
        #expect(store.read(.metadata, url: Self.url, now: Self.now) == .document(document))
        rewrite(try file()) { $0.replacing("Thu, ", with: #"\r\nX: "#) }
        guard case .document(let found) = store.read(.metadata, url: Self.url, now: Self.now) else {
            Issue.record("nothing is found")
            return
        }
        #expect(found.origin.lastModified == nil)
        #expect(found.origin.isForced)
    }

    @Test("neither what a process that died has left nor who writes at the same time is in the way")
    func leftovers() async throws {
        #expect(store.keep(document()) == nil)
        close(open("\(try file()).\(getpid()).new", O_WRONLY | O_CREAT, 0o600))
        let (store, document) = (store, document())
        let problems = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<100 { group.addTask { store.keep(document) } }
            return await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
        }
        #expect(problems == [])
        #expect(store.read(.metadata, url: Self.url, now: Self.now) == .document(document))
    }

    @Test("what did not come over TLS is not kept, nor what is too large")
    func notKept() {
        #expect(store.keep(document("http://127.0.0.1:9400/x")) == nil)
        #expect(store.keep(document(body: "\"" + String(repeating: "a", count: 300_000) + "\"")) == nil)
        #expect(store.read(.metadata, url: Self.url, now: Self.now) == .nothing)
        #expect(access(store.directory, F_OK) != 0)
        let largest = document(body: "\"" + String(repeating: "a", count: 262_142) + "\"")
        #expect(store.keep(largest) == nil)
        #expect(store.read(.metadata, url: Self.url, now: Self.now) == .document(largest))
    }

    @Test("no lifetime is longer than a day, whatever the file says")
    func lifetime() throws {
        #expect(store.keep(document()) == nil)
        rewrite(try file()) { $0.replacing("1767229200000", with: "9007199254740991") }
        guard case .document(let document) = store.read(.metadata, url: Self.url, now: Self.now) else {
            Issue.record("nothing is found")
            return
        }
        #expect(document.origin.freshUntil == Self.now + 86_400_000)
    }

    @Test("a file that is not as it was written is not used")
    func corrupt() throws {
        for (size, problem) in [
            (1, "it is no JSON object"), (1 << 20, "it is no JSON object"), (1 << 20 + 1, "it is too large"),
        ] {
            let text = String(repeating: "{", count: size)
            #expect(try problems { rewrite($0) { _ in text } } == ["FILE: \(problem)"])
        }
        #expect(
            try problems { rewrite($0) { $0.replacing("\"version\":1", with: "\"version\":2") } }
                == ["FILE: it holds a document of another version"])
        #expect(
            try problems { rewrite($0) { $0.replacing("\"url\":\"https://p", with: "\"url\":\"https://q") } }
                == ["FILE: it holds another document"])
        #expect(
            try problems { rewrite($0) { $0.replacing("\"fetched_at\"", with: "\"fetched\"") } }
                == ["FILE: a member is missing"])
        #expect(
            try problems { rewrite($0) { $0.replacing("_at\":17", with: "_at\":97") } }
                == ["FILE: it is from the future"])
    }

    @Test("a document is checked again when it is read, and is its issuer's alone [rule 25]")
    func checked() throws {
        #expect(
            try problems { rewrite($0) { $0.replacing("p.example\\\"}", with: "evil.example\\\"}") } }
                == ["FILE: the document fails its checks"])
        #expect(
            try problems {
                rewrite($0) { $0.replacing("\"issuer\":\"https://p", with: "\"issuer\":\"https://q") }
            }
                == ["FILE: it was kept for another issuer"])
    }

    @Test("a file of somebody else, one that others can write, and a link are left alone")
    func foreign() throws {
        #expect(
            try problems { _ = chmod($0, 0o644) }
                == ["FILE: others may open it (mode 644); chmod 600 it"])
        let target = directory.write("target", "{}")
        #expect(
            try problems { file in
                unlink(file)
                symlink(target, file)
            } == ["FILE: it is a symbolic link"])
    }

    @Test("a folder that others can enter keeps nothing")
    func openFolder() {
        let folder = directory.path + "/open"
        mkdir(folder, 0o755)
        let store = DocumentStore(directory: folder)
        #expect(store.keep(document()) == "\(folder): others may open it (mode 755); chmod 700 it")
    }

    @Test("the folder stays small: what was written longest ago goes first")
    func bounded() throws {
        for number in 0..<257 {
            #expect(store.keep(document("https://p.example/\(number)")) == nil)
            if number == 0 {
                // As if it had been written an hour before the others.
                var times = [
                    timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0),
                ]
                utimensat(AT_FDCWD, try file(), &times, 0)
            }
        }
        #expect(directoryNames(store.directory).count == 256)
        #expect(store.read(.metadata, url: "https://p.example/0", now: Self.now) == .nothing)
        #expect(
            store.read(.metadata, url: "https://p.example/256", now: Self.now)
                == .document(document("https://p.example/256")))
    }

    @Test("keys are kept beside, and nothing that is no key set")
    func keys() throws {
        let url = "https://p.example/keys"
        let origin = DocumentOrigin(url: url, fetchedAt: Self.now, freshUntil: Self.now + 300_000)
        func stored(_ body: String) -> StoredDocument {
            StoredDocument(kind: .keys, origin: origin, issuer: nil, body: Array(body.utf8))
        }
        #expect(store.keep(stored("{\"keys\":[]}")) == nil)
        #expect(store.keys(url: url, now: Self.now).found?.keys.keys.isEmpty == true)
        #expect(
            store.read(.metadata, url: url, now: Self.now)
                == .refused("\(try file()): it holds another document"))
        #expect(store.keep(stored("[]")) == nil)
        #expect(store.keys(url: url, now: Self.now).problems == ["\(try file()): it is no key set"])
    }
}
