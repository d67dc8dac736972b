internal import FlowEngine
internal import Glibc

/// Measures the engine; each command exits 0 only when everything it did was checked.
@main
struct Flowbench {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch arguments.first {
            case "signin" where arguments.count == 3 || arguments.count == 4:
                let occasions = ["always": TraceOccasion.always, "failure": .failure]
                try await SignInBenchmark.run(
                    flows: number(arguments[1]), inFlight: number(arguments[2]),
                    tracing: arguments.count == 4 ? occasions[arguments[3]] : nil)
            case "transition" where arguments.count == 2:
                try await TransitionBenchmark.run(count: number(arguments[1]))
            case "compile" where arguments.count == 3:
                try CompileBenchmark.run(path: arguments[1], repetitions: number(arguments[2]))
            case "yaml" where arguments.count == 3:
                try await DocumentBenchmark.run(directory: arguments[1], repetitions: number(arguments[2]))
            case "waiting" where arguments.count == 2:
                try await WaitingBenchmark.run(visitors: number(arguments[1]))
            case "jwt" where arguments.count == 4:
                try TokenBenchmark.run(
                    count: number(arguments[1]), algorithm: arguments[2], file: arguments[3])
            case "idtoken" where arguments.count == 4:
                try IDTokenBenchmark.run(
                    count: number(arguments[1]), algorithm: arguments[2], file: arguments[3])
            default:
                throw BenchmarkFailure(
                    """
                    usage: flowbench signin N C | transition N | compile FILE REPS | yaml DIR REPS \
                    | waiting N | jwt N ALG FILE | idtoken N ALG FILE
                    """
                )
            }
        } catch {
            print("FAIL: \(error)")
            exit(1)
        }
    }

    private static func number(_ text: String) throws(BenchmarkFailure) -> Int {
        guard let number = Int(text), number >= 0 else { throw BenchmarkFailure("\(text) is not a number") }
        return number
    }
}

struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// CPU seconds of this process so far, user and system.
func processorSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let seconds = Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    return seconds + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
}

func readFile(_ path: String) throws(BenchmarkFailure) -> [UInt8] {
    guard let file = fopen(path, "rb") else { throw BenchmarkFailure("\(path) cannot be read") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = fread(&piece, 1, piece.count, file)
        if count == 0 { return bytes }
        bytes.append(contentsOf: piece[..<count])
    }
}
