package import YAMLText

/// A checked flow as tables of indices: what the machine runs.
///
/// Immutable. Steps, ends, edges, routes, slots and expressions refer to each other by index; names and spans are kept
/// for traces and for errors that point into the file.
package struct FlowProgram: Sendable {
    package let name: String
    package let version: Int
    package let summary: String?
    /// Path of the file as the user gave it.
    package let file: String
    /// SHA-256 over the canonical compiled form, lower-case hex; comments and formatting do not count.
    package let digest: String
    package let limits: RunLimits

    package let providers: [ProviderSlot]
    package let inputs: [InputRow]
    package let outputs: [OutputRow]
    package let variables: [VariableRow]
    package let tokenSets: [TokenSetRow]
    package internal(set) var steps: ContiguousArray<StepRow>
    package let ends: ContiguousArray<EndRow>
    package let edges: ContiguousArray<EdgeRow>
    package let routes: ContiguousArray<RouteRow>
    package internal(set) var hooks: ContiguousArray<HookRow>
    package let slots: ContiguousArray<SlotRow>
    /// Those of values that the flow calls sensitive; addresses are not among them, whose parts are looked at one by one.
    package let sensitiveSlots: [Int]
    package let ports: [PortRow]
    package let frames: [FrameRow]
    package let code: CodeTable
    package let start: Int
    /// Index of the end that engine failures lead to, and of the one for cancellation.
    package let failedEnd: Int
    package let cancelledEnd: Int
    package let tests: [EmbeddedTest]
    /// Mistakes unless the provider is one that allows it.
    package let deferred: [DeferredFinding]

    package init(
        name: String, version: Int, summary: String?, file: String, digest: String, limits: RunLimits,
        providers: [ProviderSlot], inputs: [InputRow], outputs: [OutputRow], variables: [VariableRow],
        tokenSets: [TokenSetRow], steps: ContiguousArray<StepRow>, ends: ContiguousArray<EndRow>,
        edges: ContiguousArray<EdgeRow>, routes: ContiguousArray<RouteRow>, hooks: ContiguousArray<HookRow>,
        slots: ContiguousArray<SlotRow>, ports: [PortRow], frames: [FrameRow] = [], code: CodeTable,
        start: Int, failedEnd: Int, cancelledEnd: Int,
        tests: [EmbeddedTest], deferred: [DeferredFinding]
    ) {
        self.name = name
        self.version = version
        self.summary = summary
        self.file = file
        self.digest = digest
        self.limits = limits
        self.providers = providers
        self.inputs = inputs
        self.outputs = outputs
        self.variables = variables
        self.tokenSets = tokenSets
        self.steps = steps
        self.ends = ends
        self.edges = edges
        self.routes = routes
        self.hooks = hooks
        self.slots = slots
        sensitiveSlots = slots.indices.filter {
            slots[$0].secrecy == .sensitive && slots[$0].type.required != .url
        }
        self.ports = ports
        self.frames = frames
        self.code = code
        self.start = start
        self.failedEnd = failedEnd
        self.cancelledEnd = cancelledEnd
        self.tests = tests
        self.deferred = deferred
    }

    /// The same program under the digest of its canonical form.
    func withDigest(_ digest: String) -> FlowProgram {
        FlowProgram(
            name: name, version: version, summary: summary, file: file, digest: digest, limits: limits,
            providers: providers, inputs: inputs, outputs: outputs, variables: variables,
            tokenSets: tokenSets,
            steps: steps, ends: ends, edges: edges, routes: routes, hooks: hooks, slots: slots, ports: ports,
            frames: frames, code: code,
            start: start, failedEnd: failedEnd, cancelledEnd: cancelledEnd, tests: tests, deferred: deferred)
    }
}

extension FlowProgram {
    /// The outcomes that a step has routes for.
    package func outcomes(of step: Int) -> [Outcome] {
        let routes = steps[step].routes
        return routes.indices.filter { routes[$0] != RouteRow.none }.map {
            Outcome(rawValue: UInt8(clamping: $0))
        }
    }

    /// The name of an outcome of a step: a fixed one, or one that the step declares.
    package func name(of outcome: Outcome, at step: Int) -> String {
        if let name = outcome.name { return name }
        let declared = steps[step].declaredOutcomes
        let position = Int(outcome.rawValue) - Int(Outcome.firstDeclared)
        return declared.indices.contains(position) ? declared[position] : "outcome \(outcome.rawValue)"
    }

    /// The outcome of that name of a step; `nil` when it can have none.
    package func outcome(named name: String, at step: Int) -> Outcome? {
        let row = steps[step]
        let outcome =
            row.declaredOutcomes.firstIndex(of: name).map {
                Outcome(rawValue: Outcome.firstDeclared + UInt8(clamping: $0))
            } ?? Outcome.named(name)
        guard let outcome, Int(outcome.rawValue) < row.routes.count,
            row.routes[Int(outcome.rawValue)] != RouteRow.none
        else { return nil }
        return outcome
    }
}

/// Hard bounds for one run (flow/1 §3); times in milliseconds.
package struct RunLimits: Sendable, Hashable {
    package var deadline: Int64 = 15 * 60_000
    package var transitions: Int = 200
    package var visits: Int = 25
    /// For all hooks together.
    package var hookTime: Int64 = 60_000
    package var responseBytes: Int = 1 << 20

    package init() {}
}

