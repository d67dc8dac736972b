import FoundationEssentials
package import Testing

/// Compares texts with the files of `Tests/Golden`.
package enum Golden {
    /// `RECORD_GOLDEN=1` writes what is found and fails, so that a recording is never taken for a pass.
    package static let isRecording = ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1"

    private static func path(_ name: String) -> String { "Tests/Golden/\(name)" }

    /// The first line in which two texts differ, with its number.
    static func difference(_ expected: String, _ found: String) -> String? {
        let (old, new) = (lines(expected), lines(found))
        for index in 0..<max(old.count, new.count) {
            let (left, right) = (index < old.count ? old[index] : nil, index < new.count ? new[index] : nil)
            guard left != right else { continue }
            return
                "line \(index + 1): expected \(left.map { "\"\($0)\"" } ?? "the end"), found \(right.map { "\"\($0)\"" } ?? "the end")"
        }
        return nil
    }

    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Names of the files of a folder of `Tests/Golden` that no name in `used` stands for.
    package static func unused(in folder: String, suffix: String, used: some Sequence<String>) throws
        -> [String]
    {
        let used = Set(used.map { $0 + suffix })
        let files = try FileManager.default.contentsOfDirectory(atPath: Repository.path(path(folder)))
        return files.filter { !used.contains($0) }.sorted()
    }

    fileprivate static func record(_ text: String, _ name: String) throws {
        let place = URL(filePath: Repository.path(path(name)))
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: place)
    }

    fileprivate static func text(_ name: String) -> String? {
        try? Repository.text(of: path(name))  // a missing file is told by the caller
    }
}

/// Expects `text` to be the file `named`, a path inside `Tests/Golden`.
package func expectGolden(
    _ text: String, named name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    if Golden.isRecording {
        try Golden.record(text, name)
        Issue.record("recorded \(name)", sourceLocation: sourceLocation)
        return
    }
    guard let expected = Golden.text(name) else {
        Issue.record(
            "there is no golden file \(name); RECORD_GOLDEN=1 writes it", sourceLocation: sourceLocation)
        return
    }
    if let difference = Golden.difference(expected, text) {
        Issue.record("\(name), \(difference)", sourceLocation: sourceLocation)
    }
}
