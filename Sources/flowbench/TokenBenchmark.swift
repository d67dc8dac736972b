internal import Glibc
internal import JOSE

/// Verifies ID tokens of a file, one a line, against the provider's key set.
enum TokenBenchmark {
    static func run(count: Int, algorithm: String, file: String) throws {
        let folder = getenv("BENCH_DATA").map { String(cString: $0) } ?? "/tmp/flowrun-bench/data"
        let keys = try JWKSet.parse(try JSON.parse(try readFile(folder + "/jwks_all.json")))
        guard let allowed = SignatureAlgorithm(name: algorithm) else {
            throw BenchmarkFailure("no algorithm \(algorithm)")
        }
        let tokens = String(decoding: try readFile(file), as: UTF8.self).split(separator: "\n").map(
            String.init)
        guard !tokens.isEmpty else { throw BenchmarkFailure("\(file) holds no token") }
        let begin = processorSeconds()
        for index in 0..<count {
            let verified = try JWS.verify(
                try JWS.split(tokens[index % tokens.count]), keys: keys, allowed: [allowed])
            guard try JWTClaims(payload: verified.payload).sub != nil else {
                throw BenchmarkFailure("no sub")
            }
        }
        let seconds = processorSeconds() - begin
        print("  \(algorithm): \(Int(Double(count) / seconds)) tokens a CPU second")
    }
}
