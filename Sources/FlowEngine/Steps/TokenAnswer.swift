internal import FlowLanguage
internal import OAuthProtocol

/// Reads what a token endpoint answers to a grant without a person's browser.
enum TokenAnswer {
    /// The result with the set for `into`.
    ///
    /// - Parameter pending: Errors that only mean to wait: no check has failed then.
    static func read(
        _ event: InputEvent, origin: TokenSet.Origin, asked: [String], pending: Set<String> = [],
        _ registers: inout Registers, _ scope: StepScope
    ) -> StepResult {
        switch HTTPStep.reply(event, &registers, burning: false) {
        case .trouble(let result): return result
        case .answer(let response):
            var log = CheckLog()
            defer { registers.note(log) }
            do throws(ProtocolError) {
                let tokens = try TokenResponse.read(
                    response, dialect: scope.provider.descriptor.grant.response,
                    demand: scope.provider.tokenTypes, log: &log)
                try scope.checkBinding(of: tokens, log: &log)
                registers.compareScope(granted: tokens.scopes, asked: asked, log: &log)
                return result(tokens, origin: origin, asked: asked, &registers, scope)
            } catch {
                let result = scope.classified(
                    HTTPStep.result(of: error, .token, registers.now, response, burning: false), response,
                    readBy: scope.provider.descriptor.grant, log)
                if let word = result.error, result.outcome == .rejected, pending.contains(word) {
                    log = CheckLog()
                    log.skip(Checks.devicePending, because: "the server says \(word)")
                }
                return result
            }
        }
    }

    static func result(
        _ tokens: TokenResponse, origin: TokenSet.Origin, asked: [String], _ registers: inout Registers,
        _ scope: StepScope
    ) -> StepResult {
        registers.conceal(ReceivedTokens.secrets(tokens))
        let set = ReceivedTokens.set(
            tokens, origin: origin, asked: asked, previous: nil, scope, registers)
        ReceivedTokens.doubt(tokens, readBy: scope.provider.descriptor.grant, &registers)
        registers.notes.add(.note(ReceivedTokens.summary(set, expiresIn: tokens.expiresIn, asked: asked)))
        var result = StepResult(
            .ok,
            fields: ReceivedTokens.fields(set, expiresIn: tokens.expiresIn, asked: asked, source: "network"))
        result.tokens = PendingTokens(set, at: scope.tokenSet("into"))
        return result
    }
}
