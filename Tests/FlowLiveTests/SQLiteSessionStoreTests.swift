import Glibc
import Testing

@testable import FlowLive

@Suite("SQLiteSessionStore")
struct SQLiteSessionStoreTests {
    private let parent = TemporaryDirectory()
    private var directory: String { "\(parent.path)/a/store" }
    private var database: String { "\(directory)/sessions.db" }
    private let one: [UInt8] = Array("one-CANARY".utf8)
    private let two: [UInt8] = Array("two-CANARY".utf8)

    private func open() throws(StoreError) -> SQLiteSessionStore {
        try SQLiteSessionStore(directory: directory)
    }

    @Test("what was saved is loaded, also by the next process, until it is deleted")
    func roundTrip() async throws {
        let store = try open()
        #expect(try await store.load(key: "k") == nil)
        let generation = try await store.save(key: "k", bytes: one, expecting: .absent)
        #expect(try await store.load(key: "k") == StoredBytes(generation: generation, bytes: one))
        let again = try open()
        #expect(try await again.load(key: "k") == StoredBytes(generation: generation, bytes: one))
        _ = try await again.save(key: "b", bytes: [], expecting: .any)
        #expect(try await store.keys() == ["b", "k"])
        try await store.delete(key: "k")
        #expect(try await again.load(key: "k") == nil)
    }

