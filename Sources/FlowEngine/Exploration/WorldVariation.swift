internal import FlowLanguage

/// Inputs and values left behind by steps that are not the usual ones, since guards may look at them.
struct WorldVariation: Sendable {
    let inputs: [Value]
    let given: [(path: String, value: Value)]
    /// What is unusual, as tables write it.
    let texts: [String]

    static func usual(_ inputs: [Value]) -> WorldVariation {
        WorldVariation(inputs: inputs, given: [], texts: [])
    }

    /// One input each with another value, then what the flow's own tests give.
    static func all(_ program: FlowProgram, _ inputs: [Value]) -> [WorldVariation] {
        ofInputs(program, inputs) + ofTests(program, inputs)
    }

    /// The other truth, each listed value, any value for an input that is left out.
    private static func ofInputs(_ program: FlowProgram, _ inputs: [Value]) -> [WorldVariation] {
        program.inputs.indices.flatMap { index -> [WorldVariation] in
            let row = program.inputs[index]
            var others: [Value] = []
            if case .bool(let flag) = inputs[index] { others.append(.bool(!flag)) }
            others += row.constraints?.values ?? []
            if inputs[index].isNull {
                others.append(SyntheticInputs.value(of: row.type.required, row.constraints))
                if row.type.required == .bool { others.append(.bool(true)) }
            }
            return others.filter { $0 != inputs[index] }.map { other in
                var values = inputs
                values[index] = other
                return WorldVariation(
                    inputs: values, given: [], texts: ["inputs.\(row.name)=\(text(of: other))"])
            }
        }
    }

    private static func ofTests(_ program: FlowProgram, _ inputs: [Value]) -> [WorldVariation] {
        var seen: Set<[String]> = [[]]
        return program.tests.compactMap { test in
            var values = inputs
            var texts: [String] = []
            for (name, value) in test.inputs {
                guard let index = program.inputs.firstIndex(where: { $0.name == name }) else { continue }
                if values[index] != value { texts.append("inputs.\(name)=\(text(of: value))") }
                values[index] = value
            }
            texts += test.given.map { "given \(Self.written($0.path))=\(text(of: $0.value))" }
            guard seen.insert(texts).inserted else { return nil }
            return WorldVariation(inputs: values, given: test.given, texts: texts)
        }
    }

    /// The path as tests write it: fields of steps by the step's name alone.
    private static func written(_ path: String) -> String {
        path.hasPrefix("steps.") ? String(path.dropFirst("steps.".count)) : path
    }

    /// Durations as flow files write them; everything else as in a trace.
    private static func text(of value: Value) -> String {
        guard case .duration(let length) = value else { return TracedText.of(value) }
        let units: [(name: String, length: Int64)] = [("h", 3_600_000), ("m", 60_000), ("s", 1_000)]
        let unit = units.first { length.isMultiple(of: $0.length) } ?? ("ms", 1)
        return "\(length / unit.length)\(unit.name)"
    }
}
