internal import YAMLText

/// What a step does.
public enum StepKind: String, Sendable, Hashable, CaseIterable {
    case restore
    case discover
    case authorize
    case callback
    case exchange
    case verifyIDToken = "verify_id_token"
    case userinfo
    case refresh
    case revoke
    case introspect
    case deviceAuthorize = "device_authorize"
    case devicePoll = "device_poll"
    case clientCredentials = "client_credentials"
    case tokenExchange = "token_exchange"
    case jwtBearer = "jwt_bearer"
    case register
    case http
    case store
    case clear
    case logout
    case wait
    case choose
    case set
    case subflow
    case call

    /// Whether it sends a request of its own, so that the status of the answer may be assumed.
    package var sendsRequest: Bool {
        switch self {
        case .discover, .authorize, .exchange, .verifyIDToken, .userinfo, .refresh, .revoke, .introspect,
            .deviceAuthorize, .devicePoll, .clientCredentials, .tokenExchange, .jwtBearer, .register, .http:
            true
        case .restore, .callback, .store, .clear, .logout, .wait, .choose, .set, .subflow, .call: false
        }
    }
}

extension StepKind {
    /// Whether what it does is done at a provider, or with a session of one.
    var hasProvider: Bool {
        switch self {
        case .restore, .discover, .authorize, .callback, .exchange, .verifyIDToken, .userinfo, .refresh,
            .revoke, .introspect, .deviceAuthorize, .devicePoll, .clientCredentials, .tokenExchange,
            .jwtBearer, .register, .http, .store, .clear, .logout, .subflow:
            true
        case .wait, .choose, .set, .call: false
        }
    }
}

/// An argument that `with` may give to a step.
package struct ArgumentSpec: Sendable, Hashable {
    /// How the value is written.
    package enum Form: Sendable, Hashable {
        /// A literal or a template of that type.
        case expression(FlowType)
        /// One of the listed words.
        case word([String])
        /// A list of the listed words.
        case words([String])
        /// One of the listed words, or any other text.
        case openWord([String])
        case duration
        case bool
        /// The name of a token set; `main` when left out.
        case tokenSet
        /// The name of a token set; none when left out.
        case optionalTokenSet
        /// The id of a step of that kind; the only one when left out.
        case step(StepKind)
        /// Names with templates that are texts.
        case templates
        /// Names with templates of any type.
        case values
        /// Names with templates that may hold secrets: the fields of a form.
        case fields
        /// A value, or a mapping or list of templates that may hold secrets: a JSON body.
        case payload
        /// Statuses of HTTP with outcomes.
        case statuses
        /// A list of conditions over an answer, with outcomes.
        case classification
        /// Names with the places in an answer where they are found.
        case extraction
        /// The id of a flow, or the alias of an imported one.
        case flow
        /// Inputs of that flow with templates of their types.
        case inputs
        /// A port of `calls`.
        case port
        /// Arguments of that port with templates of their types.
        case portArguments
    }

    package let name: String
    package let form: Form
    /// What holds when it is left out, for the reference page; `nil` when nothing does.
    package let standard: String?
    package let summary: String
    package let isRequired: Bool
    /// Whether a hook at `step.before` with `may: [args]` may give it another value.
    package let isOpenToHooks: Bool

    init(
        name: String, form: Form, standard: String?, summary: String, isRequired: Bool = false,
        isOpenToHooks: Bool = false
    ) {
        self.name = name
        self.form = form
        self.standard = standard
        self.summary = summary
        self.isRequired = isRequired
        self.isOpenToHooks = isOpenToHooks
    }
}

/// A value that a step leaves behind for expressions.
package struct FieldSpec: Sendable, Hashable {
    package let name: String
    package let type: FlowType
    package let label: Label

    /// - Parameter label: `nil` for what the type alone says.
    init(name: String, type: FlowType, label: Label? = nil) {
        self.name = name
        self.type = type
        self.label = label ?? .standard(of: type)
    }
}

