package import YAMLText

/// Values that are one text, number, truth or length of time.
///
/// What asks whether a key is there is inlined, and nothing else: most keys are not.
extension MappingReader {
    /// A text; numbers and booleans must be quoted to be one.
    @inline(__always)
    package func string(_ key: String, _ diagnostics: inout [Diagnostic]) -> String? {
        mayHave(key) ? writtenString(key, &diagnostics) : nil
    }

    @inline(never)
    private func writtenString(_ key: String, _ diagnostics: inout [Diagnostic]) -> String? {
        guard let node = value(of: key) else { return nil }
        if case .string(let text) = node.value { return text }
        wrong(key, node, "text", node.cureForText, &diagnostics)
        return nil
    }

    @inline(__always)
    package func bool(_ key: String, _ diagnostics: inout [Diagnostic]) -> Bool? {
        mayHave(key) ? writtenBool(key, &diagnostics) : nil
    }

    @inline(never)
    private func writtenBool(_ key: String, _ diagnostics: inout [Diagnostic]) -> Bool? {
        guard let node = value(of: key) else { return nil }
        if case .bool(let value) = node.value { return value }
        wrong(key, node, "true or false", node.cureForBool, &diagnostics)
        return nil
    }

    @inline(__always)
    package func int(
        _ key: String, in range: ClosedRange<Int> = Int.min...Int.max, _ diagnostics: inout [Diagnostic]
    ) -> Int? {
        mayHave(key) ? writtenInt(key, range, &diagnostics) : nil
    }

    @inline(never)
    private func writtenInt(
        _ key: String, _ range: ClosedRange<Int>, _ diagnostics: inout [Diagnostic]
    ) -> Int? {
        guard let node = value(of: key) else { return nil }
        guard case .int(let value) = node.value else {
            wrong(key, node, "an integer", node.cureForInt, &diagnostics)
            return nil
        }
        guard range.contains(value) else {
            wrong(key, node, "an integer from \(range.lowerBound) to \(range.upperBound)", &diagnostics)
            return nil
        }
        return value
    }

    package func number(_ key: String, _ diagnostics: inout [Diagnostic]) -> Double? {
        guard let node = value(of: key) else { return nil }
        switch node.value {
        case .int(let value): return Double(value)
        case .number(let value): return value
        case .null, .bool, .string, nil:
            wrong(key, node, "a number", &diagnostics)
            return nil
        }
    }

    /// A length of time in milliseconds.
    package func duration(_ key: String, _ diagnostics: inout [Diagnostic]) -> Int64? {
        duration(key, least: 0, &diagnostics)
    }

    /// A bound on time, in which nothing could happen if it were `0s`.
    package func timeLimit(_ key: String, _ diagnostics: inout [Diagnostic]) -> Int64? {
        duration(key, least: 1, &diagnostics)
    }

    @inline(never)
    private func duration(_ key: String, least: Int64, _ diagnostics: inout [Diagnostic]) -> Int64? {
        guard let node = value(of: key) else { return nil }
        if case .string(let text) = node.value, let milliseconds = DurationText.parse(text) {
            if milliseconds >= least { return milliseconds }
            wrong(key, node, "longer than 0s", hint: "leave it out for the usual limit", &diagnostics)
            return nil
        }
        wrong(key, node, "a duration such as 20s", hint: "units: ms, s, m, h, d", &diagnostics)
        return nil
    }
}
