extension [String] {
    /// Each element once, in the order in which they come.
    package var uniqued: [String] {
        var result: [String] = []
        for element in self where !result.contains(element) { result.append(element) }
        return result
    }
}
