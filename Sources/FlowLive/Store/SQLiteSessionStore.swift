import Glibc

/// Sessions on disk: sealed values in SQLite, safe against crashes and against other processes.
///
/// An actor with a thread of its own, because a write waits for the disk and for other processes. Each value
/// is sealed together with its key and generation, so rows cannot be exchanged or put back. The keys are
/// stored as they are; they must not be secrets.
package actor SQLiteSessionStore {
    private let thread: SerialThread
    let connection: SQLiteConnection
    private let folder: String
    private let use: StoreUse?
    private let protection: StoreProtection
    private var seal: StoreSeal
    private(set) var key: SealingKey
    /// Why what would have come before it was not taken, when the store was made.
    package nonisolated let skipped: [String]

    /// Why nothing can be saved in it; `nil` where something can.
    package var obstacleToSaving: StoreError? { connection.isReadOnly ? connection.readOnly : nil }

    /// How the store in a directory is sealed, whether or not its key can be had; `nil` for one that is new.
    ///
    /// - Throws: As opening it does, but never `locked` or `wrongPassphrase`.
    package static func method(directory: String) throws(StoreError) -> SealingMethod? {
        try PrivateFile.prepareDirectory(directory)
        let connection = try StoreSchema.open(directory + "/sessions.db", maximumPages: usualPages)
        return try StoreSchema.seal(connection)?.seal.method
    }

    /// How the key came about.
    package var method: SealingMethod { seal.method }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// 1 GiB: a server's store of some hundred thousand sessions.
    private static let usualPages = 262_144

    /// Opens the store, making the directory (0700), the database and the key file (0600) where missing.
    ///
    /// Where nothing can be written, one that is there is opened for reading.
    ///
    /// Blocks for a few milliseconds; longer where the keyring asks a person, or a passphrase is made a key.
    ///
    /// - Parameters:
    ///   - directory: Absolute path.
    ///   - maximumPages: Bound of the database in pages of 4 KiB.
    /// - Throws: `permission` when others may open one of them; `locked` when the key cannot be had; `newerSchema`,
    ///   `damaged`, `diskFull` or `unavailable` as the database says.
    package init(
        directory: String, protection: StoreProtection = StoreProtection(), maximumPages: Int = usualPages
    ) throws(StoreError) {
        guard let thread = SerialThread() else {
            throw .unavailable(path: directory, reason: "no thread is left")
        }
        try self.init(
            directory: directory, protection: protection, maximumPages: maximumPages, thread: thread)
    }

    /// Opens the store on the caller's thread; all that follows is done on `thread`.
    init(
        directory: String, protection: StoreProtection, maximumPages: Int = usualPages, thread: SerialThread
    ) throws(StoreError) {
        try PrivateFile.prepareDirectory(directory)
        guard let resolved = realpath(directory, nil) else { throw PrivateFile.failure(directory, errno) }
        defer { free(resolved) }
        let folder = String(cString: resolved)
        self.thread = thread
        self.folder = folder
        use = try StoreUse.shared(folder)
        connection = try StoreSchema.open(folder + "/sessions.db", maximumPages: maximumPages)
        let found = try Self.key(connection, folder, protection)
        self.protection = protection
        (key, seal, skipped) = (found.key, found.seal, found.skipped)
    }

    // MARK: The key

    private static func key(
        _ connection: SQLiteConnection, _ folder: String, _ protection: StoreProtection
    ) throws(StoreError) -> StoreKey {
        if let found = try StoreSchema.seal(connection) {
            return try proved(found.seal, found.proof, folder, protection)
        }
        let new = try protection.newKey(folder)
        let winner = try connection.transaction {
            () throws(StoreError) -> (seal: StoreSeal, proof: [UInt8])? in
            if let other = try StoreSchema.seal(connection) { return other }
            try StoreSchema.write(new.seal, try proof(new.key), connection)
            return nil
        }
        guard let winner else { return new }
        // Another process was faster; what this one made opens nothing.
        if case .keyring(let entry) = new.seal { try? Keyring.remove(entry) }
        return try proved(winner.seal, winner.proof, folder, protection)
    }

    private static func proved(
        _ seal: StoreSeal, _ proof: [UInt8], _ folder: String, _ protection: StoreProtection
    ) throws(StoreError) -> StoreKey {
        let key = try protection.key(of: seal, folder)
        // A store from before there was a choice has no proof.
        if !proof.isEmpty {
            do throws(StoreError) {
                _ = try key.open(proof, context: proofContext)
            } catch {
                guard seal.method != .passphrase else {
                    throw .wrongPassphrase(path: folder, fix: protection.passphraseFix)
                }
                let place = seal == .file ? "its key file \(folder)/key" : seal.method.words
                throw .locked(reason: "\(place) holds another key", fix: "put the right key back")
            }
        }
        return StoreKey(seal: seal, key: key)
    }

    private static func proof(_ key: SealingKey) throws(StoreError) -> [UInt8] {
        try key.seal([0], context: proofContext)
    }

    private static let proofContext = Array("flowrun store 1".utf8)

    /// Seals every session with another key.
    ///
    /// The old key is given up last: whatever stops this, one of both opens everything. Processes that seal take turns,
    /// so that none gives up a key that the other has just taken.
    ///
    /// - Returns: Whether the key is another one now; a key file takes its own place as it is.
    @discardableResult
    package func seal(_ protection: StoreProtection) throws(StoreError) -> Bool {
        let turn = try sealingTurn()
        defer { turn.release() }
        let new = try protection.newKey(folder)
        let old = try connection.transaction { () throws(StoreError) in
            try followSeal()
            for name in try keys() {
                guard let row = try row(name) else { continue }
                let context = Self.context(name, row.generation)
                let sealed = try new.key.seal(try key.open(row.sealed, context: context), context: context)
                _ = try connection.rows(Self.upsert, [.text(name), .integer(row.generation), .blob(sealed)])
            }
            try sealRecords(new.key)
            try StoreSchema.write(new.seal, try Self.proof(new.key), connection)
            return seal
        }
        (key, seal) = (new.key, new.seal)
        guard old != new.seal else { return false }
        switch old {
        case .keyring(let entry): try? Keyring.remove(entry)
        case .file: unlink(folder + "/key")
        case .passphrase: break
        }
        return true
    }

    private func sealingTurn() throws(StoreError) -> FileLock {
        do throws(LockError) {
            return try FileLock.take(key: "seal", in: folder, waitingAtMost: Self.sealingPatience)
        } catch {
            switch error {
            case .store(let error): throw error
            case .timeout(let holder, _):
                let who = holder.map { "process \($0)" } ?? "another process"
                throw .unavailable(path: folder, reason: "\(who) is sealing it with another key")
            case .cancelled: throw .busy(path: folder)
            }
        }
    }

    /// Milliseconds; a key from a passphrase takes a second, and a person who is asked for one longer.
    private static let sealingPatience = 30_000

    /// Takes the store's new key when another process has sealed it anew.
    func followSeal() throws(StoreError) {
        guard let found = try StoreSchema.seal(connection), !opens(found.proof) else { return }
        var protection = protection
        // Which one holds was decided by whoever sealed it.
        protection.method = nil
        key = try Self.proved(found.seal, found.proof, folder, protection).key
        seal = found.seal
    }

    /// A key file may have been made anew meanwhile, under the same name.
    private func opens(_ proof: [UInt8]) -> Bool {
        // A store from before there was a choice has no proof.
        proof.isEmpty || (try? key.open(proof, context: Self.proofContext)) != nil
    }

    // MARK: Sessions

    /// - Throws: `corrupt` when the bytes are not what was saved under this key.
    package func load(key name: String) throws(StoreError) -> StoredBytes? {
        // In one transaction, so that the key is that of the row.
        try connection.transaction(reading: true) { () throws(StoreError) in
            try followSeal()
            guard let row = try row(name) else { return nil }
            let bytes = try key.open(row.sealed, context: Self.context(name, row.generation))
            return StoredBytes(
                generation: row.generation, bytes: bytes, isInDoubt: try isInDoubt(name, row.generation))
        }
    }

    private func row(_ name: String) throws(StoreError) -> (generation: Int64, sealed: [UInt8])? {
        guard let row = try connection.rows(Self.select, [.text(name)]).first else { return nil }
        guard case .integer(let generation) = row[0], case .blob(let sealed) = row[1] else {
            throw .corrupt(reason: "a row has other types than were written")
        }
        return (generation, sealed)
    }

    /// Replaces the value if the row is as expected, and waits until it is on the disk.
    ///
    /// - Returns: The new generation.
    /// - Throws: `conflict` with the generation found; whatever is thrown, the old row is kept.
    package func save(
        key name: String, bytes: [UInt8], expecting: StoreExpectation
    ) throws(StoreError) -> Int64 {
        try connection.transaction { () throws(StoreError) in
            try followSeal()
            try check(name, expecting)
            guard case .integer(let generation)? = try connection.rows(Self.next).first?.first else {
                throw .damaged(path: connection.path, reason: "the generation counter is missing")
            }
            let sealed = try key.seal(bytes, context: Self.context(name, generation))
            _ = try connection.rows(Self.upsert, [.text(name), .integer(generation), .blob(sealed)])
            try forgetDoubt(name)
            return generation
        }
    }

    /// Deletes the row if it is as expected; nothing to delete is no failure with `any` and `absent`.
    package func delete(key name: String, expecting: StoreExpectation = .any) throws(StoreError) {
        try connection.transaction { () throws(StoreError) in
            try check(name, expecting)
            _ = try connection.rows("DELETE FROM session WHERE key = ?", [.text(name)])
            try forgetDoubt(name)
        }
    }

    /// All keys, sorted.
    package func keys() throws(StoreError) -> [String] {
        try connection.rows("SELECT key FROM session ORDER BY key").compactMap { row in
            guard case .text(let name)? = row.first else { return nil }
            return name
        }
    }

    /// What is wrong with the database itself; empty when nothing is.
    package func damages() throws(StoreError) -> [String] {
        try connection.rows("PRAGMA integrity_check").compactMap { row in
            guard case .text(let text)? = row.first, text != "ok" else { return nil }
            return text
        }
    }

    /// Deletes the store in a directory: sessions, database and key. Nothing there is no failure.
    ///
    /// - Throws: `inUse` when somebody has it open, who would lose what is saved there.
    package static func remove(directory: String) throws(StoreError) {
        if access(directory, F_OK) != 0 { return }
        let use = try StoreUse.sole(directory)
        defer { withExtendedLifetime(use) {} }
        var entry: String?
        let path = directory + "/sessions.db"
        if access(path, F_OK) == 0, let connection = try? StoreSchema.open(path, maximumPages: 16_384),
            // A store that cannot be read is deleted all the same.
            case .keyring(let name)? = try? StoreSchema.seal(connection)?.seal
        {
            entry = name
        }
        for name in ["sessions.db", "sessions.db-wal", "sessions.db-shm", "key"] {
            guard unlink("\(directory)/\(name)") == 0 || errno == ENOENT else {
                throw PrivateFile.failure("\(directory)/\(name)", errno)
            }
        }
        // The entry opens nothing any more.
        if let entry { try? Keyring.remove(entry) }
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
