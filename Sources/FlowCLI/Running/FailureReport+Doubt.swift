internal import FlowEngine
internal import FlowLanguage
internal import FlowReport

extension FailureReport {
    /// Says that a session may be lost whose refresh was under way when the run ended: the next run does not send its
    /// refresh token again (RFC 9700 §4.14.2), unless the descriptor says that it may.
    ///
    /// - Parameter providers: Of the run.
    mutating func doubtRefresh(_ providers: [BoundProvider]) {
        let isReusable = providers.contains {
            $0.descriptor.id == provider && $0.descriptor.refresh.rotation == .reusable
        }
        if openRequest == "refresh", !isReusable { error = "in_doubt" }
    }
}
