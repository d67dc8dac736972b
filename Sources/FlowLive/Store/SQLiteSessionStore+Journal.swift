package import FlowEngine
package import JOSE

/// A run as the store lists it.
package struct StoredRun: Sendable, Hashable {
    package let id: String
    /// What its first record shows: flow, provider, profile, deadline.
    package let facts: JSONObject
    package let startedAt: Int64
    /// `working`, `spending`, `waiting` or `ended`.
    package let standing: String
    package let waitsUntil: Int64?
    package let endedAt: Int64?
}

/// Journals beside the sessions that they are about: one transaction can write both.
///
/// The facts of a record are readable to whoever may read the file, its content is sealed together with them, so
/// records can be neither changed nor exchanged. The content goes when the run ends.
extension SQLiteSessionStore {
    /// Appends records to a run that has `count` of them.
    ///
    /// - Throws: `conflict` when it has more: another process goes on with it.
    func append(
        _ entries: [JournalEntry], to run: String, after count: Int, _ standing: RunStanding, now: Int64
    ) throws(StoreError) {
        if case .spending = standing { try reserve() }
        try connection.transaction { () throws(StoreError) in
            try followSeal()
            if count == 0 { try begin(run, entries, now: now) }
            guard case .integer(let found)? = try connection.rows(Self.count, [.text(run)]).first?.first,
                found == count
            else { throw .conflict(current: nil) }
            for (index, entry) in entries.enumerated() { try write(entry, run, count + index) }
            try settle(run, standing, now: now)
        }
    }

    /// Makes sure of the room for what an answer brings: a disk that fills up while a request is on its way must not
    /// cost the token that comes back.
    ///
    /// Pages that were written and given back stay in the database, and the log is written from its beginning again.
    private func reserve() throws(StoreError) {
        _ = try connection.rows("INSERT INTO room VALUES (zeroblob(?))", [.integer(Self.room)])
        _ = try connection.rows("DELETE FROM room")
        // Others may be reading; then the log goes on where it is, and only its room is not made sure of.
        try? connection.execute("PRAGMA wal_checkpoint(RESTART)")
    }

    private func begin(_ run: String, _ entries: [JournalEntry], now: Int64) throws(StoreError) {
        let old = SQLiteValue.integer(now - Self.keptFor)
        _ = try connection.rows(
            "DELETE FROM record WHERE run IN (SELECT id FROM run WHERE \(Self.isOld))", [old])
        _ = try connection.rows("DELETE FROM run WHERE \(Self.isOld)", [old])
        let facts = entries.first?.facts ?? [:]
        _ = try connection.rows(
            "INSERT INTO run (id, facts, started, standing) VALUES (?, ?, ?, 'working')",
            [.text(run), .text(JSONValue.object(facts).serialize()), .integer(entries.first?.time ?? now)])
    }

    private func write(_ entry: JournalEntry, _ run: String, _ number: Int) throws(StoreError) {
        let facts = JSONValue.object(entry.facts).serialize()
        let content = entry.content.serializedBytes
        let context = Self.context(run, number, entry.kind.rawValue, entry.time, facts)
        _ = try connection.rows(
            "INSERT INTO record (run, number, kind, time, facts, sealed) VALUES (?, ?, ?, ?, ?, ?)",
            [
                .text(run), .integer(Int64(number)), .text(entry.kind.rawValue), .integer(entry.time),
                .text(facts), .blob(try key.seal(content, context: context)),
            ])
    }

    private func settle(_ run: String, _ standing: RunStanding, now: Int64) throws(StoreError) {
        switch standing {
        case .working: try set(run, "working")
        case .spending(let place):
            try set(run, "spending")
            guard let place else { return }
            let session = SQLiteValue.text(place.key.digest)
            _ = try connection.rows("UPDATE run SET session = ? WHERE id = ?", [session, .text(run)])
            _ = try connection.rows(
                "INSERT OR REPLACE INTO doubt VALUES (?, ?, ?)",
                [session, .integer(place.generation), .text(run)])
        case .spent:
            try set(run, "working")
            _ = try connection.rows("DELETE FROM doubt WHERE run = ?", [.text(run)])
        case .waiting(let state, let until): try set(run, "waiting", state: state, until: until)
        case .ended:
            try set(run, "ended")
            _ = try connection.rows("UPDATE run SET ended = ? WHERE id = ?", [.integer(now), .text(run)])
            // Secrets go at once.
            _ = try connection.rows("UPDATE record SET sealed = x'' WHERE run = ?", [.text(run)])
        }
    }

    private func set(
        _ run: String, _ standing: String, state: String? = nil, until: Int64? = nil
    ) throws(StoreError) {
        _ = try connection.rows(
            "UPDATE run SET standing = ?, state = ?, until = ? WHERE id = ?",
            [
                .text(standing), state.map { .text($0) } ?? .null, until.map { .integer($0) } ?? .null,
                .text(run),
            ])
    }

    // MARK: Reading