/// A provider that the flow names; bound to a descriptor before a run.
package struct ProviderSlot: Sendable {
    package let alias: String
    /// Descriptor to use when the command line names none.
    package let standard: Located<String>?
    /// Whether ID tokens are expected; `nil` leaves it to the descriptor's protocol.
    package let expectsIDToken: Bool?
    /// First of the slots of `ProviderMember`.
    package let slotBase: Int
    /// Capabilities that the flow asks for beyond those that its steps imply.
    package let requirements: [Located<String>]
    package let span: SourceSpan

    package init(
        alias: String, standard: Located<String>?, expectsIDToken: Bool?, slotBase: Int,
        requirements: [Located<String>], span: SourceSpan
    ) {
        self.alias = alias
        self.slotBase = slotBase
        self.requirements = requirements
        self.standard = standard
        self.expectsIDToken = expectsIDToken
        self.span = span
    }
}

/// What expressions may read of a descriptor as `provider.NAME`; each has a slot for every provider of the flow.
package enum ProviderMember: String, CaseIterable, Sendable {
    case id, name, issuer, trusted, origins, resources, endpoints
    case allowedRedirects = "allowed_redirects"
    case postLogoutRedirects = "post_logout_redirects"
    /// Everything else that the descriptor says for flows.
    case values

    package var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    package var type: FlowType {
        switch self {
        case .id, .name: .string
        case .issuer: .optional(.string)
        case .trusted: .bool
        case .origins, .resources, .allowedRedirects, .postLogoutRedirects: .list(.string)
        case .endpoints, .values: .json
        }
    }
}

/// An argument of the whole flow.
package struct InputRow: Sendable {
    package let name: String
    package let type: FlowType
    package let standard: Value?
    /// Environment variable and file that the command line may read it from.
    package let environment: String?
    package let file: String?
    /// `nil` when the type says it all.
    package let constraints: ValueConstraints?
    package let slot: Int
    package let span: SourceSpan

    package init(
        name: String, type: FlowType, standard: Value?, environment: String?, file: String?,
        constraints: ValueConstraints?, slot: Int, span: SourceSpan
    ) {
        self.name = name
        self.constraints = constraints
        self.type = type
        self.standard = standard
        self.environment = environment
        self.file = file
        self.slot = slot
        self.span = span
    }
}

/// A value that success ends deliver.
package struct OutputRow: Sendable, Hashable {
    package let name: String
    package let type: FlowType

    package init(name: String, type: FlowType) {
        self.name = name
        self.type = type
    }
}

/// A variable with its initial value.
package struct VariableRow: Sendable {
    package let name: String
    package let type: FlowType
    package let initial: Value?
    package let slot: Int
    package let span: SourceSpan

    package init(name: String, type: FlowType, initial: Value?, slot: Int, span: SourceSpan) {
        self.name = name
        self.type = type
        self.initial = initial
        self.slot = slot
        self.span = span
    }
}

/// A register for tokens; its readable members are the slots from `slotBase` on, in the order of `members`.
package struct TokenSetRow: Sendable, Hashable {
    package let name: String
    package let slotBase: Int

    package static let members: [FieldSpec] = [
        FieldSpec(name: "subject", type: .optional(.string), label: .verified),
        FieldSpec(name: "scopes", type: .list(.string)),
        FieldSpec(name: "expires_at", type: .optional(.time)),
        FieldSpec(name: "token_type", type: .string),
        FieldSpec(name: "origin", type: .string),
        FieldSpec(name: "access_token", type: .secret),
        FieldSpec(name: "refresh_token", type: .optional(.secret)),
        FieldSpec(name: "id_token", type: .optional(.secret)),
    ]

    /// Where these lie among the members.
    static let subjectPosition = 0
    static let idTokenPosition = 7

    package init(name: String, slotBase: Int) {
        self.name = name
        self.slotBase = slotBase
    }
}

/// A place for one value, with the path by which expressions and hooks know it.
package struct SlotRow: Sendable, Hashable {
    package let path: String
    package let type: FlowType
    /// Who may see the value by the labels of the flow; what a hook answers is not known before a run.
    package let secrecy: Label.Secrecy

    package init(path: String, type: FlowType, secrecy: Label.Secrecy = .public) {
        self.path = path
        self.type = type
        self.secrecy = secrecy
    }

    func with(secrecy: Label.Secrecy) -> SlotRow { SlotRow(path: path, type: type, secrecy: secrecy) }
}

/// The slots that every program has, in this order, before its own.
package enum CommonSlot: Int, CaseIterable {
    case runID, runNow, runDryRun
    case clientID
    case errorCode, errorStep, errorOutcome, errorMessage

    package var row: SlotRow {
        switch self {
        case .runID: SlotRow(path: "run.id", type: .string)
        case .runNow: SlotRow(path: "run.now", type: .time)
        case .runDryRun: SlotRow(path: "run.dry_run", type: .bool)
        case .clientID: SlotRow(path: "client.id", type: .string)
        case .errorCode: SlotRow(path: "error.code", type: .optional(.string))
        case .errorStep: SlotRow(path: "error.step", type: .optional(.string))
        case .errorOutcome: SlotRow(path: "error.outcome", type: .optional(.string))
        case .errorMessage: SlotRow(path: "error.message", type: .optional(.string))
        }
    }
}
