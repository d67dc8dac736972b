/// Questions to a store that may be the program's own, and may never answer.
extension SessionStore {
    /// Asks the store, a program's own no longer than until the deadline; the database has bounds of its own.
    ///
    /// - Parameters:
    ///   - deadline: Milliseconds since 1970.
    ///   - isEssential: Whether it is asked, and waited for, also when this task is cancelled.
    /// - Throws: What the store throws; `unavailable` when it does not answer in time.
    func ask<Output: Sendable>(
        until deadline: Int64, isEssential: Bool = false,
        _ body: @escaping @Sendable (any SessionStore) async throws(SessionStoreError) -> Output
    ) async throws(SessionStoreError) -> Output {
        if self is DiskStore { return try await body(self) }
        let work = { @Sendable () async -> Result<Output, SessionStoreError> in
            do throws(SessionStoreError) {
                return .success(try await body(self))
            } catch {
                return .failure(error)
            }
        }
        let result =
            isEssential
            ? await BoundedWork.essential(until: deadline, work)
            : await BoundedWork.value(until: deadline, work)
        guard let result else {
            throw .unavailable(reason: "the program's store of sessions does not answer in time")
        }
        return try result.get()
    }
}
