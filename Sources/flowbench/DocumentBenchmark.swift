internal import FlowLanguage
internal import FlowLive
internal import Glibc
internal import YAMLText

/// Loads every descriptor of a folder, again and again: from the bytes of the file to the checked model.
enum DocumentBenchmark {
    private struct File: Sendable {
        let directory: String
        let path: String
        let bytes: [UInt8]
    }

    /// Prints the time by the clock, with all processors at work as in `flowrun lint`, and that of one processor.
    static func run(directory: String, repetitions: Int) async throws {
        let files = try sources(directory)
        guard !files.isEmpty else { throw BenchmarkFailure("no YAML file in \(directory)") }
        let lines = files.reduce(0) { $0 + $1.bytes.count { $0 == 0x0A } }
        let one = processorSeconds()
        for _ in 0..<repetitions { try files.forEach(load) }
        let alone = (processorSeconds() - one) * 1000 / Double(max(1, repetitions * files.count))
        let begin = ContinuousClock.now
        for _ in 0..<repetitions {
            let failures = await files.mapInParallel { file in Result { try load(file) } }
            for failure in failures { try failure.get() }
        }
        let all = (ContinuousClock.now - begin) / .milliseconds(1) / Double(max(1, repetitions * files.count))
        print(
            "  \(files.count) files, \(lines) lines: \(rounded(all)) ms a file by the clock, \(rounded(alone)) ms of one processor"
        )
    }

    @Sendable private static func load(_ file: File) throws {
        let reading = ProviderReader.read(
            SourceFile(path: file.path, bytes: file.bytes),
            parent: { id in
                // A missing parent is a mistake of the descriptor, which the reading reports.
                (try? readFile("\(file.directory)/\(id).yaml")).map {
                    SourceFile(path: "\(id).yaml", bytes: $0)
                }
            })
        guard reading.descriptor != nil else {
            throw BenchmarkFailure("\(file.path): \(reading.diagnostics)")
        }
    }

    private static func rounded(_ milliseconds: Double) -> Double {
        (milliseconds * 10_000).rounded() / 10_000
    }

    private static func sources(_ directory: String) throws -> [File] {
        guard let folder = opendir(directory) else { throw BenchmarkFailure("\(directory) cannot be read") }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".yaml") { names.append(name) }
        }
        return try names.sorted().map {
            File(directory: directory, path: $0, bytes: try readFile("\(directory)/\($0)"))
        }
    }
}
