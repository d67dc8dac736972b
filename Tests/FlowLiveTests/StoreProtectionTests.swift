import Glibc
import OAuthProtocol
import Testing

@testable import FlowLive

@Suite("The key of the store")
struct StoreProtectionTests {
    private let parent = TemporaryDirectory()
    private var directory: String { "\(parent.path)/store" }
    private let session: [UInt8] = Array("session-CANARY".utf8)

    private static func words(_ passphrase: String) -> StoreProtection {
        StoreProtection(passphrase: { Secret(passphrase, kind: .other) })
    }

    private func open(_ protection: StoreProtection = StoreProtection()) throws(StoreError)
        -> SQLiteSessionStore
    {
        try SQLiteSessionStore(directory: directory, protection: protection)
    }

    private func isLocked(_ error: any Error, _ words: String) -> Bool {
        guard let error = error as? StoreError, case .locked(let reason, _) = error else { return false }
        return reason.contains(words)
    }

    @Test(
        "what the system says of a store has a cause of its own",
        arguments: [
            (ENOSPC, "store_full"), (EDQUOT, "store_full"), (EROFS, "store_read_only"),
            (EACCES, "store_denied"),
            (EPERM, "store_denied"), (ENOTDIR, "store_unavailable"), (EIO, "store_unavailable"),
        ])
    func causes(code: Int32, cause: String) {
        #expect(PrivateFile.failure("/store", code).cause == cause)
        #expect(PrivateFile.failure(making: "/nowhere/store", code).cause == cause)
    }

    @Test("where nothing is configured it is a file, and the store says what else was thought of")
    func file() async throws {
        let store = try open()
        #expect(await store.method == .file)
        #expect(store.skipped == ["passphrase: none is configured", "keyring: not used here"])
        #expect(access("\(directory)/key", F_OK) == 0)
        #expect(try open().skipped.isEmpty)
    }

    @Test("a store that a passphrase seals opens with it alone, and leaves no key behind")
    func passphrase() async throws {
        let store = try open(Self.words("correct horse"))
        #expect(await store.method == .passphrase)
        let generation = try await store.save(key: "k", bytes: session, expecting: .absent)
        #expect(access("\(directory)/key", F_OK) != 0)
        let again = try open(Self.words("correct horse"))
        #expect(try await again.load(key: "k") == StoredBytes(generation: generation, bytes: session))
        var other = Self.words("battery staple")
        other.passphraseFix = "set THE_VARIABLE"
        let failure = StoreError.wrongPassphrase(path: directory, fix: "set THE_VARIABLE")
        #expect(throws: failure) { try open(other) }
        #expect(failure.words.contains("does not open the session store at \(directory)"))
        #expect(failure.words.contains("set THE_VARIABLE"))
        #expect { try open() } throws: { isLocked($0, "none is configured") }
        #expect { try open(Self.words("")) } throws: { isLocked($0, "no passphrase was given") }
    }

