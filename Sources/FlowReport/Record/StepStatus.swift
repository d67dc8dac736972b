package import FlowEngine

/// The status that tells how a step went: that of its own answer, not of metadata or keys that were fetched for it.
package struct StepStatus: Sendable {
    /// `nil` before the step has an answer of its own.
    package private(set) var value: Int?
    private let kind: String
    private var isPreparation = false
    /// Whether the value is that of a preparation that failed.
    private var isOfPreparation = false

    /// - Parameter kind: Of the step.
    package init(kind: String) { self.kind = kind }

    /// An earlier answer says nothing of a new request.
    package mutating func note(_ request: TracedRequest) {
        switch request.purpose {
        case "discovery": isPreparation = kind != "discover"
        case "jwks": isPreparation = kind != "verify_id_token"
        default: isPreparation = false
        }
        if !isPreparation || isOfPreparation { value = nil }
    }

    package mutating func note(_ response: TracedResponse) {
        guard !isPreparation || response.status >= 300 else { return }
        value = response.status
        isOfPreparation = isPreparation
    }
}