/// An outcome that a step can have, with its class there.
package struct OutcomeSpec: Sendable, Hashable {
    package let outcome: Outcome
    package let outcomeClass: OutcomeClass
    /// The fixed name, or the one that the step declares.
    package let name: String
    /// Whether a failed check may lie behind it, as behind an end of a sub-flow.
    package let mayFollowFailedCheck: Bool
    /// Among the outcomes of its step, for sets of outcomes.
    var position: UInt8 = 0

    init(outcome: Outcome, outcomeClass: OutcomeClass) {
        self.outcome = outcome
        self.outcomeClass = outcomeClass
        name = outcome.name ?? ""
        mayFollowFailedCheck = outcomeClass == .security
    }

    /// - Parameter position: Among the outcomes that the step declares.
    init(
        declared name: String, _ position: Int, _ outcomeClass: OutcomeClass, followsFailedCheck: Bool
    ) {
        outcome = Outcome.named(name) ?? Outcome(rawValue: Outcome.firstDeclared + UInt8(clamping: position))
        self.outcomeClass = outcomeClass
        self.name = name
        mayFollowFailedCheck = followsFailedCheck || outcomeClass == .security
    }
}

/// What may be sent again when nobody knows whether it arrived (flow/1 §7).
package enum ReplayClass: String, Sendable, Hashable {
    /// Sending again changes nothing.
    case idempotent
    /// The credential it carries works once: never again after `unanswered`.
    case burning
    /// It may have done its work: again after `unanswered` only where the author says that this is harmless.
    case once
    /// Nothing is sent.
    case local

    /// Whether sending again after `unanswered` may do harm.
    package var isHarmedByRepetition: Bool { self == .burning || self == .once }
}

/// What a kind does to the token set that it names.
package enum TokenEffect: Sendable, Hashable {
    case none
    /// Fills `into` from the store.
    case loads
    /// Fills `into` by a person's sign-in: an ID token is expected with it.
    case signsIn
    /// Fills `into` by something else.
    case obtains
    /// Renews `use`.
    case renews
    /// Needs `use`.
    case uses
    /// Empties `use`.
    case forgets
}

/// What a kind does to a transaction, of which each part happens once (flow/1 §6).
package enum TransactionRole: Sendable, Hashable {
    case none
    /// Opens one.
    case opens
    /// Receives its answer.
    case answers
    /// Redeems the code of an answer.
    case redeems
    /// Waits for the tokens of one.
    case polls
}

/// Everything the linter, the compiler, the reference page and the command line know about one kind.
package struct KindSpec: Sendable, Hashable {
    package let kind: StepKind
    package let summary: String
    package let arguments: [ArgumentSpec]
    /// The fields on success outcomes, in slot order; `errorFields` follow them.
    package internal(set) var fields: [FieldSpec]
    package internal(set) var outcomes: [OutcomeSpec]
    package internal(set) var replay: ReplayClass
    /// Whether a person is waited for, so that `timeout` defaults to five minutes.
    package let isInteractive: Bool
    package internal(set) var tokens = TokenEffect.none
    package internal(set) var transaction = TransactionRole.none
    /// Whether its fields and outcomes are only complete with what the step or its target declares.
    package internal(set) var isOpen = false

    /// Available on every outcome that is not ok.
    package var errorFields: [FieldSpec] {
        kind == .userinfo || kind == .http ? Self.troubleFields + Self.challengeFields : Self.troubleFields
    }

    private static let troubleFields = [
        FieldSpec(name: "error", type: .optional(.string), label: .untrusted),
        FieldSpec(name: "description", type: .optional(.string), label: .untrusted),
        FieldSpec(name: "status", type: .optional(.int)),
        FieldSpec(name: "retry_after", type: .optional(.duration)),
    ]

    /// What a resource demands of the next sign-in (RFC 9470 §3).
    private static let challengeFields = [
        FieldSpec(name: "acr_values", type: .optional(.list(.string)), label: .untrusted),
        FieldSpec(name: "max_age", type: .optional(.duration), label: .untrusted),
    ]

    package func outcomeClass(of outcome: Outcome) -> OutcomeClass? {
        switch outcome {
        case .skipped: .choice
        case .assertionFailed: .data
        case .exhausted: .limit
        default: outcomes.first { $0.outcome == outcome }?.outcomeClass
        }
    }
}

