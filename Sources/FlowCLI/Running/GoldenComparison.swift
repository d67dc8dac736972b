/// Compares what a command would print with a committed file.
struct GoldenComparison: Sendable {
    let context: CommandContext
    /// What is compared, for the closing note: `the plan is`, `the paths are`.
    let subject: (name: String, verb: String)

    /// - Returns: The exit status; the differing lines are written.
    func run(_ text: String, with path: String) throws(Problem) -> Int {
        let expected: String
        let absolute = FilePath.join(context.surroundings.directory, path)
        guard FileAccess.exists(absolute) else {
            throw Problem(
                .config, "there is no \(path) to compare with",
                hints: ["what this command writes without --check makes it: ... > \(path)"])
        }
        do throws(FileProblem) {
            expected = String(decoding: try FileAccess.read(absolute), as: UTF8.self)
        } catch {
            throw Problem(error)
        }
        let difference = LineDifference.text(from: expected, to: text)
        if difference.isEmpty {
            context.note("the \(subject.name) \(subject.verb) as in \(path)")
            return ExitStatus.ok.rawValue
        }
        context.write(difference)
        context.note("the \(subject.name) \(subject.verb) not as in \(path)")
        return ExitStatus.assertion.rawValue
    }
}
