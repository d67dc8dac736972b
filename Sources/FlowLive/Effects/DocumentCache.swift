internal import FlowEngine
internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// Checked metadata and key sets: those of this process in memory, those of others on disk.
///
/// A document from the disk passes every check again before it is given out.
final class DocumentCache: Sendable {
    /// Two descriptors of one issuer may let its document say different things.
    private struct MetadataName: Hashable {
        let issuer: String
        let amended: Set<String>
    }

    private struct State {
        var metadata: [MetadataName: (value: DiscoveredMetadata, document: StoredDocument)] = [:]
        var keys: [String: (value: JWKSet, document: StoredDocument)] = [:]
    }

    private let state = Mutex(State())
    private let store: DocumentStore?
    /// Whether what other processes kept is left alone.
    private let refreshes: Bool

    init(_ configuration: LiveConfiguration) {
        store = configuration.cacheDirectory.map { DocumentStore(directory: $0 + "/metadata") }
        refreshes = configuration.refreshesMetadata
    }

    func metadata(
        _ issuer: String, _ provider: BoundProvider?, now: Int64, _ events: any EffectEvents
    ) -> InputEvent {
        let name = MetadataName(issuer: issuer, amended: provider?.amendedMetadata ?? [])
        if let kept = state.withLock({ $0.metadata[name] }) {
            return .metadata(kept.value, kept.document.origin)
        }
        // A file of some kilobytes is read in microseconds: no other thread is worth the way.
        guard let store, let provider, !refreshes else { return .nothingKept }
        let (found, problems) = store.metadata(
            issuer: issuer, urls: provider.discoveryPlans.map(\.endpoint),
            acceptedIssuers: provider.acceptedMetadataIssuers, amended: provider.amendedMetadata, now: now)
        report(problems, events)
        guard let found else { return .nothingKept }
        state.withLock { $0.metadata[name] = (found.metadata, found.document) }
        return .metadata(found.metadata, found.document.origin)
    }

    /// - Parameter body: As fetched; `nil` when the server said that what is kept still holds.
    func keep(
        _ metadata: DiscoveredMetadata, _ issuer: String, _ origin: DocumentOrigin, body: [UInt8]?,
        _ events: any EffectEvents
    ) async {
        let name = MetadataName(issuer: issuer, amended: metadata.amended)
        let known = state.withLock { state in
            let body = body ?? state.metadata[name]?.document.body ?? []
            let document = StoredDocument(kind: .metadata, origin: origin, issuer: issuer, body: body)
            state.metadata[name] = (metadata, document)
            return document
        }
        await write(known, events)
    }

    func keys(_ url: String, now: Int64, _ events: any EffectEvents) -> InputEvent {
        if let kept = state.withLock({ $0.keys[url] }) { return .keys(kept.value, kept.document.origin) }
        guard let store, !refreshes else { return .nothingKept }
        let (found, problems) = store.keys(url: url, now: now)
        report(problems, events)
        guard let found else { return .nothingKept }
        state.withLock { $0.keys[url] = (found.keys, found.document) }
        return .keys(found.keys, found.document.origin)
    }

    func keep(
        _ keys: JWKSet, _ origin: DocumentOrigin, body: [UInt8]?, _ events: any EffectEvents
    ) async {
        let known = state.withLock { state in
            let body = body ?? state.keys[origin.url]?.document.body ?? []
            let document = StoredDocument(kind: .keys, origin: origin, issuer: nil, body: body)
            state.keys[origin.url] = (keys, document)
            return document
        }
        await write(known, events)
    }

    /// Flushing a file can take longer than a request: a thread of its own waits for it.
    private func write(_ document: StoredDocument, _ events: any EffectEvents) async {
        guard let store, !document.body.isEmpty else { return }
        let problem: String? = await withCheckedContinuation { continuation in
            let isStarted = WorkerThread.start { continuation.resume(returning: store.keep(document)) }
            if !isStarted { continuation.resume(returning: "no threads are left") }
        }
        if let problem { events.report(.warning("the document is not cached: \(problem)")) }
    }

    private func report(_ problems: [String], _ events: any EffectEvents) {
        for problem in problems { events.report(.warning("a cached document is not used: \(problem)")) }
    }
}
