import FlowTesting
import FoundationEssentials
import Testing

/// Every input that a fuzzer or a person has found worth keeping.
@Suite("Corpus of the fuzzers")
struct CorpusTests {
    @Test("every kept input is read without harm [rule 182]", arguments: FuzzTarget.allCases)
    func replay(target: FuzzTarget) throws {
        let files = try Repository.files(below: "Tests/Fuzzing/corpus/\(target.rawValue)", suffix: "")
        #expect(!files.isEmpty)
        for file in files {
            let bytes = Array(try Data(contentsOf: URL(filePath: Repository.path(file))))
            let problem = target.check(bytes)
            #expect(problem == nil, "\(file)")
        }
    }

    @Test("every flow and provider that comes with the program passes too")
    func shipped() throws {
        for file in try Repository.files(below: "flows", suffix: ".yaml")
            + Repository.files(below: "providers", suffix: ".yaml")
        {
            let bytes = Array(try Repository.text(of: file).utf8)
            #expect(FuzzTarget.loader.check(bytes) == nil, "\(file)")
            #expect(FuzzTarget.compiler.check(bytes) == nil, "\(file)")
        }
    }
}
