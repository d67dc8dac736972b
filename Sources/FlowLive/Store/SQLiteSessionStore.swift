import Glibc

/// What one key has stored.
package struct StoredBytes: Sendable, Hashable {
    /// Grows with every save of the store and never comes again, also after a deletion.
    package let generation: Int64
    package let bytes: [UInt8]
}

/// What `save` expects to find.
package enum StoreExpectation: Sendable, Hashable {
    case absent
    case generation(Int64)
    case any
}

/// Sessions on disk: sealed values in SQLite, safe against crashes and against other processes.
///
/// An actor with a thread of its own, because a write waits for the disk and for other processes. Each value
/// is sealed together with its key and generation, so rows cannot be exchanged or put back. The keys are
/// stored as they are; they must not be secrets.
package actor SQLiteSessionStore {
    private let thread: SerialThread
    private let connection: SQLiteConnection
    private let key: SealingKey

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Opens the store, making the directory (0700), the database and the key file (0600) where missing.
    ///
    /// Blocks for a few milliseconds.
    ///
    /// - Parameters:
    ///   - directory: Absolute path.
    ///   - key: `nil` takes the machine's key from the file `key` beside the database.
    ///   - maximumPages: Bound of the database in pages of 4 KiB.
    /// - Throws: `permission` when others may open one of them; `newerSchema`, `corrupt`, `diskFull` or
    ///   `unavailable` as the database says.
    package init(
        directory: String, key: SealingKey? = nil, maximumPages: Int = 16_384
    ) throws(StoreError) {
        guard let thread = SerialThread() else {
            throw .unavailable(path: directory, reason: "no thread is left")
        }
        try PrivateFile.prepareDirectory(directory)
        guard let resolved = realpath(directory, nil) else { throw PrivateFile.failure(directory, errno) }
        defer { free(resolved) }
        let folder = String(cString: resolved)
        self.thread = thread
        if let key { self.key = key } else { self.key = try KeyFile.loadOrCreate(folder + "/key") }
        connection = try StoreSchema.open(folder + "/sessions.db", maximumPages: maximumPages)
    }

    /// - Throws: `corrupt` when the bytes are not what was saved under this key.
    package func load(key name: String) throws(StoreError) -> StoredBytes? {
        guard let row = try connection.rows(Self.select, [.text(name)]).first else { return nil }
        guard case .integer(let generation) = row[0], case .blob(let sealed) = row[1] else {
            throw .corrupt(reason: "a row has other types than were written")
        }
        let bytes = try key.open(sealed, context: Self.context(name, generation))
        return StoredBytes(generation: generation, bytes: bytes)
    }

    /// Replaces the value if the row is as expected, and waits until it is on the disk.
    ///
    /// - Returns: The new generation.
    /// - Throws: `conflict` with the generation found; whatever is thrown, the old row is kept.
    package func save(
        key name: String, bytes: [UInt8], expecting: StoreExpectation
    ) throws(StoreError) -> Int64 {
        try connection.transaction { () throws(StoreError) in
            try check(name, expecting)
            guard case .integer(let generation)? = try connection.rows(Self.next).first?.first else {
                throw .corrupt(reason: "the generation counter is missing")
            }
            let sealed = try key.seal(bytes, context: Self.context(name, generation))
            _ = try connection.rows(Self.upsert, [.text(name), .integer(generation), .blob(sealed)])
            return generation
        }
    }

    /// Deletes the row if it is as expected; nothing to delete is no failure with `any` and `absent`.
    package func delete(key name: String, expecting: StoreExpectation = .any) throws(StoreError) {
        try connection.transaction { () throws(StoreError) in
            try check(name, expecting)
            _ = try connection.rows("DELETE FROM session WHERE key = ?", [.text(name)])
        }
    }

    /// All keys, sorted.
    package func keys() throws(StoreError) -> [String] {
        try connection.rows("SELECT key FROM session ORDER BY key").compactMap { row in
            guard case .text(let name)? = row.first else { return nil }
            return name
        }
    }

    private func check(_ name: String, _ expecting: StoreExpectation) throws(StoreError) {
        let current: Int64? =
            if case .integer(let found)? = try connection.rows(Self.select, [.text(name)]).first?.first {
                found
            } else {
                nil
            }
        let isAsExpected =
            switch expecting {
            case .any: true
            case .absent: current == nil
            case .generation(let expected): current == expected
            }
        guard isAsExpected else { throw .conflict(current: current) }
    }

    private static let select = "SELECT generation, sealed FROM session WHERE key = ?"
    private static let next = "UPDATE counter SET generation = generation + 1 RETURNING generation"
    private static let upsert = """
        INSERT INTO session (key, generation, sealed) VALUES (?, ?, ?)
        ON CONFLICT (key) DO UPDATE SET generation = excluded.generation, sealed = excluded.sealed
        """

    /// What a sealed value is bound to.
    private static func context(_ name: String, _ generation: Int64) -> [UInt8] {
        Array("flowrun session 1\0\(generation)\0\(name)".utf8)
    }
}
