/// Programs and closures of the host that hooks and ports ask.
extension LiveConfiguration {
    /// Relative programs start at the flow's folder; a bare name is looked up in PATH.
    func locate(_ program: String, from directory: String) -> String? {
        ProgramSearch.locate(program, from: directory, path: environment["PATH"])
    }

    /// Nothing but PATH, HOME and what is declared.
    func environment(for names: [String]) -> [(String, String)] {
        (["PATH", "HOME"] + names).compactMap { name in environment[name].map { (name, $0) } }
    }
}

/// A call of a closure of the host, which may throw and may take too long.
enum BoundedCall {
    struct Failure: Error {
        let reason: String
    }

    static func run<Reply: Sendable>(
        milliseconds: Int64, _ body: @escaping @Sendable () async throws -> Reply
    ) async -> Result<Reply, Failure> {
        let reply = await BoundedWork.value(withinMilliseconds: milliseconds) {
            () async -> Result<Reply, Failure> in
            do {
                return .success(try await body())
            } catch {
                return .failure(Failure(reason: "it threw \(type(of: error))"))
            }
        }
        if let reply { return reply }
        let isCancelled = Task.isCancelled
        return .failure(
            Failure(reason: isCancelled ? "the run was cancelled" : "it took longer than \(milliseconds) ms"))
    }
}