    @Test("a store is never opened by another method than the one asked for")
    func mismatch() throws {
        _ = try open()
        #expect { try open(StoreProtection(method: .keyring)) } throws: { error in
            isLocked(error, "its key is from a key file, not from the keyring")
        }
    }

    @Test("a key file that is gone is not replaced by a new one")
    func goneFile() async throws {
        let store = try open()
        _ = try await store.save(key: "k", bytes: session, expecting: .absent)
        unlink("\(directory)/key")
        #expect { try open() } throws: { isLocked($0, "is gone") }
        #expect(access("\(directory)/key", F_OK) != 0)
    }

    @Test("another key file is found out at once")
    func otherFile() throws {
        _ = try open()
        unlink("\(directory)/key")
        _ = try KeyFile.loadOrCreate("\(directory)/key")
        #expect { try open() } throws: { isLocked($0, "its key file \(directory)/key holds another key") }
    }

    @Test("sealed anew every session is kept, the old key is gone, and a store that is open follows")
    func sealedAnew() async throws {
        let first = try open()
        let other = try open(Self.words("correct horse"))
        let generation = try await first.save(key: "k", bytes: session, expecting: .absent)
        try await first.seal(Self.words("correct horse"))
        #expect(await first.method == .passphrase)
        #expect(access("\(directory)/key", F_OK) != 0)
        let kept = StoredBytes(generation: generation, bytes: session)
        #expect(try await first.load(key: "k") == kept)
        #expect(try await other.load(key: "k") == kept)
        let next = try await other.save(key: "k", bytes: session, expecting: .generation(generation))
        #expect(try await first.load(key: "k") == StoredBytes(generation: next, bytes: session))
        try await first.seal(StoreProtection(method: .file))
        #expect(try await open().load(key: "k") == StoredBytes(generation: next, bytes: session))
    }

    @Test("a key file that was made anew under the same name is followed too")
    func sealedTwice() async throws {
        let waiting = try open(Self.words("correct horse"))
        let first = try open(Self.words("correct horse"))
        try await first.seal(StoreProtection(method: .file))
        let open = try open()
        _ = try await open.save(key: "k", bytes: session, expecting: .absent)
        try await first.seal(Self.words("correct horse"))
        try await first.seal(StoreProtection(method: .file))
        _ = try await open.save(key: "l", bytes: session, expecting: .absent)
        #expect(try await first.load(key: "l")?.bytes == session)
        #expect(try await waiting.load(key: "k")?.bytes == session)
    }

    @Test("a store without the new key reads nothing and spoils nothing")
    func leftBehind() async throws {
        let first = try open()
        let other = try open()
        let generation = try await first.save(key: "k", bytes: session, expecting: .absent)
        try await first.seal(Self.words("correct horse"))
        await #expect { try await other.load(key: "k") } throws: { isLocked($0, "none is configured") }
        await #expect {
            try await other.save(key: "k", bytes: [1], expecting: .any)
        } throws: { isLocked($0, "none is configured") }
        #expect(try await first.load(key: "k") == StoredBytes(generation: generation, bytes: session))
    }

    @Test("a store from before there was a choice opens with its key file")
    func old() async throws {
        let store = try open()
        let generation = try await store.save(key: "k", bytes: session, expecting: .absent)
        let connection = try SQLiteConnection("\(directory)/sessions.db")
        try connection.execute(
            """
            DROP TABLE sealing; DROP TABLE run; DROP TABLE record; DROP TABLE doubt; DROP TABLE room;
            PRAGMA user_version = 1
            """)
        let migrated = try open(Self.words("not asked for"))
        #expect(await migrated.method == .file)
        #expect(try await migrated.load(key: "k") == StoredBytes(generation: generation, bytes: session))
    }

    @Test("of many processes that make a store all have the same key")
    func race() async throws {
        let stores = await withThrowingTaskGroup(of: SQLiteSessionStore.self) { group in
            for number in 0..<6 {
                group.addTask {
                    try SQLiteSessionStore(
                        directory: directory,
                        protection: number.isMultiple(of: 2) ? StoreProtection() : Self.words("correct horse")
                    )
                }
            }
            var stores: [SQLiteSessionStore] = []
            while let result = await group.nextResult() {
                // Those that lost and know no passphrase are told so.
                if case .success(let store) = result { stores.append(store) }
            }
            return stores
        }
        let first = try #require(stores.first)
        _ = try await first.save(key: "k", bytes: session, expecting: .absent)
        for store in stores { #expect(try await store.load(key: "k")?.bytes == session) }
        #expect(stores.count >= 3)
    }

    @Test("a store that somebody has open is not removed, and who it is is told")
    func inUse() async throws {
        let store = try open()
        await #expect(throws: StoreError.inUse(path: directory, processes: [getpid()])) {
            try SQLiteSessionStore.remove(directory: directory)
        }
        _ = try await store.save(key: "k", bytes: session, expecting: .absent)
        #expect(try await open().load(key: "k")?.bytes == session)
    }

    @Test("a use that is over in a moment is waited for, and nobody is told of it")
    func brieflyInUse() async throws {
        _ = try await open().save(key: "k", bytes: session, expecting: .absent)
        let script = """
            import fcntl, sys, time
            file = open(sys.argv[1] + "/use.lock", "r")
            fcntl.flock(file, fcntl.LOCK_SH)
            open(sys.argv[1] + "/held", "w").close()
            time.sleep(0.1)
            """
        async let other = ProcessRunner.run(
            ProcessRequest(
                arguments: ["/usr/bin/env", "python3", "-c", script, directory],
                environment: [("PATH", "/usr/local/bin:/usr/bin:/bin")], timeoutMilliseconds: 600_000))
        while access("\(directory)/held", F_OK) != 0 { await Task.yield() }
        try SQLiteSessionStore.remove(directory: directory)
        #expect(access("\(directory)/sessions.db", F_OK) != 0)
        #expect(try await other.end == .exited(0))
    }

    @Test("of several that seal a store at once none gives up the key that it has in the end")
    func sealedAtOnce() async throws {
        _ = try await open().save(key: "k", bytes: session, expecting: .absent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                let store = try open(Self.words("correct horse"))
                var protection = Self.words("correct horse")
                protection.method = number.isMultiple(of: 2) ? .passphrase : .file
                group.addTask { [protection] in try await store.seal(protection) }
            }
            try await group.waitForAll()
        }
        #expect(try await open(Self.words("correct horse")).load(key: "k")?.bytes == session)
    }

    @Test("nothing of a store is left after it was removed")
    func removed() async throws {
        _ = try await open().save(key: "k", bytes: session, expecting: .absent)
        try SQLiteSessionStore.remove(directory: directory)
        #expect(try await open().keys().isEmpty)
        try SQLiteSessionStore.remove(directory: directory)
        for name in ["sessions.db", "key"] { #expect(access("\(directory)/\(name)", F_OK) != 0) }
        try SQLiteSessionStore.remove(directory: directory)
        try SQLiteSessionStore.remove(directory: directory + "/none")
    }
}