    /// The records of a run, in order; empty when there is none. Those of an ended run have no content.
    ///
    /// - Throws: `corrupt` when a record is not what was written.
    package func records(of run: String) throws(StoreError) -> [JournalEntry] {
        try connection.transaction(reading: true) { () throws(StoreError) in
            try followSeal()
            let rows = try connection.rows(
                "SELECT number, kind, time, facts, sealed FROM record WHERE run = ? ORDER BY number",
                [.text(run)])
            var entries: [JournalEntry] = []
            for row in rows { entries.append(try entry(row, of: run)) }
            return entries
        }
    }

    private func entry(_ row: [SQLiteValue], of run: String) throws(StoreError) -> JournalEntry {
        guard case .integer(let number) = row[0], case .text(let word) = row[1],
            case .integer(let time) = row[2], case .text(let text) = row[3], case .blob(let sealed) = row[4],
            let kind = JournalEntry.Kind(rawValue: word), let facts = Self.object(Array(text.utf8))
        else { throw .corrupt(reason: "a record of the journal has another form than was written") }
        guard !sealed.isEmpty else { return JournalEntry(kind, at: time, facts: facts) }
        let content = try key.open(
            sealed, context: Self.context(run, Int(clamping: number), word, time, text))
        guard let content = Self.object(content) else {
            throw .corrupt(reason: "a record of the journal holds no JSON object")
        }
        return JournalEntry(kind, at: time, facts: facts, content: content)
    }

    /// Every run that is kept, newest first.
    package func runs() throws(StoreError) -> [StoredRun] {
        try connection.rows(
            "SELECT id, facts, started, standing, until, ended FROM run ORDER BY started DESC, id"
        ).compactMap { row in
            guard case .text(let id) = row[0], case .text(let facts) = row[1],
                case .integer(let started) = row[2], case .text(let standing) = row[3]
            else { return nil }
            return StoredRun(
                id: id, facts: Self.object(Array(facts.utf8)) ?? [:], startedAt: started, standing: standing,
                waitsUntil: row[4].integer, endedAt: row[5].integer)
        }
    }

    /// The run that waits for an answer with that digest of `state`.
    func run(waitingFor state: String) throws(StoreError) -> String? {
        try connection.rows(
            "SELECT id FROM run WHERE state = ? AND standing = 'waiting'", [.text(state)]
        ).first?.first?.text
    }

    /// The runs that have used the refresh token of a session and have not come to their end.
    func unfinishedRuns(of session: String) throws(StoreError) -> [String] {
        try connection.rows(
            "SELECT id FROM run WHERE session = ? AND ended IS NULL ORDER BY started", [.text(session)]
        ).compactMap { $0.first?.text }
    }

    func isInDoubt(_ session: String, _ generation: Int64) throws(StoreError) -> Bool {
        try !connection.rows(Self.doubt, [.text(session), .integer(generation)]).isEmpty
    }

    func forgetDoubt(_ session: String) throws(StoreError) {
        _ = try connection.rows("DELETE FROM doubt WHERE session = ?", [.text(session)])
    }

    /// Seals every record with another key; within a transaction.
    func sealRecords(_ new: SealingKey) throws(StoreError) {
        let rows = try connection.rows(
            "SELECT run, number, kind, time, facts, sealed FROM record WHERE sealed <> x''")
        for row in rows {
            guard case .text(let run) = row[0], case .integer(let number) = row[1],
                case .text(let kind) = row[2], case .integer(let time) = row[3],
                case .text(let facts) = row[4], case .blob(let sealed) = row[5]
            else { throw .corrupt(reason: "a record of the journal has another form than was written") }
            let context = Self.context(run, Int(clamping: number), kind, time, facts)
            let again = try new.seal(try key.open(sealed, context: context), context: context)
            _ = try connection.rows(
                "UPDATE record SET sealed = ? WHERE run = ? AND number = ?",
                [.blob(again), .text(run), .integer(number)])
        }
    }

    // MARK: Words

    /// An answer of the largest size that a flow may allow, and what is around it.
    private static let limits = JSONLimits(depth: 160, bytes: 1 << 26)
    /// Bytes; an answer of a token endpoint and a session are a few thousand.
    private static let room: Int64 = 65_536
    private static let keptFor: Int64 = 86_400_000
    /// What ended a day ago, or could not go on for a day, interests nobody; but one that has used the refresh token of a
    /// session may hold the only copy of the next.
    private static let isOld =
        "coalesce(ended, until, started) < ? AND (ended IS NOT NULL OR session IS NULL"
        + " OR session NOT IN (SELECT key FROM session))"
    private static let count = "SELECT count(*) FROM record WHERE run = ?"
    private static let doubt = "SELECT 1 FROM doubt WHERE session = ? AND generation = ?"

    /// What a sealed record is bound to.
    private static func context(
        _ run: String, _ number: Int, _ kind: String, _ time: Int64, _ facts: String
    ) -> [UInt8] {
        Array("flowrun record 1\0\(run)\0\(number)\0\(kind)\0\(time)\0\(facts)".utf8)
    }

    private static func object(_ bytes: [UInt8]) -> JSONObject? {
        // Whatever is no JSON was not written here.
        (try? JSON.parse(bytes, limits: limits))?.objectValue
    }
}

extension SQLiteValue {
    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
    fileprivate var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
}
