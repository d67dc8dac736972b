internal import FlowLanguage
internal import YAMLText

/// Lints and compiles one flow file again and again, everything that `flowrun lint` says of the file alone.
enum CompileBenchmark {
    static func run(path: String, repetitions: Int) throws {
        let file = SourceFile(path: path, bytes: try readFile(path))
        let lines = file.text.utf8.count { $0 == 0x0A }
        let begin = processorSeconds()
        for _ in 0..<repetitions {
            let compilation = FlowCompiler.compile(file)
            guard compilation.program != nil else {
                throw BenchmarkFailure("\(path): \(compilation.diagnostics)")
            }
        }
        let milliseconds = (processorSeconds() - begin) * 1000 / Double(max(1, repetitions))
        print("  \(path), \(lines) lines: \(Double(Int(milliseconds * 10_000)) / 10_000) ms")
    }
}
