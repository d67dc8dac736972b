internal import Glibc
internal import JOSE
internal import OAuthProtocol

/// Verifies ID tokens of a file, one a line, as a sign-in does: the signature by the provider's key set, then every
/// claim. Prints the CPU microseconds of one, to hold against a bare verification by OpenSSL.
enum IDTokenBenchmark {
    static func run(count: Int, algorithm: String, file: String) throws {
        let folder = getenv("BENCH_DATA").map { String(cString: $0) } ?? "/tmp/flowrun-bench/data"
        let keys = try JWKSet.parse(try JSON.parse(try readFile(folder + "/jwks_all.json")))
        let expectations = try expectations(try JSON.parse(try readFile(folder + "/config.json")))
        guard let allowed = SignatureAlgorithm(name: algorithm) else {
            throw BenchmarkFailure("no algorithm \(algorithm)")
        }
        let tokens = String(decoding: try readFile(file), as: UTF8.self).split(separator: "\n").map {
            Secret(String($0), kind: .idToken)
        }
        guard !tokens.isEmpty, count > 0 else { throw BenchmarkFailure("\(file) holds no token") }
        let now = Int64(time(nil)) * 1000
        let begin = processorSeconds()
        for index in 0..<count {
            var log = CheckLog()
            let jws = try IDTokenSignature.verify(
                tokens[index % tokens.count], keys: keys, allowed: [allowed], log: &log)
            _ = try IDToken.validate(jws, expectations, now: now, log: &log)
        }
        let microseconds = (processorSeconds() - begin) * 1_000_000 / Double(count)
        print("\(Double(Int(microseconds * 1000)) / 1000)")
    }

    private static func expectations(_ configuration: JSONValue) throws -> IDTokenExpectations {
        guard let issuer = configuration["issuer"]?.stringValue,
            let client = configuration["client_id"]?.stringValue,
            let nonce = configuration["nonce"]?.stringValue
        else { throw BenchmarkFailure("config.json lacks issuer, client_id or nonce") }
        return IDTokenExpectations(
            issuers: [issuer], clientID: client, origin: .code(nonce: Secret(nonce, kind: .nonce)))
    }
}
