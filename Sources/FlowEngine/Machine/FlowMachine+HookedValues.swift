internal import FlowLanguage

/// What hooks and guards read and what hooks wrote, for the trace.
extension FlowMachine {
    /// The values that a hook is given, and those that the expressions of an action of the engine read.
    func values(readBy hook: HookRow) -> [HookedValue] {
        var slots = (hook.reads + hook.grants).map(\.slot)
        for slot in codes(of: hook.action).flatMap(plan.program.code.slots(of:)) where !slots.contains(slot) {
            slots.append(slot)
        }
        return slots.map(readValue)
    }

    /// What an action has set, as it stands now.
    func written(_ saves: [SaveRow]) -> [WrittenPart] {
        saves.map { save in
            let row = plan.program.slots[save.slot]
            return WrittenPart(row.path, registers.slots[save.slot], row.secrecy)
        }
    }

    /// A value of an event, with what is known of those that it is made of.
    mutating func emitted(_ row: HookRow.Emission) -> EmittedValue {
        EmittedValue(
            name: row.name, value: registers.evaluate(row.code, plan),
            sources: row.shown.map { slot in
                let row = plan.program.slots[slot]
                return EmittedValue.Source(path: row.path, secrecy: row.secrecy)
            })
    }

    func readValue(_ slot: Int) -> HookedValue {
        let row = plan.program.slots[slot]
        return HookedValue(row.path, registers.slots[slot], row.secrecy)
    }

    private func codes(of action: HookRow.Action) -> [CodeRange] {
        switch action {
        case .set(let saves): saves.map(\.code)
        case .assert(let rows): rows.map(\.condition)
        case .map(let fields): fields.map(\.code)
        case .emit(_, let data): data.map(\.code)
        case .exec, .http, .native: []
        }
    }
}
