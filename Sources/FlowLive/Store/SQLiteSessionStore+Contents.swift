package import FlowEngine

extension SQLiteSessionStore {
    /// A stored session for a list, or why it cannot be read.
    package typealias Content = (key: String, summary: Result<SessionSummary, StoreError>)

    /// Everything that is stored, in the order of its keys.
    ///
    /// - Parameter isBeingRenewed: Whether a process is at the session of this key, whose doubt will then have an end.
    package func contents(
        isBeingRenewed: @Sendable (String) async -> Bool = { _ in false }
    ) async throws(StoreError) -> [Content] {
        var contents: [Content] = []
        for key in try keys() { contents.append((key, await summary(key, isBeingRenewed))) }
        return contents
    }

    private func summary(
        _ key: String, _ isBeingRenewed: @Sendable (String) async -> Bool
    ) async -> Result<SessionSummary, StoreError> {
        do throws(StoreError) {
            guard let row = try load(key: key),
                let summary = SessionRecord.summary(
                    row.bytes, isInDoubt: row.isInDoubt ? await !isBeingRenewed(key) : false)
            else { return .failure(.corrupt(reason: "a stored session is of another version")) }
            return .success(summary)
        } catch {
            return .failure(error)
        }
    }
}
