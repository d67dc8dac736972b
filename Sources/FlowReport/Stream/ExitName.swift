/// The names of process statuses, as `exit.name` of every JSON output has them.
package enum ExitName {
    private static let names = [
        0: "ok", 1: "internal", 2: "usage", 3: "config", 4: "auth-required", 5: "denied", 6: "provider",
        7: "security", 8: "network", 9: "local", 10: "timeout", 11: "hook", 12: "assertion",
        126: "not-executable", 127: "no-program", 129: "signal", 130: "signal", 143: "signal",
    ]

    /// A flow's own `exit` is a number that may be none of these (flow/1 §17).
    package static func of(_ status: Int) -> String { names[status] ?? "flow" }
}
