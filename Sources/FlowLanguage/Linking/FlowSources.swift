public import YAMLText

/// Finds the other files that a flow speaks of; the language itself reads none.
public struct FlowSources: Sendable {
    /// The flow of that id, as a `subflow` step of the file at `from` means it; `nil` when there is none.
    public let flow: @Sendable (_ id: String, _ from: String) -> SourceFile?
    /// The file at a path relative to the folder of `from`, as `import` names it; `nil` when there is none.
    public let imported: @Sendable (_ path: String, _ from: String) -> SourceFile?

    /// The ids that `flow` knows, for what a mistake may have meant.
    public let names: @Sendable () -> [String]

    /// The first two are asked whenever a flow is read, and should answer at once.
    public init(
        flow: @escaping @Sendable (_ id: String, _ from: String) -> SourceFile?,
        imported: @escaping @Sendable (_ path: String, _ from: String) -> SourceFile?,
        names: @escaping @Sendable () -> [String] = { [] }
    ) {
        self.flow = flow
        self.imported = imported
        self.names = names
    }

    /// No file but the one at hand.
    public static let none = FlowSources(flow: { _, _ in nil }, imported: { _, _ in nil })
}
