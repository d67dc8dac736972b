internal import FlowLanguage
internal import Glibc
internal import YAMLText

/// Loads every descriptor of a folder, again and again: from the bytes of the file to the checked model.
enum DocumentBenchmark {
    static func run(directory: String, repetitions: Int) throws {
        let files = try sources(directory)
        guard !files.isEmpty else { throw BenchmarkFailure("no YAML file in \(directory)") }
        let lines = files.reduce(0) { $0 + $1.bytes.count { $0 == 0x0A } }
        let begin = processorSeconds()
        for _ in 0..<repetitions {
            for file in files {
                let reading = ProviderReader.read(SourceFile(path: file.path, bytes: file.bytes))
                guard reading.descriptor != nil else {
                    throw BenchmarkFailure("\(file.path): \(reading.diagnostics)")
                }
            }
        }
        let milliseconds = (processorSeconds() - begin) * 1000 / Double(max(1, repetitions * files.count))
        print(
            "  \(files.count) files, \(lines) lines: \(Double(Int(milliseconds * 10_000)) / 10_000) ms a file"
        )
    }

    private static func sources(_ directory: String) throws -> [(path: String, bytes: [UInt8])] {
        guard let folder = opendir(directory) else { throw BenchmarkFailure("\(directory) cannot be read") }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".yaml") { names.append(name) }
        }
        return try names.sorted().map { (path: $0, bytes: try readFile("\(directory)/\($0)")) }
    }
}