@Suite("Exported sessions")
struct StoreArchiveTests {
    private let entries = [
        StoreArchive.Entry(key: "a", bytes: Array("first-CANARY".utf8)),
        StoreArchive.Entry(key: "b", bytes: []),
    ]
    private let passphrase = Secret("correct horse", kind: .other)

    @Test("they come back with the passphrase, and are not seen without it")
    func roundTrip() throws {
        let file = try StoreArchive.seal(entries, passphrase: passphrase)
        #expect(try StoreArchive.open(file, passphrase: passphrase) == entries)
        #expect(!String(decoding: file, as: UTF8.self).contains("CANARY"))
        #expect(throws: StoreArchive.Failure.closed) {
            try StoreArchive.open(file, passphrase: Secret("battery staple", kind: .other))
        }
    }

    @Test("a file that was changed, or is none, opens as nothing")
    func changed() throws {
        let file = try StoreArchive.seal(entries, passphrase: passphrase)
        for place in stride(from: file.count / 2, to: file.count - 4, by: 17) {
            var other = file
            other[place] ^= 1
            #expect(throws: StoreArchive.Failure.self) {
                try StoreArchive.open(other, passphrase: passphrase)
            }
        }
        let later = String(decoding: file, as: UTF8.self)
            .replacing(#""flowrun_sessions":1"#, with: #""flowrun_sessions":2"#)
        for text in ["", "{}", "[]", #"{"flowrun_sessions":1,"scrypt":"{}","sealed":"AA"}"#, later] {
            #expect(throws: StoreArchive.Failure.notAnArchive(reason: "it holds no exported sessions")) {
                try StoreArchive.open(Array(text.utf8), passphrase: passphrase)
            }
        }
    }
}
