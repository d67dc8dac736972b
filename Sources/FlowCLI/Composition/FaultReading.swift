internal import FlowSandbox

/// What goes wrong at the sandbox on purpose, as it is given on a command line.
enum FaultReading {
    static func faults(_ texts: [String]) throws(Problem) -> [Fault] {
        var faults: [Fault] = []
        for text in texts {
            do throws(FaultSpecificationError) {
                faults.append(try Fault.parse(text))
            } catch {
                throw Problem(
                    .usage, "--fault: \(error.description)", hints: ["every fault: flowrun help faults"])
            }
        }
        return faults
    }
}
