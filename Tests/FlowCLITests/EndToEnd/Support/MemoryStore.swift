import FlowLive

/// Sessions in memory.
actor MemoryStore: SessionStore {
    private(set) var rows: [String: StoredBytes] = [:]
    private var generation: Int64 = 0
    private var isFull = false

    /// Whether saves fail from now on.
    func fill(_ isFull: Bool) { self.isFull = isFull }

    func load(_ key: String) async throws(SessionStoreError) -> StoredBytes? { rows[key] }

    func save(
        _ bytes: [UInt8], _ key: String, expecting: StoreExpectation
    ) async throws(SessionStoreError) -> Int64 {
        if isFull { throw .unavailable(reason: "no room") }
        switch expecting {
        case .any: break
        case .absent: if rows[key] != nil { throw .conflict }
        case .generation(let expected): if rows[key]?.generation != expected { throw .conflict }
        }
        generation += 1
        rows[key] = StoredBytes(generation: generation, bytes: bytes)
        return generation
    }

    func delete(_ key: String) async throws(SessionStoreError) { rows[key] = nil }
}
