internal import FlowLanguage

/// Process statuses of a run: the end's own, or that of the engine's failure.
extension RunOutcome {
    /// Stable code of what went wrong; `nil` for a success.
    package var errorCode: String? {
        if let error = end.error { return error.code.rawValue }
        guard end.result != .success else { return nil }
        return plan.program.ends[end.end].error
            ?? problem.map { plan.program.name(of: $0.outcome, at: $0.step) }
    }

    /// The status for the command line. An engine failure keeps its own meaning whatever the end says.
    package var exitStatus: Int {
        if let error = end.error {
            switch error.code {
            case .cancelled: return 130
            case .deadline: return 10
            case .hookFailed, .hookRefused: return 11
            case .redirectUnavailable, .lockTimeout: return 9
            case .clientKey: return 3
            case .endpointRefused, .transportRefused: return 7

            case .transitions, .visits, .randomness, .declared: return 1
            }
        }
        if let exit = plan.program.ends[end.end].exit { return exit }
        switch end.result {
        case .success: return 0
        case .failure: return 1
        case .cancelled: return 130
        }
    }
}
