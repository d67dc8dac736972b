internal import YAMLText

extension [Diagnostic] {
    /// Sorted by place, without what is said of a value that YAML refused as a whole: an alias stands for nothing.
    /// Nor is it said how other tools read a key that is known nowhere, or what form a credential has that goes elsewhere.
    func toldOnce() -> [Diagnostic] {
        let refused = Set(filter { $0.code == "FL006" }.map(\.span))
        let unknown = Set(filter { $0.code == "FL010" }.map(\.span))
        let credentials = Set(filter { $0.code == "FL066" }.map(\.span))
        guard !refused.isEmpty || !unknown.isEmpty || !credentials.isEmpty else { return sorted() }
        return filter {
            switch $0.code {
            case "FL006": true
            case "FL005": !unknown.contains($0.span)
            case "FL003", "FL016": !refused.contains($0.span) && !credentials.contains($0.span)
            default: !refused.contains($0.span)
            }
        }.sorted()
    }
}
