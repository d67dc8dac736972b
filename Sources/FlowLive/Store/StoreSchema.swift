import Glibc

/// The layout of the session database and the way from older ones.
enum StoreSchema {
    /// Each step leads from the version of its index to the next; a shipped step is never changed.
    static let migrations = [
        """
        CREATE TABLE session (
            key TEXT PRIMARY KEY NOT NULL, generation INTEGER NOT NULL, sealed BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE counter (generation INTEGER NOT NULL) STRICT;
        INSERT INTO counter VALUES (0);
        """,
        // What was sealed before there was a choice was sealed with the key file.
        """
        CREATE TABLE sealing (method TEXT NOT NULL, parameters TEXT NOT NULL, proof BLOB NOT NULL) STRICT;
        INSERT INTO sealing SELECT 'file', '{}', x'' FROM counter WHERE generation > 0;
        """,
        // Runs with their journals, and the sessions whose refresh token is on its way or was lost on it.
        """
        CREATE TABLE run (
            id TEXT PRIMARY KEY NOT NULL, facts TEXT NOT NULL, started INTEGER NOT NULL, standing TEXT NOT NULL,
            state TEXT, until INTEGER, session TEXT, ended INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE record (
            run TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL, time INTEGER NOT NULL,
            facts TEXT NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (run, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE doubt (
            session TEXT PRIMARY KEY NOT NULL, generation INTEGER NOT NULL, run TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE room (bytes BLOB NOT NULL) STRICT;
        """,
    ]

    /// Opens the file, made when missing, in the newest version.
    static func open(_ path: String, maximumPages: Int) throws(StoreError) -> SQLiteConnection {
        try PrivateFile.create(path)
        try PrivateFile.check(named: path)
        let connection = try SQLiteConnection(path)
        try keepLog(connection)
        // A session must survive a power failure: FULL waits for the disk at every commit.
        try connection.execute(
            """
            PRAGMA synchronous = FULL; PRAGMA max_page_count = \(maximumPages);
            PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF;
            """)
        try migrate(connection, migrations)
        return connection
    }

    /// Of several that make a store at once each may hold up the change of another, and SQLite then gives up at once,
    /// for waiting alone would not help.
    private static func keepLog(_ connection: SQLiteConnection) throws(StoreError) {
        let end = ContinuousClock.now + .seconds(5)
        while true {
            do throws(StoreError) {
                return try connection.execute("PRAGMA journal_mode = WAL")
            } catch {
                guard case .busy = error, ContinuousClock.now < end else { throw error }
                usleep(.random(in: 100...2_000))
            }
        }
    }

    /// Brings the database to the version that `migrations` leads to.
    static func migrate(_ connection: SQLiteConnection, _ migrations: [String]) throws(StoreError) {
        if try version(connection) == migrations.count { return }
        try connection.transaction { () throws(StoreError) in
            // Another process may have done it meanwhile.
            let found = try version(connection)
            guard found <= migrations.count else {
                throw .newerSchema(found: found, supported: migrations.count)
            }
            for step in migrations[found...] { try connection.execute(step) }
            try connection.execute("PRAGMA user_version = \(migrations.count)")
        }
    }

    // MARK: The key

    /// How the sessions are sealed, with a sealed nothing that only the right key opens; `nil` for a store that is new.
    static func seal(_ connection: SQLiteConnection) throws(StoreError) -> (seal: StoreSeal, proof: [UInt8])?
    {
        guard let row = try connection.rows("SELECT method, parameters, proof FROM sealing").first else {
            return nil
        }
        guard case .text(let method) = row[0], case .text(let parameters) = row[1],
            case .blob(let proof) = row[2], let seal = StoreSeal(method: method, text: parameters)
        else { throw .damaged(path: connection.path, reason: "it says nothing known of its key") }
        return (seal, proof)
    }

    /// Within a transaction.
    static func write(_ seal: StoreSeal, _ proof: [UInt8], _ connection: SQLiteConnection) throws(StoreError)
    {
        try connection.execute("DELETE FROM sealing")
        _ = try connection.rows(
            "INSERT INTO sealing VALUES (?, ?, ?)",
            [.text(seal.method.rawValue), .text(seal.text), .blob(proof)])
    }

    private static func version(_ connection: SQLiteConnection) throws(StoreError) -> Int {
        guard case .integer(let version)? = try connection.rows("PRAGMA user_version").first?.first else {
            throw .damaged(path: connection.path, reason: "it tells no version")
        }
        return Int(version)
    }
}
