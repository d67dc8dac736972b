package import YAMLText

/// What a flow says about outcomes that come with no answer of one provider (flow/1 §13, FL029).
///
/// Only what the descriptor rules out by itself; published metadata is not looked at.
package enum ProviderRules {
    package static func check(_ program: FlowProgram, _ provider: ProviderDescriptor) -> [Diagnostic] {
        program.steps.flatMap { step in
            step.routes.indices.compactMap { raw -> Diagnostic? in
                let outcome = Outcome(rawValue: UInt8(raw))
                guard step.routes[raw] != RouteRow.none, let name = outcome.name else { return nil }
                let route = program.routes[Int(step.routes[raw])]
                guard route.reason == .exact, route.outcomeClass != .success,
                    let reason = provider.reason(against: outcome, of: step.kind)
                else { return nil }
                return Diagnostic(
                    code: "FL029", severity: .info, file: step.file ?? program.file,
                    span: program.edges[route.edges.lowerBound].span,
                    message:
                        "step \"\(step.name)\" never ends with \"\(name)\" at \(provider.displayName): \(reason)"
                )
            }
        }.sorted()
    }
}

extension ProviderDescriptor {
    /// Why a step of that kind cannot have the outcome here; `nil` when it can.
    fileprivate func reason(against outcome: Outcome, of kind: StepKind) -> String? {
        switch kind {
        case .refresh where !refresh.isSupported && outcome != .absent:
            "it renews no tokens, as refresh.supported in its file says"
        case .restore where !refresh.isSupported && outcome == .expired:
            "it renews no tokens, as refresh.supported in its file says; an expired session is unrefreshable"
        case .userinfo where !userinfo.isSupported && outcome != .unsupported:
            "it has no UserInfo endpoint"
        case .userinfo
        where userinfo.isSupported && server.userinfoEndpoint != nil && outcome == .unsupported:
            "its descriptor names the endpoint"
        case .verifyIDToken where issuesNoIDToken && outcome != .absent:
            "it issues no ID token"
        default: nil
        }
    }
}
