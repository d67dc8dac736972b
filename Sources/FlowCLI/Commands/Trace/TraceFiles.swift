internal import FlowEngine
internal import FlowReport

/// Finds traces and reads them.
struct TraceFiles: Sendable {
    let surroundings: Surroundings

    /// A large run has a few hundred kilobytes.
    private static let largest = 64 << 20

    struct Found: Sendable {
        /// As errors name it.
        let name: String
        let events: [TraceEvent]
        let standing: TraceStanding
    }

    /// - Parameter word: A file, the identifier of a run or its end, `-`; `nil` for the newest.
    func read(_ word: String?) throws(Problem) -> Found {
        let path = try path(word)
        let bytes: [UInt8]
        do throws(FileProblem) {
            if let path {
                bytes = try FileAccess.read(
                    FilePath.join(surroundings.directory, path), limit: Self.largest)
            } else {
                bytes = try surroundings.input.readAll(limit: Self.largest)
            }
        } catch {
            throw Problem(error)
        }
        let name = path ?? "standard input"
        do throws(TraceReader.Mistake) {
            let events = try TraceReader.read(bytes)
            let place = path.map { FilePath.join(surroundings.directory, $0) }
            return Found(name: name, events: events, standing: TraceStanding(events, place))
        } catch {
            throw Problem(
                .config, "\(name):\(max(1, error.line)): \(error.message)",
                hints: ["a trace is what --trace FILE writes in the form jsonl; flowrun trace list"])
        }
    }

    /// A file as somebody named it; where there is none, the kept trace of the run of that name.
    func file(_ word: String) -> String { (try? path(word)) ?? word }

    /// - Returns: `nil` for standard input.
    private func path(_ word: String?) throws(Problem) -> String? {
        if word == "-" { return nil }
        let shelf = TraceShelf(surroundings)?.entries ?? []
        guard let word else {
            guard let newest = shelf.first else {
                throw Problem(
                    .usage, "no trace is kept yet",
                    hints: ["runs that send something leave one; or name a file"])
            }
            return newest.path
        }
        if FileAccess.isFile(FilePath.join(surroundings.directory, word)) { return word }
        let matching = shelf.filter { $0.run == word || $0.run.hasSuffix(word) }
        let runs = Set(matching.map(\.run))
        guard let entry = matching.first, runs.count == 1 else {
            throw Problem(
                .usage,
                matching.isEmpty
                    ? "there is no file and no run \"\(word)\"" : "\(runs.count) runs end in \"\(word)\"",
                hints: ["see: flowrun trace list"])
        }
        return entry.path
    }
}
