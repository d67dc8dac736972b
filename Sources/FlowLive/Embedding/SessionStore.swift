/// Where an embedding program keeps sessions, in place of the sealed database on disk.
///
/// A value is the whole session: whoever reads it can act for the person. Values are replaced only where the generation
/// is the expected one, so that of two writers one learns that it was too late.
public protocol SessionStore: Sendable {
    /// What is kept under the key; `nil` when nothing is.
    ///
    /// - Parameter key: 64 hexadecimal digits; says nothing about the session.
    func load(_ key: String) async throws(SessionStoreError) -> StoredBytes?

    /// Keeps a value durably, if what is there is as expected.
    ///
    /// - Returns: The new generation: never one that the key had before.
    /// - Throws: `conflict` when it is not; then nothing has changed.
    func save(
        _ bytes: [UInt8], _ key: String, expecting: StoreExpectation
    ) async throws(SessionStoreError) -> Int64

    /// Deletes what is kept; nothing there is no failure.
    func delete(_ key: String) async throws(SessionStoreError)
}

/// Why a store of sessions did not do what it was asked.
public enum SessionStoreError: Error, Sendable, Hashable {
    /// Another value is there than was expected.
    case conflict
    /// What is there is not what was kept.
    case damaged(reason: String)
    case unavailable(reason: String)
}

/// What is kept under one key.
public struct StoredBytes: Sendable, Hashable {
    /// Grows with every save of the store and never comes again, also after a deletion.
    public let generation: Int64
    /// The session, tokens and all.
    public let bytes: [UInt8]
    /// Whether the refresh token of exactly this generation was sent, and nobody knows what became of that; only the
    /// database on disk, which keeps journals of runs, can say so.
    package var isInDoubt: Bool

    /// What `save` was given under that generation.
    public init(generation: Int64, bytes: [UInt8]) {
        self.init(generation: generation, bytes: bytes, isInDoubt: false)
    }

    package init(generation: Int64, bytes: [UInt8], isInDoubt: Bool) {
        self.generation = generation
        self.bytes = bytes
        self.isInDoubt = isInDoubt
    }
}

extension StoredBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The bytes are the session, tokens and all.
    public var description: String { "‹session of \(bytes.count) B, generation \(generation)›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

/// What a save expects to find.
public enum StoreExpectation: Sendable, Hashable {
    /// Nothing is there.
    case absent
    /// What is there is of this generation.
    case generation(Int64)
    /// Whatever is there is replaced.
    case any
}
