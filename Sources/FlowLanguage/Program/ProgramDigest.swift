internal import JOSE
internal import OAuthProtocol

/// The canonical form of a program, for its digest (flow/1 §16).
///
/// Holds everything that decides what a run does and nothing else: no places, no file name, no texts for readers, no
/// tests. Every piece is preceded by its length, so no two programs share a form.
struct ProgramDigest {
    private var bytes: [UInt8] = []

    /// Lower-case hex of SHA-256.
    static func hex(of program: FlowProgram) -> String {
        var digest = ProgramDigest()
        digest.program(program)
        let digits = Array("0123456789abcdef")
        return String(Digest.sha256(digest.bytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    private mutating func add(_ text: String) {
        add(text.utf8.count)
        bytes += text.utf8
    }

    /// Eight bytes, the lowest first.
    private mutating func add(_ number: some BinaryInteger) {
        let bits = UInt64(truncatingIfNeeded: number)
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
    }

    private mutating func add(_ text: String?) {
        add(text == nil ? 0 : 1)
        if let text { add(text) }
    }

    private mutating func add(_ number: Int?) {
        add(number == nil ? 0 : 1)
        if let number { add(number) }
    }

    private mutating func add<Element>(
        _ items: some Collection<Element>, _ each: (inout Self, Element) -> Void
    ) {
        add(items.count)
        for item in items { each(&self, item) }
    }

    private mutating func program(_ program: FlowProgram) {
        add("flow/1")
        add(program.name)
        add(program.version)
        let limits = program.limits
        add([limits.deadline, Int64(limits.transitions), Int64(limits.visits), limits.hookTime]) {
            $0.add($1)
        }
        add(limits.responseBytes)
        add(program.providers) { form, provider in
            form.add(provider.alias)
            form.add(provider.standard?.value)
            form.add(provider.expectsIDToken.map { String($0) })
        }
        add(program.inputs) { form, input in
            form.add(input.name)
            form.add(input.standard)
            form.add(input.environment)
            form.add(input.file)
            form.add(input.constraints)
        }
        add(program.outputs) { form, output in
            form.add(output.name)
            form.add(output.type.description)
        }
        add(program.variables) { $0.add($1.initial) }
        add(program.slots) { form, slot in
            form.add(slot.path)
            form.add(slot.type.description)
        }
        tables(program)
    }

    private mutating func tables(_ program: FlowProgram) {
        add(program.start)
        add(program.steps) { $0.step($1) }
        add(program.routes) { form, route in
            form.add(route.outcomeClass.rawValue)
            form.add(route.edges.lowerBound)
            form.add(route.edges.upperBound)
        }
        add(program.edges) { form, edge in
            form.add(edge.target)
            form.add(edge.guardCode)
            form.add(edge.maximum)
            form.add(edge.saves) { $0.add($1) }
        }
        add(program.ends) { $0.end($1) }
        add(program.hooks) { $0.hook($1) }
        add(program.ports) { $0.port($1) }
        add(program.frames) { $0.frame($1) }
        add(program.code.instructions) { form, instruction in
            form.add(instruction.operation.rawValue)
            form.add(instruction.count)
            form.add(instruction.operand)
        }
        add(program.code.constants) { $0.add($1) }
        for pattern in program.code.patterns { add(pattern.text) }
    }

    // MARK: Rows

    private mutating func step(_ step: StepRow) {
        add(step.name)
        add(step.kind.rawValue)
        add(step.provider)
        add(step.condition)
        add(step.arguments) { form, argument in
            form.add(argument.name)
            form.add(argument.value)
        }
        add(step.assertions) { $0.assertion($1) }
        add(step.saves) { $0.add($1) }
        retry(step.retry)
        add(step.timeout)
        add(step.deadline.map { String($0) })
        add(step.visits)
        add(step.isVisitsExplicit ? 1 : 0)
        add(step.routes) { $0.add($1) }
        for outcome in step.declaredOutcomes { add(outcome) }
        for hooks in [step.beforeHooks, step.afterHooks, step.tokenHooks] { add(hooks) { $0.add($1) } }
        for hooks in step.attemptHooks.all where !hooks.isEmpty { add(hooks) { $0.add($1) } }
    }

    private mutating func retry(_ policy: RetryPolicy?) {
        guard let policy else { return add(0) }
        add(policy.outcomes.map(\.rawValue).sorted()) { $0.add($1) }
        add(policy.attempts)
        add([policy.initial, policy.maximum, policy.retryAfterMaximum]) { $0.add($1) }
        add(policy.factor.description)
        add(policy.jitter.rawValue)
        add(policy.honorsRetryAfter ? 1 : 0)
    }

    private mutating func end(_ end: EndRow) {
        add(end.name)
        add(end.result.rawValue)
        add(end.exit)
        add(end.outputs) { form, output in
            form.add(output.output)
            form.add(output.code)
        }
        add(end.message)
        add(end.error)
        add(end.frame?.frame)
        add(end.frame.map { Int($0.outcome.rawValue) })
    }

    private mutating func hook(_ hook: HookRow) {
        add(hook.id)
        add(hook.point.rawValue)
        if let frame = hook.frame { add(frame) }
        add((hook.outcomes ?? []).map(\.rawValue).sorted()) { $0.add($1) }
        add(hook.outcomes == nil ? 0 : 1)
        add(hook.condition)
        switch hook.action {
        case .set(let saves):
            add("set")
            add(saves) { $0.add($1) }
        case .assert(let assertions):
            add("assert")
            add(assertions) { $0.assertion($1) }
        case .map(let fields):
            add("map")
            add(fields) { $0.named($1) }
        case .emit(let event, let data):
            add("emit")
            add(event)
            add(data) { $0.named(($1.name, $1.code)) }
        case .exec(let argv, let environment):
            add("exec")
            add(argv) { $0.add($1) }
            add(environment) { $0.add($1) }
        case .http(let endpoint):
            add("http")
            add(endpoint.url)
            add(endpoint.keyVariable)
            add(endpoint.tokenVariable)
            add(endpoint.headers.sorted { $0.key < $1.key }) { form, field in
                form.add(field.key)
                form.add(field.value)
            }
        case .native(let name):
            add("native")
            add(name)
        }
        for paths in [hook.reads, hook.grants, hook.writes] { add(paths) { $0.add($1.path) } }
        add(hook.timeout)
        switch hook.onFailure {
        case .abort: add(1)
        case .continue: add(0)
        case .goto(let step): add("goto \(step)")
        }
        add(hook.powers.allowed.map(\.rawValue).sorted()) { $0.add($1) }
        add(hook.powers.targets) { form, target in
            form.add(target.name)
            form.add(target.target)
        }
        add(hook.attempts)
        add(hook.simulation?.saves ?? []) { $0.add($1) }
        json(hook.simulation.map { .object($0.answer) } ?? .null)
    }

    private mutating func port(_ port: PortRow) {
        add(port.name)
        add(port.arguments) { form, argument in
            form.add(argument.name)
            form.add(argument.type.description)
        }
        add(port.fields) { form, field in
            form.add(field.name)
            form.add(field.type.description)
        }
        add(port.outcomes) { $0.add($1) }
        for words in [port.program?.argv ?? [], port.program?.environment ?? []] {
            add(words) { $0.add($1) }
        }
    }

    private mutating func frame(_ frame: FrameRow) {
        add([frame.step, frame.start, frame.steps.lowerBound, frame.steps.upperBound]) { $0.add($1) }
        add(frame.deadline)
        add(frame.inputs) { form, input in
            form.add(input.slot)
            form.add(input.code)
            form.add(input.standard)
            form.add(input.constraints)
        }
        add(frame.variables) { form, variable in
            form.add(variable.slot)
            form.add(variable.initial)
        }
        add(frame.tokens?.from)
        add(frame.tokens?.into)
    }

    // MARK: Pieces

    private mutating func assertion(_ assertion: AssertionRow) {
        add(assertion.condition)
        add(assertion.message)
    }

    private mutating func named(_ item: (name: String, code: CodeRange)) {
        add(item.name)
        add(item.code)
    }

    /// Nothing where the type says it all.
    private mutating func add(_ constraints: ValueConstraints?) {
        guard let constraints else { return }
        add(constraints.values ?? []) { $0.add($1) }
        add(constraints.pattern?.text)
        add(constraints.minimum?.description)
        add(constraints.maximum?.description)
        add(constraints.members.sorted { $0.key < $1.key }) { form, member in
            form.add(member.key)
            form.add(member.value.description)
        }
    }

    private mutating func add(_ save: SaveRow) {
        add(save.slot)
        add(save.code)
    }

    private mutating func add(_ range: CodeRange?) {
        add(range == nil ? 0 : 1)
        guard let range else { return }
        add(range.start)
        add(range.count)
    }

    private mutating func add(_ target: FlowTarget) {
        switch target {
        case .step(let index): add("step \(index)")
        case .end(let index): add("end \(index)")
        }
    }

    private mutating func add(_ argument: ArgumentValue) {
        switch argument {
        case .code(let range):
            add("code")
            add(range)
        case .constant(let value):
            add("constant")
            add(value)
        case .tokenSet(let index): add("tokens \(index)")
        case .step(let index): add("step \(index)")
        case .statuses(let statuses):
            add("statuses")
            add(statuses.sorted { $0.key < $1.key }) { form, status in
                form.add(status.key)
                form.add(status.value.rawValue)
            }
        case .classification(let rules):
            add("classification")
            add(rules) { form, rule in
                form.add(rule.condition)
                form.add(rule.outcome.rawValue)
            }
        case .extraction(let rows):
            add("extraction")
            add(rows) { form, row in
                form.add(row.name)
                form.add(row.pointer)
                form.add(row.type.description)
            }
        case .port(let index): add("port \(index)")
        case .frame(let index): add("frame \(index)")
        case .templates(let entries):
            add("templates")
            add(entries) { $0.named($1) }
        }
    }

    private mutating func add(_ value: Value?) {
        guard let value else { return add("none") }
        switch value {
        case .null: add("null")
        case .bool(let value): add("bool \(value)")
        case .int(let value): add("int \(value)")
        case .number(let value): add("number \(value)")
        case .time(let value): add("time \(value)")
        case .duration(let value): add("duration \(value)")
        case .string(let text):
            add("string")
            add(text)
        case .json(let value):
            add("json")
            json(value)
        case .list(let items):
            add("list")
            add(items) { $0.add($1) }
        case .map(let members):
            add("map")
            add(members.sorted { $0.key < $1.key }) { form, member in
                form.add(member.key)
                form.add(member.value)
            }
        // A program holds no secret: they cannot be written in a file (FL066).
        case .secret: add("secret")
        }
    }

    private mutating func json(_ value: JSONValue) {
        switch value {
        case .null: add("null")
        case .bool(let value): add("bool \(value)")
        case .int(let value): add("int \(value)")
        case .bigInteger(let digits): add("int \(digits)")
        case .number(let value): add("number \(value)")
        case .string(let text):
            add("string")
            add(text)
        case .array(let items):
            add("array")
            add(items) { $0.json($1) }
        case .object(let object):
            add("object")
            add(object.members) { form, member in
                form.add(member.key)
                form.json(member.value)
            }
        }
    }
}