    @Test("a save with another expectation conflicts and keeps the row")
    func conflict() async throws {
        let store = try open()
        await #expect(throws: StoreError.conflict(current: nil)) {
            try await store.save(key: "k", bytes: one, expecting: .generation(1))
        }
        let first = try await store.save(key: "k", bytes: one, expecting: .absent)
        await #expect(throws: StoreError.conflict(current: first)) {
            try await store.save(key: "k", bytes: two, expecting: .absent)
        }
        let second = try await store.save(key: "k", bytes: two, expecting: .generation(first))
        #expect(second > first)
        await #expect(throws: StoreError.conflict(current: second)) {
            try await store.save(key: "k", bytes: one, expecting: .generation(first))
        }
        await #expect(throws: StoreError.conflict(current: second)) {
            try await store.delete(key: "k", expecting: .generation(first))
        }
        #expect(try await store.load(key: "k") == StoredBytes(generation: second, bytes: two))
    }

    @Test("who only reads leaves the database as it is, also when the log has more")
    func readingWritesNothing() async throws {
        let store = try open()
        let generation = try await store.save(key: "k", bytes: one, expecting: .absent)
        // As a process that was killed leaves them: the row is in the log alone.
        let copy = "\(parent.path)/copy"
        mkdir(copy, 0o700)
        for name in ["sessions.db", "sessions.db-wal", "key"] {
            try PrivateFile.replace("\(copy)/\(name)", with: fileBytes("\(directory)/\(name)"))
        }
        let before = fileBytes("\(copy)/sessions.db")
        do {
            let reader = try SQLiteSessionStore(directory: copy)
            #expect(try await reader.load(key: "k") == StoredBytes(generation: generation, bytes: one))
        }
        #expect(fileBytes("\(copy)/sessions.db") == before)
        #expect(fileBytes("\(copy)/sessions.db-wal") == fileBytes("\(directory)/sessions.db-wal"))
    }

    @Test("an attempt to write what can only be read is told as that")
    func readOnly() async throws {
        let store = try open()
        _ = try await store.save(key: "k", bytes: one, expecting: .absent)
        let path = "\(directory)/sessions.db"
        let connection = try SQLiteConnection(path)
        #expect(!connection.isReadOnly)
        try connection.execute("PRAGMA query_only = ON")
        #expect(
            throws: StoreError.readOnly(
                path: path, reason: "it can only be read here; nothing can be saved in it")
        ) { try connection.execute("DELETE FROM session") }
        #expect(await store.obstacleToSaving == nil)
    }

    @Test("a generation never comes again, even after a deletion")
    func generations() async throws {
        let store = try open()
        let first = try await store.save(key: "k", bytes: one, expecting: .any)
        try await store.delete(key: "k")
        #expect(try await store.save(key: "k", bytes: one, expecting: .absent) > first)
    }

    @Test("of many tasks in two connections that increment, none is lost")
    func racing() async throws {
        let stores = [try open(), try open()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { try await increment(stores[number % 2], by: UInt8(number)) }
            }
            try await group.waitForAll()
        }
        #expect(try await stores[0].load(key: "n")?.bytes.first == 20)
    }

    /// - Parameter task: Makes the value another one than those of the other tasks: the same again is no other save.
    private func increment(_ store: SQLiteSessionStore, by task: UInt8) async throws {
        while try await !incrementsOnce(store, by: task) {}
    }

    private func incrementsOnce(_ store: SQLiteSessionStore, by task: UInt8) async throws(StoreError) -> Bool
    {
        let current = try await store.load(key: "n")
        let expecting = current.map { StoreExpectation.generation($0.generation) } ?? .absent
        do {
            let bytes = [(current?.bytes.first ?? 0) + 1, task]
            _ = try await store.save(key: "n", bytes: bytes, expecting: expecting)
            return true
        } catch {
            guard case .conflict = error else { throw error }
            return false
        }
    }

    @Test("many stores may be opened at once where there was none, and share one key")
    func racingCreation() async throws {
        for round in 0..<20 {
            let directory = "\(directory)-\(round)"
            let stores = try await withThrowingTaskGroup(of: SQLiteSessionStore.self) { group in
                // A thread each: the processors alone would open two at once.
                for _ in 0..<12 {
                    group.addTask {
                        try await DiskStore(directory: directory, protection: StoreProtection()).opened()
                    }
                }
                return try await group.reduce(into: [SQLiteSessionStore]()) { $0.append($1) }
            }
            _ = try await stores[0].save(key: "k", bytes: one, expecting: .absent)
            for store in stores { #expect(try await store.load(key: "k")?.bytes == one) }
        }
    }

    @Test("another process that holds the database delays a save and loses nothing")
    func otherProcess() async throws {
        let store = try open()
        _ = try await store.save(key: "k", bytes: one, expecting: .absent)
        let script = """
            import sqlite3, sys, time
            c = sqlite3.connect(sys.argv[1], isolation_level=None)
            c.execute("BEGIN IMMEDIATE")
            open(sys.argv[2], "w").close()
            time.sleep(0.1)
            c.execute("UPDATE counter SET generation = generation + 100")
            c.execute("COMMIT")
            """
        let flag = "\(parent.path)/held"
        let arguments = ["/usr/bin/env", "python3", "-c", script, database, flag]
        async let other = ProcessRunner.run(
            ProcessRequest(
                arguments: arguments, environment: [("PATH", "/usr/local/bin:/usr/bin:/bin")],
                timeoutMilliseconds: 600_000))
        while access(flag, F_OK) != 0 { await Task.yield() }
        let generation = try await store.save(key: "k", bytes: two, expecting: .any)
        #expect(generation > 100)
        #expect(try await other.end == .exited(0))
    }

    @Test("who reads waits for nobody who writes")
    func readingWhileWriting() async throws {
        let store = try open()
        let generation = try await store.save(key: "k", bytes: one, expecting: .absent)
        let writing = try SQLiteConnection(database)
        try writing.execute("BEGIN IMMEDIATE")
        #expect(try await store.load(key: "k") == StoredBytes(generation: generation, bytes: one))
        #expect(try await store.keys() == ["k"])
        try writing.execute("COMMIT")
    }

    @Test("what is wrong with the database itself is told")
    func damages() async throws {
        let store = try open()
        #expect(try await store.damages() == [])
        let connection = try SQLiteConnection(database)
        try connection.execute(
            """
            CREATE TABLE small (number INTEGER CHECK (number < 10)); PRAGMA ignore_check_constraints = ON;
            INSERT INTO small VALUES (11)
            """)
        #expect(try await store.damages() == ["CHECK constraint failed in small"])
    }

    @Test("the directories have mode 700, the files mode 600, and no value is readable in them [rule 173]")
    func privacy() async throws {
        let store = try open()
        _ = try await store.save(key: "k", bytes: one, expecting: .absent)
        #expect(fileMode("\(parent.path)/a") == 0o700)
        #expect(fileMode(directory) == 0o700)
        for name in ["sessions.db", "sessions.db-wal", "sessions.db-shm", "key"] {
            #expect(fileMode("\(directory)/\(name)") == 0o600)
            #expect(!String(decoding: fileBytes("\(directory)/\(name)"), as: UTF8.self).contains("CANARY"))
        }
        #expect(fileBytes("\(directory)/key").count == 32)
    }

    @Test("a directory that others may open is refused")
    func openDirectory() throws {
        mkdir("\(parent.path)/a", 0o700)
        mkdir(directory, 0o700)
        chmod(directory, 0o755)
        #expect(
            throws: StoreError.permission(
                path: directory, reason: "others may open it (mode 755); chmod 700 it")
        ) { try open() }
    }

    @Test(
        "a database, key file or lock that others may open is refused",
        arguments: ["sessions.db", "key", "use.lock"])
    func openFile(_ name: String) throws {
        _ = try open()
        chmod("\(directory)/\(name)", 0o640)
        #expect(
            throws: StoreError.permission(
                path: "\(directory)/\(name)", reason: "others may open it (mode 640); chmod 600 it")
        ) { try open() }
    }

    @Test(
        "a database, key file or lock of another user is refused",
        .enabled(if: geteuid() == 0, "nobody else can give a file away"),
        arguments: ["sessions.db", "key", "use.lock"])
    func foreignFile(_ name: String) throws {
        _ = try open()
        #expect(chown("\(directory)/\(name)", 1, 1) == 0)
        #expect(
            throws: StoreError.permission(path: "\(directory)/\(name)", reason: "it belongs to user 1")
        ) { try open() }
    }

    @Test("symbolic links in place of the directory, the database or the key are refused [rule 173]")
    func links() throws {
        _ = try open()
        symlink(directory, "\(parent.path)/link")
        let link = "\(parent.path)/link"
        #expect(throws: StoreError.permission(path: link, reason: "it is a symbolic link")) {
            try SQLiteSessionStore(directory: link)
        }
        let key = "\(directory)/key"
        rename(key, "\(parent.path)/moved")
        symlink("\(parent.path)/moved", key)
        #expect(throws: StoreError.permission(path: key, reason: "it is a symbolic link")) { try open() }
        rename("\(parent.path)/moved", key)
        rename(database, "\(parent.path)/moved.db")
        symlink("\(parent.path)/moved.db", database)
        #expect(throws: StoreError.permission(path: database, reason: "it is not a plain file")) {
            try open()
        }
    }

    @Test("a file in place of the directory is told")
    func notDirectory() {
        let file = parent.write("file", "")
        #expect(throws: StoreError.unavailable(path: file, reason: "Not a directory")) {
            try SQLiteSessionStore(directory: file)
        }
    }

    @Test("a place where no directory can be made is told")
    func unwritable() {
        let error = #expect(throws: StoreError.self) {
            try SQLiteSessionStore(directory: "/proc/flowrun-store")
        }
        #expect(error == .unavailable(path: "/proc/flowrun-store", reason: "No such file or directory"))
    }

    @Test("a key of another length and another row's bytes do not open a session")
    func wrongKey() async throws {
        let store = try open()
        _ = try await store.save(key: "k", bytes: one, expecting: .absent)
        _ = try await store.save(key: "l", bytes: two, expecting: .absent)
        let sealed = StoreError.corrupt(reason: "a stored session does not open with this key")
        let connection = try SQLiteConnection(database)
        try connection.execute(
            "UPDATE session SET sealed = (SELECT sealed FROM session WHERE key = 'l') WHERE key = 'k'")
        await #expect(throws: sealed) { try await store.load(key: "k") }
        try connection.execute("UPDATE session SET generation = generation + 1 WHERE key = 'l'")
        await #expect(throws: sealed) { try await store.load(key: "l") }
        unlink("\(directory)/key")
        _ = TemporaryFile("\(directory)/key", bytes: 31)
        #expect(throws: StoreError.damaged(path: "\(directory)/key", reason: "it has 31 bytes, not 32")) {
            try open()
        }
    }

    @Test("a database that is none is damaged, and the words say how to get rid of it")
    func notADatabase() throws {
        _ = try open()
        unlink("\(directory)/sessions.db-wal")
        _ = TemporaryFile(database, bytes: 4096)
        let damage = StoreError.damaged(path: database, reason: "file is not a database")
        #expect(throws: damage) { try open() }
        #expect(damage.words.contains("; bring it back from a backup, or flowrun store reset --yes"))
    }

    @Test("a full store refuses a save and keeps the old row")
    func full() async throws {
        let store = try SQLiteSessionStore(directory: directory, maximumPages: 8)
        let generation = try await store.save(key: "k", bytes: one, expecting: .absent)
        await #expect(throws: StoreError.diskFull(path: database)) {
            try await store.save(key: "k", bytes: [UInt8](repeating: 1, count: 100_000), expecting: .any)
        }
        #expect(try await store.load(key: "k") == StoredBytes(generation: generation, bytes: one))
        _ = try await store.save(key: "k", bytes: two, expecting: .generation(generation))
    }

    @Test("a store of a later version is not touched")
    func newerSchema() throws {
        _ = try open()
        try SQLiteConnection(database).execute("PRAGMA user_version = 9")
        #expect(throws: StoreError.newerSchema(found: 9, supported: StoreSchema.migrations.count)) {
            try open()
        }
    }

    @Test("an older store is brought to the new version with its rows")
    func migration() throws {
        _ = try open()
        let connection = try SQLiteConnection(database)
        let more = StoreSchema.migrations + ["UPDATE counter SET generation = generation + 500"]
        try StoreSchema.migrate(connection, more)
        try StoreSchema.migrate(connection, more)
        #expect(try connection.rows("SELECT generation FROM counter") == [[.integer(500)]])
        #expect(try connection.rows("PRAGMA user_version") == [[.integer(Int64(more.count))]])
    }

    @Test("a key tells nothing of itself")
    func redaction() {
        let key = SealingKey([UInt8](repeating: 65, count: 32))
        #expect(key.map { "\($0) \(String(reflecting: $0))" } == "‹sealing key› ‹sealing key›")
    }
}

/// Overwrites a file with spaces.
private struct TemporaryFile {
    init(_ path: String, bytes: Int) {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = write(descriptor, [UInt8](repeating: 32, count: bytes), bytes)
        close(descriptor)
    }
}