extension KindSpec {
    /// Whether nobody knows after the outcome if the credential was used, so that it is not sent again by itself.
    ///
    /// A refresh token that is answered with 500 or 503 is still the session's only one; a code is one of many that a
    /// person can be given, and is sent once.
    func isHarmedByRepetition(after outcome: Outcome) -> Bool {
        guard replay.isHarmedByRepetition else { return false }
        return outcome == .unanswered || outcome == .serverError && transaction == .redeems
    }

    /// The token set that a step of this kind fills; `nil` when it fills none.
    func writtenSet(of step: StepDefinition) -> String? { set("into", of: step) }

    /// The token set that a step of this kind needs; `nil` when it needs none.
    func usedSet(of step: StepDefinition) -> String? {
        if let name = set("use", of: step) { return name }
        let needsToken =
            switch kind {
            case .http: step.arguments.first { $0.name == "auth" }?.node.scalar?.text == "bearer"
            case .tokenExchange: !step.arguments.contains { $0.name == "subject_token" }
            default: false
            }
        return needsToken ? "main" : nil
    }

    /// The token set that the argument names.
    func set(_ name: String, of step: StepDefinition) -> String? {
        switch arguments.first(where: { $0.name == name })?.form {
        case .tokenSet: step.tokenSet(name)
        case .optionalTokenSet: step.arguments.contains { $0.name == name } ? step.tokenSet(name) : nil
        default: nil
        }
    }

    /// Whether a step that ended so has left its fields behind.
    ///
    /// `restore` loads a session on four outcomes (flow/1 §6). A step whose assertion failed has done its work.
    func definesFields(after outcome: Outcome) -> Bool {
        if outcome == .assertionFailed { return true }
        if kind == .restore { return loadsSession(on: outcome) }
        // Which tokens were revoked is told on both.
        if kind == .revoke, outcome == .partial { return true }
        return outcomeClass(of: outcome) == .success
    }

    /// Whether `errorFields` are known: on every outcome but those on which nothing was tried or all went well.
    func definesErrors(after outcome: Outcome) -> Bool {
        outcome != .skipped && outcomeClass(of: outcome) != .success
    }

    /// Whether `restore` fills its token set.
    func loadsSession(on outcome: Outcome) -> Bool {
        kind == .restore
            && [.ok, .expired, .unrefreshable, .insufficient, .assertionFailed].contains(outcome)
    }
}

extension StepKind {
    /// Whether a step of the kind sends a person to the provider, to sign in there.
    package var asksPerson: Bool { self == .authorize || self == .deviceAuthorize }

    /// Whether a step of the kind shows tokens to whoever issued them, or keeps them as a session there.
    package var usesOwnTokens: Bool {
        switch self {
        case .verifyIDToken, .userinfo, .refresh, .revoke, .introspect, .store, .logout: true
        case .restore, .discover, .authorize, .callback, .exchange, .deviceAuthorize, .devicePoll,
            .clientCredentials, .tokenExchange, .jwtBearer, .register, .http, .clear, .wait, .choose, .set,
            .subflow, .call:
            false
        }
    }

    /// Whether a step of the kind speaks to the provider as a registered client.
    package var needsClient: Bool {
        switch self {
        case .discover, .register, .wait, .choose, .set, .subflow, .call: false
        case .restore, .authorize, .callback, .exchange, .verifyIDToken, .userinfo, .refresh, .revoke,
            .introspect, .deviceAuthorize, .devicePoll, .clientCredentials, .tokenExchange, .jwtBearer, .http,
            .store, .clear, .logout:
            true
        }
    }
}
