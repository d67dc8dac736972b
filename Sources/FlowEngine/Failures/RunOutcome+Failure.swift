package import FlowLanguage
internal import OAuthProtocol

/// What a run that did not succeed means: its code, its class, its process status, its texts.
extension RunOutcome {
    private var row: EndRow { plan.program.ends[end.end] }

    /// Stable code of what went wrong; `nil` for a success, and for a failure that is the flow's own choice.
    package var errorCode: String? {
        if let error = end.error { return error.code.rawValue }
        guard end.result != .success else { return nil }
        return row.error ?? problem?.code
            ?? problem.map { plan.program.name(of: $0.outcome, at: $0.step) }
    }

    /// The class of the code; of one that the flow declares, that of its end's `exit` or of the outcome.
    package var failureClass: FailureClass? {
        guard !isSuccess else { return nil }
        if let code = errorCode.flatMap(FailureCode.named) { return code.failureClass }
        if let declared = row.exit.flatMap(FailureClass.init(exitStatus:)) { return declared }
        if end.result == .cancelled { return .cancelled }
        return problem.map { FailureClass($0.outcomeClass) } ?? .configuration
    }

    /// The status for the command line. An engine failure keeps its own meaning whatever the end says; an end without
    /// `exit` has the status of the failed outcome that led to it.
    package var exitStatus: Int {
        if let error = end.error {
            return error.exit ?? FailureCode.named(error.code.rawValue)?.exitStatus ?? 1
        }
        if let exit = row.exit { return exit }
        switch end.result {
        case .success: return 0
        case .cancelled: return FailureClass.cancelled.exitStatus
        case .failure:
            if let exit = problem?.exit { return exit }
            guard let problem, problem.outcomeClass != .choice else { return 1 }
            let code = FailureCode.named(plan.program.name(of: problem.outcome, at: problem.step))
            return code?.exitStatus ?? FailureClass(problem.outcomeClass).exitStatus
        }
    }

    /// What the descriptor of the failed step's provider says of the error; `nil` for what neither it nor a hook said.
    package var advice: ErrorAdvice? {
        guard let problem, end.error == nil, problem.hook == nil else { return nil }
        let descriptor = plan.providers[plan.program.steps[problem.step].provider].descriptor
        return descriptor.advice(code: problem.error, description: problem.description)
    }

    /// - Returns: `nil` for a success.
    package func failure(_ texts: FailureTexts) -> SignInFailure? {
        guard let failureClass else { return nil }
        let (step, advice) = (failedStep, advice)
        let fallback =
            end.result == .cancelled ? RunFailure.Code.cancelled.rawValue : FailureCode.unsuccessful
        var arguments = [
            "flow": plan.program.name,
            "provider": plan.providers.first?.descriptor.displayName ?? plan.program.name,
        ]
        arguments["provider_word"] = plan.providers.first?.descriptor.id
        arguments["hook"] = hookAtFault
        let told = end.error == nil ? problem : nil
        arguments["host"] = told?.request?.host
        arguments["origin"] = told?.request?.origin
        arguments["redirect_uri"] = told?.redirectURI
        let subject = FailureSubject(
            kind: step?.kind.rawValue ?? "", code: errorCode ?? fallback,
            error: told?.error, status: told?.status, failureClass, proof: proof, isTold: told?.rule != nil,
            arguments: arguments)
        let isHookOutcome = told?.hook != nil
        let text = texts.text(
            for: isHookOutcome ? FailureSubject.hookOutcome(failureClass, arguments) : subject
        ).with(
            why: [advice?.cause].compactMap(\.self), fix: advice?.fixes ?? [])
        let detail = end.error?.message ?? problem?.description ?? end.message
        return SignInFailure(
            subject, step: step?.name, hook: hookAtFault, detail: detail,
            retryAfter: told?.retryAfter.map { .milliseconds($0) }, text: text)
    }

    /// How the request that was refused proved who the client is, or what would have.
    private var proof: SentProof? {
        guard let error = end.error else { return problem?.request?.proof }
        // It is looked at before anything is sent.
        let isIssued = plan.providers.contains { $0.registration.assertion != nil }
        return isIssued && error.code == .clientKey ? .issuedAssertion : nil
    }
}

extension ErrorAdvice {
    package var fixes: [String] { [fix, url.map { "see \($0)" }].compactMap(\.self) }
}
