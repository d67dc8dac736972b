package import FlowLanguage
package import JOSE
package import OAuthProtocol

/// What a run knows so far: values by slot, token sets, transactions, provider metadata.
package struct Registers: Sendable {
    package var now: Int64 = 0
    /// When the newest request was sent: what an answer says in seconds from now began no later.
    var sentAt: Int64 = 0
    package var slots: ContiguousArray<Value>
    package var tokenSets: [TokenSet?]
    /// By index of the `authorize` step; gone once its response was accepted.
    package var transactions: [Int: AuthorizationTransaction] = [:]
    /// By index of the `authorize` step, what was demanded of the answer.
    var demands: [Int: AnswerDemands] = [:]
    /// By index of the `callback` step; gone once its code was sent.
    package var responses: [Int: ReceivedAnswer] = [:]
    /// By index of the `device_authorize` step; gone once its code was redeemed or is worthless.
    package var devices: [Int: DeviceTransaction] = [:]
    /// By index of the provider.
    package var metadata: [KnownMetadata?]
    /// By index of the provider, the key that new tokens are bound to (RFC 9449): PEM or JWK.
    var proofKeys: [Secret?]
    /// The newest nonce of each server for such proofs.
    var nonces = DPoPNonces()
    /// The session whose lock this run holds since its refresh, until the renewed session is stored.
    var heldLock: SessionKey?
    /// Set when a connection was refused for safety: no step and no route may go on as if that were a failure like
    /// others.
    var refusal: RunFailure?
    /// Arguments of the current step that hooks have changed.
    var overrides: [String: Value] = [:]
    /// What hooks add to what the current step keeps beside a session.
    var sessionMeta: [String: JSONValue] = [:]
    package var notes: TraceNotes
    /// The stored session that a step was about last, by the provider's index and the `key` of the step.
    var lastKey: (provider: Int, name: String?, key: SessionKey)?
    /// Secrets that the run has met so far: a text of the other side that repeats one is told to nobody as it is.
    private(set) var met: [Secret] = []
    /// What the current step was answered last; a refused answer holds secrets that nobody has met.
    var answer: HTTPResponse?
    /// Whose answers are being looked at.
    var peer = Peer()
    /// The last request of the current step.
    var sent: RequestPlan?
    /// What the last request was for.
    var asked: HTTPExchange.Purpose?
    /// Codes that another request than the one for tokens has sent, and the step that did.
    private var spentCodes: [(code: Secret, step: Int)] = []
    /// What `serial` counts from and how far it is.
    private let seed: UInt64
    private var serials: UInt64 = 0
    private var stack: ContiguousArray<Value> = []

    /// The other side of the current step.
    struct Peer: Sendable {
        /// Without brackets; the issuer's until the step asks another host.
        var host: String?
        /// What it was asked last.
        var purpose: HTTPExchange.Purpose?
    }

    /// An accepted authorization response with the transaction that it answers.
    package struct ReceivedAnswer: Sendable {
        package let response: AuthorizationResponse
        package let transaction: AuthorizationTransaction
        /// Whom its ID token was about, where it brought one (OIDC Core §3.3).
        var token: IDTokenExpectations.AnsweredToken?
        /// What the descriptor captures of it; nobody vouches for that.
        package var captured: JSONObject = [:]
        /// What was asked for in detail (RFC 9396).
        var details: AuthorizationDetails?
        /// Levels of authentication one of which is essential (OIDC Core §5.5.1.1).
        var essentialLevels: [String] = []
    }

    /// What an authorization request demands of its answer, beyond what the transaction says.
    struct AnswerDemands: Sendable {
        /// Whether the answer is a JWT (JARM).
        var isSecured = false
        var details: AuthorizationDetails?
        var essentialLevels: [String] = []
    }

    /// - Parameters:
    ///   - seed: The run's.
    ///   - takesNotes: Whether anybody reads what the machine does.
    init(_ plan: RunPlan, seed: UInt64, takesNotes: Bool) {
        self.seed = seed
        slots = ContiguousArray(repeating: .null, count: plan.program.slots.count)
        tokenSets = Array(repeating: nil, count: plan.program.tokenSets.count)
        metadata = Array(repeating: nil, count: plan.providers.count)
        proofKeys = Array(repeating: nil, count: plan.providers.count)
        notes = TraceNotes(isEnabled: takesNotes)
        stack.reserveCapacity(16)
    }

    /// Forgets what hooks answered about an earlier step.
    mutating func forgetAnswers() {
        if !overrides.isEmpty { overrides = [:] }
        if !sessionMeta.isEmpty { sessionMeta = [:] }
    }

    /// Remembers what no text may repeat, neither of the trace nor of what the run tells its host and its hooks.
    mutating func conceal(_ secrets: [Secret]) {
        meet(secrets)
        notes.add(.secrets(secrets))
    }

    /// The same of what the trace finds in the requests and answers by itself.
    mutating func meet(_ secrets: [Secret]) {
        for secret in secrets where !met.contains(where: secret.isSame) { met.append(secret) }
    }

    /// Has the trace repeat no text that the flow calls sensitive; the run may tell it to its host.
    mutating func concealSensitive(_ plan: RunPlan) {
        let slots = plan.program.sensitiveSlots
        guard !slots.isEmpty, notes.isEnabled else { return }
        notes.add(.secrets(slots.flatMap { Self.texts(self.slots[$0]) }))
    }

    private static func texts(_ value: Value) -> [Secret] {
        switch value {
        case .string(let text): text.isEmpty ? [] : [Secret(text, kind: .other)]
        case .list(let items): items.flatMap(texts)
        case .map(let members): members.values.flatMap(texts)
        case .null, .bool, .int, .number, .time, .duration, .secret, .json: []
        }
    }

    /// Remembers the secrets in the answer to the current step, which nobody looks at any more.
    mutating func meetAnswer() {
        guard let answer else { return }
        self.answer = nil
        // Anybody can fetch those.
        if asked == .discovery || asked == .jwks { return }
        meet(AnswerScreen.secrets(in: answer))
    }

    /// Takes the key that new tokens of a provider will be bound to, and that no text may show.
    ///
    /// - Returns: Whether the report is a key at all.
    mutating func takeProofKey(_ event: InputEvent, of provider: Int) -> Bool {
        guard case .key(let key) = event else { return false }
        proofKeys[provider] = key
        conceal([key])
        return true
    }

    /// Takes note that a code is sent.
    ///
    /// - Returns: Whether it is the first time.
    mutating func spend(_ code: Secret, in step: Int) -> Bool {
        guard !spentCodes.contains(where: { code.isSame(as: $0.code) }) else { return false }
        spentCodes.append((code, step))
        return true
    }

    func hasSpentCode(in step: Int) -> Bool { spentCodes.contains { $0.step == step } }

    /// 32 hexadecimal digits that no other request has: for identifiers that must not come twice, not for secrets.
    mutating func serial() -> String {
        serials += 1
        let text = "\(seed) \(serials) \(now)"
        return Hexadecimal.encode(Digest.sha256(text.utf8).prefix(16))
    }

    package mutating func evaluate(_ code: CodeRange, _ plan: RunPlan) -> Value {
        ExpressionMachine.evaluate(code, plan.program.code, slots, &stack)
    }

    /// Whether a condition is true.
    mutating func holds(_ code: CodeRange, _ plan: RunPlan) -> Bool {
        ExpressionMachine.holds(code, plan.program.code, slots, &stack)
    }

    subscript(common: CommonSlot) -> Value {
        get { slots[common.rawValue] }
        set { slots[common.rawValue] = newValue }
    }

    /// Writes what expressions may read of a provider.
    mutating func describe(_ provider: [Value], from base: Int) {
        for (offset, value) in provider.enumerated() { slots[base + offset] = value }
    }

    /// Makes a token set readable, or forgets it.
    mutating func setTokens(_ set: TokenSet?, at index: Int, _ plan: RunPlan) {
        tokenSets[index] = set
        let base = plan.program.tokenSets[index].slotBase
        guard let set else {
            for offset in TokenSetRow.members.indices { slots[base + offset] = .null }
            return
        }
        conceal(set.secrets)
        slots[base] = set.subject.map(Value.string) ?? .null
        slots[base + 1] = .list(set.scopes.map(Value.string))
        slots[base + 2] = set.expiresAt.map(Value.time) ?? .null
        slots[base + 3] = .string(set.tokenType)
        slots[base + 4] = .string(set.origin.rawValue)
        slots[base + 5] = .secret(set.accessToken)
        slots[base + 6] = set.refreshToken.map(Value.secret) ?? .null
        slots[base + 7] = set.idToken.map(Value.secret) ?? .null
    }
}
