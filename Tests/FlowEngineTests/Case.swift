import FlowEngine
import Testing

/// One report of the world and the outcome that it must lead to.
struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let event: InputEvent
    let outcome: String
    let error: String?

    init(_ description: String, _ event: InputEvent, _ outcome: String, error: String? = nil) {
        testDescription = "\(description): \(outcome)"
        self.event = event
        self.outcome = outcome
        self.error = error
    }
}
