import Glibc
import JOSE
import Testing

@testable import FlowCLI

/// Metadata between processes, from a real server over TLS.
@Suite("Cached metadata, live")
struct MetadataCacheTests {
    private let provider: PublishedProvider
    private let place: Workplace

    init() throws {
        provider = try PublishedProvider()
        place = try Workplace([
            "flows/look.flow.yaml": """
            language: flow/1
            flow: look
            version: 1
            outputs: { source: string }
            defaults: { next: { any: failed } }
            start: discover
            steps:
              discover: { next: { ok: done } }
            ends:
              done: { result: success, outputs: { source: "${steps.discover.source}" } }
              failed: { result: failure }
            """,
            "providers/acme.yaml": """
            provider: acme
            protocol: oidc
            issuer: \(provider.issuer)
            authorization: { scope: [openid] }
            """,
        ])
    }

    private func look(_ options: String = "") async -> Workplace.Result {
        await place.run(
            "run look -p acme --client-id a --cacert \(provider.authority) --trace - \(options)")
    }

    /// Makes the kept copy older than it is.
    private func age(_ milliseconds: Int64) throws {
        let file = try cacheFile()
        let name = file.replacing(place.path + "/", with: "")
        let object = try JSON.parse(Array(try place.read(name).utf8)).objectValue
        var changed = try #require(object)
        for member in ["fetched_at", "fresh_until"] {
            guard case .int(let time)? = changed[member] else { continue }
            changed[member] = .int(time - milliseconds)
        }
        try place.write(name, changed.serialize())
    }

    private func cacheFile() throws -> String {
        let folder = place.path + "/home/.cache/flowrun/metadata"
        return "\(folder)/\(try #require(FileAccess.names(in: folder).first))"
    }

    private static let get = "GET \(PublishedProvider.document)"

    @Test("a second process asks nobody, and says how old the copy is")
    func cached() async throws {
        #expect(await look().output == "source: network\n")
        let second = await look()
        #expect(second.output == "source: cache\n")
        #expect(second.error.contains("metadata from the cache, fetched "))
        #expect(provider.requests == ["\(Self.get) 200"])
        #expect(await look("--refresh-metadata").output == "source: network\n")
        #expect(provider.requests == ["\(Self.get) 200", "\(Self.get) 200"])
    }

    @Test("an old copy is asked about, and holds again when the server says so")
    func revalidated() async throws {
        provider.addFields(["Cache-Control": "max-age=600"])
        #expect(await look().status == 0)
        try age(600_000)
        let second = await look()
        #expect(second.output == "source: revalidated\n")
        #expect(second.error.contains("If-None-Match"))
        #expect(second.error.contains("the cached metadata still holds"))
        #expect(provider.requests == ["\(Self.get) 200", "\(Self.get) 304"])
        #expect(await look().output == "source: cache\n")
        try age(600_000)
        provider.change(["token_endpoint": .string(provider.issuer + "/other")])
        #expect(await look().output == "source: network\n")
        #expect(
            try place.read("home/.cache/flowrun/metadata/\(cacheFile().split(separator: "/").last ?? "")")
                .contains("/other"))
    }

    @Test("an old copy serves while the server is not well, a forged answer never")
    func stale() async throws {
        #expect(await look().status == 0)
        try age(7_200_000)
        provider.answerWith(status: 503)
        #expect(await look().output == "source: stale\n")
        provider.answerWith(status: 200)
        provider.change(["issuer": "https://evil.example"])
        let forged = await look()
        #expect(forged.status == 7)
        #expect(forged.error.contains("issuer_mismatch"))
    }

    @Test("a broken copy is fetched anew, with a word about it")
    func broken() async throws {
        #expect(await look().status == 0)
        let name = try cacheFile().replacing(place.path + "/", with: "")
        try place.write(name, "{")
        let second = await look()
        #expect(second.output == "source: network\n")
        #expect(second.error.contains("a cached document is not used:"))
        #expect(await look().output == "source: cache\n")
    }

    @Test("the linter knows what is cached: a scope that the provider does not list")
    func linted() async throws {
        let flow = """
            language: flow/1
            flow: ask
            version: 1
            defaults: { next: { any: failed } }
            start: authorize
            steps:
              authorize: { with: { scopes: [openid, "no.such.scope"] }, next: { ok: callback, headless: failed } }
              callback: { next: { ok: exchange } }
              exchange: { next: { ok: verify_id_token } }
              verify_id_token: { next: { ok: done, absent: done } }
            ends:
              done: { result: success }
              failed: { result: failure }
            """
        try place.write("flows/ask.flow.yaml", flow)
        let line = "lint flows/ask.flow.yaml -p acme --format short"
        #expect(await !place.run(line).output.contains("no.such.scope"))
        #expect(await look().status == 0)
        #expect(await place.run(line).output.contains("no.such.scope"))
    }
}
