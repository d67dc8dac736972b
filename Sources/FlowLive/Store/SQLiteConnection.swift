internal import CSQLite
import Glibc

/// A value to bind or a column that was read.
enum SQLiteValue: Equatable {
    case integer(Int64)
    case text(String)
    case blob([UInt8])
    case null
}

/// Owns one database handle; used by one thread at a time.
final class SQLiteConnection {
    private let handle: OpaquePointer
    let path: String
    private var statements: [String: OpaquePointer] = [:]

    /// Opens a database that is there; only for reading where its file cannot be written.
    init(_ path: String) throws(StoreError) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_FULLMUTEX
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard let handle else { throw .unavailable(path: path, reason: "out of memory") }
        self.handle = handle
        self.path = path
        guard code == SQLITE_OK else { throw failure() }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_handler(handle, waitForLock, nil)
        // The log stays when the last process leaves: a disk that is full must not keep the next from reading.
        var isPersistent: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isPersistent)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        // Who has only read writes nothing: copying the log into the database would wait for the disk three times.
        if sqlite3_total_changes64(handle) == 0 { fr_leave_log(handle) }
        sqlite3_close_v2(handle)
    }

    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// What becomes of an attempt to write what can only be read.
    var readOnly: StoreError {
        .readOnly(path: path, reason: "it can only be read here; nothing can be saved in it")
    }

    /// Runs statements without parameters or results.
    func execute(_ sql: String) throws(StoreError) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    /// Runs one statement; it is kept for the next time.
    func rows(_ sql: String, _ values: [SQLiteValue] = []) throws(StoreError) -> [[SQLiteValue]] {
        let statement = try statement(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() {
            guard bind(value, at: Int32(index + 1), of: statement) == SQLITE_OK else { throw failure() }
        }
        var rows: [[SQLiteValue]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                rows.append((0..<sqlite3_column_count(statement)).map { Self.column($0, of: statement) })
            case SQLITE_DONE: return rows
            default: throw failure()
            }
        }
    }

    /// Runs `body` in a transaction that is undone when it throws.
    ///
    /// - Parameter reading: Whether it only reads, so that it waits for nobody.
    func transaction<Result>(
        reading: Bool = false, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try execute(reading ? "BEGIN" : "BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // Some failures have undone it already; then there is nothing to do.
            if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            throw error
        }
    }

    private func statement(_ sql: String) throws(StoreError) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure() }
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: SQLiteValue, at index: Int32, of statement: OpaquePointer) -> Int32 {
        switch value {
        case .integer(let number): sqlite3_bind_int64(statement, index, number)
        case .text(let text): fr_bind_text(statement, index, text, Int32(clamping: text.utf8.count))
        case .blob(let bytes): fr_bind_blob(statement, index, bytes, Int32(clamping: bytes.count))
        case .null: sqlite3_bind_null(statement, index)
        }
    }

    private static func column(_ index: Int32, of statement: OpaquePointer) -> SQLiteValue {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, index))
        case SQLITE_TEXT: .text(sqlite3_column_text(statement, index).map { String(cString: $0) } ?? "")
        case SQLITE_BLOB:
            .blob(
                Array(
                    UnsafeRawBufferPointer(
                        start: sqlite3_column_blob(statement, index),
                        count: Int(sqlite3_column_bytes(statement, index)))))
        default: .null
        }
    }

    /// The last failure of this handle.
    private func failure() -> StoreError {
        let code = sqlite3_errcode(handle)
        let reason = sqlite3_errmsg(handle).map { String(cString: $0) } ?? "error \(code)"
        let system = sqlite3_system_errno(handle)
        if code == SQLITE_READONLY { return readOnly }
        if code == SQLITE_CANTOPEN, isReadOnly {
            let files = "sessions.db-wal and sessions.db-shm"
            return .readOnly(
                path: path, reason: "it can only be read here, and \(files) cannot be made beside it")
        }
        return switch code & 0xFF {
        case SQLITE_FULL: .diskFull(path: path)
        case SQLITE_BUSY, SQLITE_LOCKED: .busy(path: path)
        case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged(path: path, reason: reason)
        case SQLITE_READONLY: .readOnly(path: path, reason: reason)
        case SQLITE_PERM, SQLITE_AUTH: .permission(path: path, reason: reason)
        case SQLITE_IOERR where system == ENOSPC || system == EDQUOT: .diskFull(path: path)
        case SQLITE_CANTOPEN where system == EACCES || system == EROFS:
            .permission(path: path, reason: reason)
        default: .unavailable(path: path, reason: reason)
        }
    }
}

/// Waits 100 to 500 µs for another process's lock, about five seconds in all.
///
/// SQLite's own waiting grows to 100 ms and starves one of two busy processes for up to two seconds.
private func waitForLock(_ context: UnsafeMutableRawPointer?, _ attempt: Int32) -> Int32 {
    guard attempt < 16_000 else { return 0 }
    usleep(100 + UInt32(attempt &* 7919) % 400)
    return 1
}
