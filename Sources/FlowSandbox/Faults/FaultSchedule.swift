/// Counts the hits of every target and says what goes wrong at each.
struct FaultSchedule: Sendable {
    private let faults: [Fault]
    private var hits: [Fault.Target: Int] = [:]

    init(_ faults: [Fault]) {
        self.faults = faults
    }

    /// Counts one hit.
    ///
    /// - Returns: The actions that are due, in the order they were configured.
    mutating func hit(_ target: Fault.Target) -> [Fault.Action] {
        guard !faults.isEmpty else { return [] }
        let number = (hits[target] ?? 0) + 1
        hits[target] = number
        return faults.filter { $0.counted == target && $0.occurrence.includes(number) }.map(\.action)
    }
}
