/// The closures that an embedding program offers to flows as `native` hooks, by name.
///
/// A value: made once where the program puts its parts together, never changed while a flow runs.
public struct HookRegistry: Sendable {
    /// What it throws makes the hook fail, as its `on_failure` says; what takes longer than its `timeout` is
    /// cancelled and not waited for.
    public typealias Closure = @Sendable (HookCall) async throws -> HookReply

    private var closures: [String: Closure] = [:]

    /// Offers nothing.
    public init() {}

    /// Offers `closure` to flows under `name`.
    public mutating func register(_ name: String, _ closure: @escaping Closure) {
        closures[name] = closure
    }

    package func closure(named name: String) -> Closure? {
        closures[name]
    }
}
