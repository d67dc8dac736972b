internal import FlowEngine
internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// Checked metadata and key sets, kept for the length of the process.
final class DocumentCache: Sendable {
    private struct State {
        var metadata: [String: (value: DiscoveredMetadata, fetchedAt: Int64)] = [:]
        var keys: [String: (value: JWKSet, fetchedAt: Int64)] = [:]
    }

    private let state = Mutex(State())

    func metadata(_ issuer: String) -> InputEvent {
        state.withLock { $0.metadata[issuer] }.map { .metadata($0.value, fetchedAt: $0.fetchedAt) }
            ?? .nothingKept
    }

    func keep(_ metadata: DiscoveredMetadata, _ issuer: String, now: Int64) {
        state.withLock { $0.metadata[issuer] = (metadata, now) }
    }

    func keys(_ url: String) -> InputEvent {
        state.withLock { $0.keys[url] }.map { .keys($0.value, fetchedAt: $0.fetchedAt) } ?? .nothingKept
    }

    func keep(_ keys: JWKSet, _ url: String, now: Int64) {
        state.withLock { $0.keys[url] = (keys, now) }
    }
}
