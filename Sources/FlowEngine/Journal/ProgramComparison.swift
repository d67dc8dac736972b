internal import FlowLanguage
internal import YAMLText

/// Holds what a run of one program needs against another program.
struct ProgramComparison {
    private let old: FlowProgram
    private let new: FlowProgram
    private(set) var differences: [Migration.Difference] = []
    /// Beginnings of the paths of values of which enough was said.
    private var told: [String] = []

    init(_ old: FlowProgram, _ new: FlowProgram) {
        self.old = old
        self.new = new
    }

    // MARK: Steps

    /// The step with its outcomes, and the sub-flows that it lies inside of.
    mutating func compareStep(_ index: Int) {
        var name = old.steps[index].name
        while let slash = name.lastIndex(of: "/") {
            name = String(name[..<slash])
            if let outer = old.steps.firstIndex(where: { $0.name == name }) { compareOneStep(outer) }
        }
        compareOneStep(index)
    }

    private mutating func compareOneStep(_ index: Int) {
        let row = old.steps[index]
        guard let there = new.steps.firstIndex(where: { $0.name == row.name }) else {
            report(
                old.place(of: index, isOld: true),
                "there is no step \"\(row.name)\" any more, where the run is")
            told.append(Self.path(of: row.name))
            return
        }
        guard new.steps[there].kind == row.kind else {
            report(
                new.place(of: there),
                "step \"\(row.name)\", where the run is, was \(row.kind.rawValue) and is "
                    + new.steps[there].kind.rawValue)
            return
        }
        for outcome in old.outcomes(of: index) { compare(outcome, of: index, there) }
    }

    private mutating func compare(_ outcome: Outcome, of index: Int, _ there: Int) {
        let name = old.name(of: outcome, at: index)
        let outcomeClass = old.routes[Int(old.steps[index].routes[Int(outcome.rawValue)])].outcomeClass
        let step = old.steps[index].name
        guard let found = new.outcome(named: name, at: there) else {
            report(new.place(of: there), "step \"\(step)\" has no outcome \"\(name)\" any more")
            return
        }
        let newClass = new.routes[Int(new.steps[there].routes[Int(found.rawValue)])].outcomeClass
        guard newClass != outcomeClass else { return }
        report(
            new.place(of: there),
            "outcome \"\(name)\" of step \"\(step)\" was of class \(outcomeClass.rawValue) and is of class "
                + newClass.rawValue)
    }

    mutating func compareProviders() {
        for provider in old.providers where !new.providers.contains(where: { $0.alias == provider.alias }) {
            report(
                Migration.Place(file: old.file, span: provider.span, isOld: true),
                "there is no provider \"\(provider.alias)\" any more")
        }
    }

    // MARK: Values

    /// Everything that the run holds: fields of steps, variables, inputs, token sets.
    mutating func compareValues(_ registers: Registers) {
        let ofProviders = Set(
            (old.providers.map(\.slotBase) + old.frames.flatMap { $0.providers.map(\.slotBase) }).flatMap {
                $0..<($0 + ProviderMember.allCases.count)
            })
        let types = Dictionary(new.slots.map { ($0.path, $0.type) }) { first, _ in first }
        for index in old.slots.indices.dropFirst(CommonSlot.allCases.count)
        where !ofProviders.contains(index) && !registers.slots[index].isNull {
            compare(old.slots[index], types[old.slots[index].path])
        }
    }

    private mutating func compare(_ slot: SlotRow, _ type: FlowType?) {
        if type == slot.type || told.contains(where: slot.path.hasPrefix) { return }
        if let type {
            report(place(of: slot.path, new), "\(slot.path) was \(slot.type) and is \(type)")
            return
        }
        if let owner = owner(of: slot.path) {
            told.append(owner.path)
            report(
                place(of: slot.path, old), "there is no \(owner.words) any more, and the run has its values")
        } else {
            report(
                place(of: slot.path, new) ?? place(of: slot.path, old),
                "there is no \(slot.path) any more, and the run has its value")
        }
    }

    /// The step or token set of a value, where the new program does not have that either.
    private func owner(of path: String) -> (path: String, words: String)? {
        let step = old.steps.first { path.hasPrefix(Self.path(of: $0.name)) }
        if let step, !new.steps.contains(where: { $0.name == step.name }) {
            return (Self.path(of: step.name), "step \"\(step.name)\"")
        }
        let set = old.tokenSets.first { path.hasPrefix(Self.path(ofSet: $0.name)) }
        if let set, !new.tokenSets.contains(where: { $0.name == set.name }) {
            return (Self.path(ofSet: set.name), "token set \"\(set.name)\"")
        }
        return nil
    }

    // MARK: Places

    /// `steps.poll.`, of a step of a sub-flow `device/steps.poll.`
    private static func path(of step: String) -> String { path(step, "steps.") }

    private static func path(ofSet set: String) -> String { path(set, "tokens.") }

    private static func path(_ name: String, _ group: String) -> String {
        guard let slash = name.lastIndex(of: "/") else { return "\(group)\(name)." }
        return "\(name[...slash])\(group)\(name[name.index(after: slash)...])."
    }

    /// Where a value is from: its step, variable or input; of one inside of a sub-flow the step that runs that.
    private func place(of path: String, _ program: FlowProgram) -> Migration.Place? {
        let isOld = program.digest == old.digest
        if let step = program.steps.firstIndex(where: { path.hasPrefix(Self.path(of: $0.name)) }) {
            return program.place(of: step, isOld: isOld)
        }
        if let slash = path.lastIndex(of: "/") {
            let outer = program.steps.firstIndex { $0.name == path[..<slash] }
            return outer.map { program.place(of: $0, isOld: isOld) }
        }
        let variable = program.variables.first { "vars.\($0.name)" == path }?.span
        let span = variable ?? program.inputs.first { "inputs.\($0.name)" == path }?.span
        return span.map { Migration.Place(file: program.file, span: $0, isOld: isOld) }
    }

    private mutating func report(_ place: Migration.Place?, _ message: String) {
        differences.append(Migration.Difference(place: place, message: message))
    }
}
